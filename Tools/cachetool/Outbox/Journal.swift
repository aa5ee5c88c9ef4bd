import ArgumentParser
import LarderFormat
import LarderStore

/// Lists past events.
struct Journal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List what happened to writes and content, the newest last.",
        discussion: """
            The store keeps the newest thousand. Prints, parted by tabs: sequence, when, kind, and what the kind has. \
            Kind outcome, a write has left the outbox or was refused: entry, lane, sequence, outcome, detail. Kind \
            evicted, content was dropped: what, group, id, how many, bytes, why. Kind evicted-collections, answers of \
            queries were dropped: how many, bytes, why. Kind conflict, it was decided whose content counts: entry, \
            group, id, type, key, status, policy, resolution (local, remote or merged), successor. Other kinds print \
            all their elements.

            JSON: {sequence, kind, time} and, by kind, {entry, lane, entrySequence, outcome, detail}, {what, group, \
            id, count, bytes, reason}, {count, bytes, reason}, a conflict's columns and {lane, mutationType, method, \
            endpoint, account, entity, contentType, createdAt, base, local, shown, remote, merged, entityTag}, or \
            {elements}. Times are in milliseconds since 1970-01-01 UTC.

            With --redact, the kinds of writes, their states and outcomes are printed as they are: the app and the store \
            give these names, and they hold no content.

            EXAMPLE: cachetool journal /data/store --kind outcome

            \(ExitStatus.help)
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: "Only this kind.")
    var kind: String?
    @Option(help: "The newest so many.")
    var limit: Int?
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("A limit is 0 or more.") }
    }

    func run() throws {
        let lines = try store.read { view in
            var lines = CollectedLines()
            let redactor = Redactor(isOn: printing.redact, store: try view.format().storeID)
            var records: [JournalLine] = []
            var last: [UInt8]?
            while true {
                try Interrupt.check()
                let page = try view.rawRecords(of: .journal, after: last)
                if page.isEmpty { break }
                records += try page.map { try JournalLine($0) }.filter { kind == nil || $0.kind == kind }
                last = page.last?.key
            }
            for record in records.suffix(limit ?? .max) {
                try Interrupt.check()
                printing.json ? lines.add(record.json(redactor)) : lines.add(columns: record.columns(redactor))
            }
            return lines
        }
        try lines.print()
    }
}

/// One record of the journal, of any kind.
struct JournalLine {
    let sequence: Int64
    let kind: String
    let time: Int64
    private let elements: [TupleElement]

    /// - Throws: ``ToolError/damagedRecord(place:reason:)`` when a checksum or the encoding is wrong.
    init(_ record: RawRecord) throws(ToolError) {
        do throws(FormatError) {
            sequence = try JournalRecord.decodeKey(record.key.rawSpan)
            let body = try Record.open(
                record.value.rawSpan, key: record.key.rawSpan, seed: TableName.journal.seed,
                codec: RecordHeader.tupleCodec)
            let decoded = try JournalRecord(decoding: body)
            kind = decoded.kind
            time = decoded.time
            var reader = TupleReader(body)
            var elements: [TupleElement] = []
            while !reader.isAtEnd { elements.append(try reader.element()) }
            self.elements = Array(elements.dropFirst(2))
        } catch {
            throw .damagedRecord(place: "of the journal", reason: error.description)
        }
    }

    /// The fields of a kind; none for kinds unknown to this version.
    private var fields: [Field] {
        switch kind {
        case "outcome":
            [
                Field("entry", .uuid), Field("lane", .content), Field("entrySequence"), Field("outcome", .word),
                Field("detail", .content),
            ]
        case "evicted":
            [
                Field("what", .word), Field("group", .content), Field("id", .identifier), Field("count"),
                Field("bytes"), Field("reason", .word),
            ]
        case "evicted-collections": [Field("count"), Field("bytes"), Field("reason", .word)]
        case "conflict":
            [
                Field("entry", .uuid), Field("group", .content), Field("id", .identifier), Field("type", .content),
                Field("key", .recordKey), Field("status"), Field("policy", .word), Field("resolution", .word),
                Field("successor", .uuid), Field("lane", .content), Field("mutationType", .word),
                Field("method", .word), Field("endpoint", .content), Field("account", .content),
                Field("entity", .content), Field("contentType", .word), Field("createdAt"), Field("base", .any),
                Field("local", .any), Field("shown", .any), Field("remote", .any), Field("merged", .any),
                Field("entityTag", .content),
            ]
        default: []
        }
    }

    /// The number of a conflict's fields in a line; contents are shown in JSON only.
    private static let shownFields = 9

    func json(_ redactor: Redactor) -> JSON {
        var members = [
            JSON.Member(name: "sequence", value: .integer(sequence)), JSON.Member(name: "kind", value: .string(kind)),
            JSON.Member(name: "time", value: .integer(time)),
        ]
        for (field, element) in zip(fields, elements) {
            members.append(JSON.Member(name: field.name, value: field.json(element, redactor) ?? .null))
        }
        if fields.isEmpty {
            members.append(
                JSON.Member(name: "elements", value: .array(elements.map { AnyElement.json($0, redactor) })))
        }
        return .object(members)
    }

    /// The names and values that a line shows, as they are.
    var namedValues: [(name: String, value: String)] {
        let redactor = Redactor(isOn: false, store: .zero)
        if fields.isEmpty { return elements.map { ("", AnyElement.json($0, redactor).text) } }
        return zip(fields, elements).prefix(Self.shownFields).map { field, element in
            (field.name, Self.text(field.json(element, redactor) ?? .null))
        }
    }

    func columns(_ redactor: Redactor) -> [String] {
        let known = zip(fields, elements).prefix(Self.shownFields).map { field, element in
            if case .content = field.kind, case .text(let text) = element { return redactor.text(text) }
            return Self.text(field.json(element, redactor) ?? .null)
        }
        let rest = fields.isEmpty ? elements.map { AnyElement.json($0, redactor).text } : []
        return [String(sequence), timeText(time), kind] + known + rest
    }

    private static func text(_ value: JSON) -> String {
        switch value {
        case .null: "-"
        case .string(let text): text
        default: value.text
        }
    }
}

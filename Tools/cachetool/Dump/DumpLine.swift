import LarderFormat
import LarderStore

/// Converts records into the lines of a dump.
struct DumpLine {
    let redactor: Redactor
    /// The owner of the generation whose rows are being read, from its owner row.
    private var owner: (generation: [UInt8], seed: UInt64)?

    init(_ redactor: Redactor) { self.redactor = redactor }

    /// Verifies `record` and returns its line.
    ///
    /// - Throws: ``ToolError/damagedRecord(place:reason:)`` when its checksum or encoding is wrong.
    mutating func json(_ record: RawRecord, _ table: TableName) throws(ToolError) -> JSON {
        do throws(FormatError) {
            let elements = try Self.elements(record.key.rawSpan)
            if table == .rows, elements.count > 1 { return try row(record, elements) }
            if table == .blobs, elements.count > 2 { return try chunk(record, elements) }
            if table == .overlay, elements.first?.integer == nil { return try overlaidRow(record, elements) }
            let body = try Record.open(
                record.value.rawSpan, key: record.key.rawSpan, seed: table.seed, codec: RecordHeader.tupleCodec)
            if table == .rows {
                owner = (record.key, Checksum.ownerSeed(try OwnerRecord(decoding: body).owner))
            }
            let key = try key(elements, table)
            let members = try self.members(Self.elements(body), Shape.body(table, key: plainKey(elements)))
            return ["table": .string(table.rawValue), "key": .array(key), "record": .object(members)]
        } catch {
            throw .damagedRecord(place: place(record.key, table), reason: error.description)
        }
    }

    private func chunk(_ record: RawRecord, _ elements: [TupleElement]) throws(FormatError) -> JSON {
        let body = try Record.open(
            record.value.rawSpan, key: record.key.rawSpan, seed: TableName.blobs.seed,
            codec: PayloadCodec.opaque.rawValue)
        return .object([
            JSON.Member(name: "table", value: .string(TableName.blobs.rawValue)),
            JSON.Member(name: "key", value: .array(try key(elements, .blobs))),
            redactor.payload([UInt8](copying: body)),
        ])
    }

    private func row(_ record: RawRecord, _ elements: [TupleElement]) throws(FormatError) -> JSON {
        guard let owner, record.key.starts(with: owner.generation) else { throw .truncated(offset: 0) }
        let body = try Record.open(record.value.rawSpan, key: record.key.rawSpan, seed: owner.seed)
        let codec = try RecordHeader(decoding: record.value.rawSpan).payloadCodec()
        let row = try RowBody(body: body)
        return .object([
            JSON.Member(name: "table", value: .string(TableName.rows.rawValue)),
            JSON.Member(name: "key", value: .array(try key(elements, .rows))),
            JSON.Member(name: "codec", value: .integer(Int64(codec.rawValue))),
            JSON.Member(name: "updatedAt", value: .integer(row.updatedAt)),
            redactor.payload([UInt8](copying: row.payload)),
        ])
    }

    private func overlaidRow(_ record: RawRecord, _ elements: [TupleElement]) throws(FormatError) -> JSON {
        let body = try Record.open(record.value.rawSpan, key: record.key.rawSpan, seed: TableName.overlay.seed)
        let codec = try RecordHeader(decoding: record.value.rawSpan).payloadCodec()
        let row = try OverlayRow(body: body)
        return .object([
            JSON.Member(name: "table", value: .string(TableName.overlay.rawValue)),
            JSON.Member(name: "key", value: .array(try key(elements, .overlay))),
            JSON.Member(name: "codec", value: .integer(Int64(codec.rawValue))),
            JSON.Member(name: "updatedAt", value: .integer(row.updatedAt)),
            JSON.Member(name: "result", value: .integer(Int64(row.result.rawValue))),
            JSON.Member(name: "confirmed", value: .bool(row.isLowestConfirmed)),
            redactor.payload([UInt8](copying: row.payload)),
        ])
    }

    private func key(_ elements: [TupleElement], _ table: TableName) throws(FormatError) -> [JSON] {
        let fields = Shape.key(table, parts: elements.count, kind: elements.first?.integer)
        guard elements.count <= fields.count else { throw .trailingBytes(offset: 0) }
        var values: [JSON] = []
        for (element, field) in zip(elements, fields) {
            guard let value = field.json(element, redactor) else { throw Self.unexpected(field) }
            values.append(value)
        }
        return values
    }

    /// Returns the key elements that distinguish the shapes of one table, never redacted.
    private func plainKey(_ elements: [TupleElement]) -> [JSON] {
        elements.map { element in
            if case .text(let text) = element { return .string(text) }
            return element.integer.map { .integer($0) } ?? .null
        }
    }

    private func members(_ elements: [TupleElement], _ fields: [Field]) throws(FormatError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        let isOtherKind = fields.first?.name == "kind" && elements.first != .text("outcome")
        let known = isOtherKind ? Array(fields.prefix(2)) : fields
        guard elements.count >= known.count else { throw .truncated(offset: 0) }
        for (element, field) in zip(elements, known) {
            guard let value = field.json(element, redactor) else { throw Self.unexpected(field) }
            members.append(JSON.Member(name: field.name, value: value))
        }
        // Elements appended by a later minor version are kept.
        let more = elements.dropFirst(known.count).map { AnyElement.json($0, redactor) }
        if !more.isEmpty { members.append(JSON.Member(name: "more", value: .array(more))) }
        return members
    }

    private static func unexpected(_ field: Field) -> FormatError { .invalidValue(field: field.name, value: 0) }

    private static func elements(_ bytes: RawSpan) throws(FormatError) -> [TupleElement] {
        var reader = TupleReader(bytes)
        var elements: [TupleElement] = []
        while !reader.isAtEnd { elements.append(try reader.element()) }
        return elements
    }

    /// Returns the location of a record for display; its key in hexadecimal when it cannot be decoded.
    private func place(_ bytes: [UInt8], _ table: TableName) -> String {
        let digits = bytes.hexadecimal
        guard !redactor.isOn, let elements = try? Self.elements(bytes.rawSpan) else { return "\(table) x'\(digits)'" }
        return "\(table) (\(elements.map(\.description).joined(separator: ", ")))"
    }
}

/// Converts elements without a field: those of later versions and of unknown kinds.
enum AnyElement {
    static func json(_ element: TupleElement, _ redactor: Redactor) -> JSON {
        switch element {
        case .null: .null
        case .integer(let number): redactor.json(number)
        case .bool(let flag): .bool(flag)
        case .text(let text): redactor.json(text)
        case .decimal(let number): ["decimal": redactor.json(number)]
        case .uuid(let uuid): ["uuid": .string(uuid.description)]
        case .bytes(let bytes): ["bytes": Field("", .bytes).json(.bytes(bytes), redactor) ?? .null]
        }
    }

    /// Returns the element in `json`, or nil.
    static func element(_ json: JSON) -> TupleElement? {
        switch json {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .bool(let flag): return .bool(flag)
        case .string(let text): return .text(text)
        case .array, .real: return nil
        case .object:
            if case .integer(let number)? = json["decimal"] { return .decimal(number) }
            if case .string(let text)? = json["uuid"] { return UUIDBytes(text).map { .uuid($0) } }
            return json["bytes"].flatMap { Field.bytes($0) }.map { .bytes($0) }
        }
    }
}

extension TupleElement {
    /// The number of an integer element.
    var integer: Int64? {
        if case .integer(let number) = self { return number }
        return nil
    }
}

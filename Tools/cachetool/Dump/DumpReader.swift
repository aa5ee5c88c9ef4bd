import LarderFormat
import LarderJSON
import LarderStore

/// Converts a dump back into records, and accepts it only as a whole.
struct DumpReader: ~Copyable {
    private var lines: LineReader
    private var hash: UInt64 = 0
    private var records = 0
    private var owner: (generation: JSON, seed: UInt64)?

    init(_ path: String) throws { lines = try LineReader(path) }

    /// Passes every record to `filler`.
    ///
    /// - Throws: ``ToolError/badDump(line:reason:)`` for an invalid line, or for a trailer that does not match the
    ///   lines before it; the errors of `filler`.
    mutating func read(
        into filler: inout StoreFiller, progress: (_ done: Int) throws -> Void
    ) throws {
        let counts = try header()
        while true {
            guard let line = try lines.next() else { throw bad("the trailer is missing: the dump is cut off") }
            let json = try parse(line)
            if json["end"] != nil {
                try checkTrailer(json, counts)
                break
            }
            hash = DumpFrame.chain(hash, line.rawSpan)
            let (table, record) = try self.record(json)
            try filler.append(record, to: table)
            records += 1
            try progress(records)
        }
        if try lines.next() != nil { throw bad("something follows the trailer") }
    }

    private mutating func header() throws -> JSON? {
        guard let line = try lines.next() else { throw bad("the dump is empty") }
        let json = try parse(line)
        guard json["larder"] == "dump" else { throw bad("this is no dump of a Larder store") }
        guard json["version"] == .integer(1), json["hash"] == .string(DumpFrame.hashName) else {
            throw bad("the dump is of a version that this tool does not know")
        }
        guard json["redacted"] == false else { throw bad("a redacted dump has no content to load") }
        hash = DumpFrame.chain(hash, line.rawSpan)
        return json["records"]
    }

    private func checkTrailer(_ trailer: JSON, _ counts: JSON?) throws {
        guard trailer["hash"] == .string(hash.hexadecimal) else { throw bad("the dump was changed or damaged") }
        var total: Int64 = 0
        for table in TableName.allCases {
            guard case .integer(let count)? = counts?[table.rawValue] else { throw bad("the header lacks a count") }
            total = total.addingReportingOverflow(count).partialValue
        }
        guard trailer["records"] == .count(records), total == records else { throw bad("records are missing") }
    }

    private func parse(_ line: [UInt8]) throws -> JSON {
        do throws(JSONError) {
            return try JSON(line)
        } catch {
            throw bad("no JSON at byte \(error.offset)")
        }
    }

    private func bad(_ reason: String) -> ToolError { .badDump(line: lines.number, reason: reason) }
}

extension DumpReader {
    private mutating func record(_ json: JSON) throws -> (TableName, RawRecord) {
        guard case .string(let name)? = json["table"], let table = TableName(rawValue: name) else {
            throw bad("no table, or an unknown one")
        }
        guard case .array(let parts)? = json["key"], !parts.isEmpty else { throw bad("no key") }
        var kind: Int64?
        if case .integer(let number)? = parts.first { kind = number }
        let fields = Shape.key(table, parts: parts.count, kind: kind)
        guard parts.count <= fields.count else { throw bad("the key has too many parts") }
        var key = TupleWriter()
        for (part, field) in zip(parts, fields) where !field.append(part, to: &key) {
            throw bad("the key's \(field.name) is of the wrong kind")
        }
        if table == .rows, parts.count > 1 {
            return (table, RawRecord(key: key.bytes, value: try row(json, key: key.bytes, generation: parts[0])))
        }
        if table == .blobs, parts.count > 2 {
            guard let bytes = Field.bytes(json["payload"] ?? json) else { throw bad("no payload") }
            let value = Record.seal(
                body: bytes.rawSpan, codec: PayloadCodec.opaque.rawValue, key: key.bytes.rawSpan, seed: table.seed)
            return (table, RawRecord(key: key.bytes, value: value))
        }
        if table == .overlay, kind == nil {
            return (table, RawRecord(key: key.bytes, value: try overlaidRow(json, key: key.bytes)))
        }
        let body = try self.body(json["record"], Shape.body(table, key: parts))
        if table == .rows {
            let owner = try decode { () throws(FormatError) in try OwnerRecord(decoding: body.rawSpan).owner }
            self.owner = (parts[0], Checksum.ownerSeed(owner))
        }
        let value = Record.seal(body: body.rawSpan, key: key.bytes.rawSpan, seed: table.seed)
        return (table, RawRecord(key: key.bytes, value: value))
    }

    private func row(_ json: JSON, key: [UInt8], generation: JSON) throws -> [UInt8] {
        guard let owner, owner.generation == generation else { throw bad("the row's generation has no owner") }
        let (codec, updatedAt, payload) = try content(json)
        var value: [UInt8] = []
        Record.seal(
            row: payload.rawSpan, updatedAt: updatedAt, codec: codec, key: key.rawSpan, seed: owner.seed, into: &value)
        return value
    }

    private func overlaidRow(_ json: JSON, key: [UInt8]) throws -> [UInt8] {
        let (codec, updatedAt, payload) = try content(json)
        guard case .integer(let number)? = json["result"],
            let result = UInt8(exactly: number).flatMap({ OverlayRow.Result(rawValue: $0) })
        else { throw bad("no result, or an unknown one") }
        guard case .bool(let isConfirmed)? = json["confirmed"] else { throw bad("no confirmed") }
        guard result == .row || payload.isEmpty else { throw bad("a payload without a row") }
        let body = OverlayRow.encode(
            result, updatedAt: updatedAt, isLowestConfirmed: isConfirmed, payload: payload.rawSpan)
        return Record.seal(
            body: body.rawSpan, codec: codec.rawValue, key: key.rawSpan, seed: TableName.overlay.seed)
    }

    /// Returns the common members of row lines, overlaid or not.
    private func content(_ json: JSON) throws -> (codec: PayloadCodec, updatedAt: Int64, payload: [UInt8]) {
        guard case .integer(let number)? = json["codec"], let byte = UInt8(exactly: number),
            let codec = PayloadCodec(rawValue: byte)
        else { throw bad("no codec, or an unknown one") }
        guard case .integer(let updatedAt)? = json["updatedAt"] else { throw bad("no updatedAt") }
        guard let payload = Field.bytes(json["payload"] ?? json) else { throw bad("no payload") }
        try decode { () throws(FormatError) in try Limits.check(payload: payload.count) }
        return (codec, updatedAt, payload)
    }

    private func body(_ json: JSON?, _ fields: [Field]) throws -> [UInt8] {
        guard let json, case .object(let members) = json else { throw bad("no record") }
        let isOtherKind = fields.first?.name == "kind" && json["kind"] != "outcome"
        let known = isOtherKind ? Array(fields.prefix(2)) : fields
        var body = TupleWriter()
        for field in known {
            guard let value = json[field.name] else { throw bad("the record has no \(field.name)") }
            guard field.append(value, to: &body) else { throw bad("the record's \(field.name) is of the wrong kind") }
        }
        if case .array(let more)? = json["more"] {
            for value in more {
                guard let element = AnyElement.element(value) else { throw bad("more holds no element") }
                body.append(element: element)
            }
        }
        let expected = known.count + (json["more"] == nil ? 0 : 1)
        guard members.count == expected else { throw bad("the record has unknown members") }
        return body.bytes
    }

    private func decode<Value>(_ body: () throws(FormatError) -> Value) throws -> Value {
        do throws(FormatError) {
            return try body()
        } catch {
            throw bad(error.description)
        }
    }
}

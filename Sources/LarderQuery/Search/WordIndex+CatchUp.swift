internal import LarderFormat
internal import LarderStore

/// The rows of one resource, as a snapshot has them.
struct SearchedRows {
    let resource: ResourceKey
    /// The live generation; 0, which is never used, for a resource that is not ready.
    let generation: Int64
    let digest: UInt64
    let count: Int64
    /// What local writes make of rows: no generation's digest tells of them.
    let overlays: [OverlaidRow]

    init(of resource: ResourceKey, type: String, _ view: borrowing ReadView) throws {
        let known = try view.resource(resource)
        self.resource = resource
        if let known, known.state == .ready, let number = known.generation {
            let record = try Self.record(number, view)
            generation = number
            digest = record.digest
            count = record.rowCount
        } else {
            generation = 0
            digest = 0
            count = 0
        }
        overlays = try known?.overlayCount ?? 0 > 0 ? view.overlaidRows(of: resource, type: type) : []
    }

    /// - Throws: ``StoreError/damaged(table:reason:)`` when the record is not there, or is damaged.
    private static func record(_ generation: Int64, _ view: borrowing ReadView) throws -> GenerationRecord {
        let key = RowKeyCoding.prefix(generation: generation)
        let table = TableName.generations
        let raw = try view.rawRecords(of: table, prefix: key, limit: 1).first
        guard let raw, raw.key == key else {
            let reason = FormatError.invalidValue(field: "liveGeneration", value: generation)
            throw StoreError.damaged(table: table.rawValue, reason: reason)
        }
        do throws(FormatError) {
            let value = raw.value.rawSpan
            let body = try Record.open(value, key: key.rawSpan, seed: table.seed, codec: RecordHeader.tupleCodec)
            return try GenerationRecord(decoding: body)
        } catch {
            throw StoreError.damaged(table: table.rawValue, reason: error)
        }
    }
}

extension WordIndex {
    /// The words of a generation when they are those of its rows, else nil.
    func currentPart(of rows: SearchedRows, _ table: TableDefinition) throws -> Part? {
        guard let part = try knownPart(of: rows.generation, table), part.isCurrent(rows) else { return nil }
        return part
    }

    /// Brings the words of a generation in line with its rows; within a transaction.
    ///
    /// Walks all rows of the table's type and compares checksums; only rows that were changed are read.
    func catchUp(_ rows: SearchedRows, _ table: TableDefinition, _ view: borrowing ReadView) throws -> Part {
        let part = try knownPart(of: rows.generation, table) ?? makePart(of: rows.generation, table)
        if part.isCurrent(rows) { return part }
        var pass = try CatchUpPass(self, part, table, rows)
        var last: [UInt8]?
        let prefix = try pass.prefix()
        while true {
            let page = try view.rawRecords(of: .rows, after: last, prefix: prefix)
            for record in page { try pass.take(record) }
            if Task.isCancelled { throw QueryError.interrupted(.cancelled) }
            guard let end = page.last else { break }
            last = end.key
        }
        try pass.finish()
        return part
    }

    /// Puts the words of local writes in place of those of the rows they lie over; to be taken back after the search.
    func layOver(_ rows: SearchedRows, _ part: Part, _ table: TableDefinition) throws {
        let pass = try CatchUpPass(self, part, table, rows)
        for overlay in rows.overlays { try pass.lay(overlay) }
    }
}

extension WordIndex.Part {
    fileprivate func isCurrent(_ rows: SearchedRows) -> Bool { digest == rows.digest && count == rows.count }
}

/// One walk over the rows of a generation.
private struct CatchUpPass {
    private let index: WordIndex
    private let part: WordIndex.Part
    private let table: TableDefinition
    private let rows: SearchedRows
    private let seed: UInt64
    private let extractor: JSONExtractor
    private let find: SQLiteStatement
    private let forget: SQLiteStatement
    private let note: SQLiteStatement
    private let insert: SQLiteStatement
    private let update: SQLiteStatement
    /// The rows that are there, by their numbers in the file.
    private var seen: Set<Int64> = []

    init(_ index: WordIndex, _ part: WordIndex.Part, _ table: TableDefinition, _ rows: SearchedRows) throws {
        self.index = index
        self.part = part
        self.table = table
        self.rows = rows
        seed = Checksum.ownerSeed(rows.resource)
        extractor = JSONExtractor(table.searchedPaths)
        let columns = table.searched.indices.map { ", c\($0)" }.joined()
        let parameters = table.searched.map { _ in ", ?" }.joined()
        let connection = index.connection
        find = try SQLiteStatement("SELECT id, checksum FROM \(part.known) WHERE key = ?", in: connection)
        forget = try SQLiteStatement("DELETE FROM \(part.words) WHERE rowid = ?", in: connection)
        note = try SQLiteStatement(
            "INSERT INTO \(part.known) (key, checksum) VALUES (?, ?) RETURNING id", in: connection)
        update = try SQLiteStatement("UPDATE \(part.known) SET checksum = ? WHERE id = ?", in: connection)
        insert = try SQLiteStatement(
            "INSERT INTO \(part.words) (rowid\(columns)) VALUES (?\(parameters))", in: connection)
    }

    /// What the keys of the rows begin with.
    func prefix() throws -> [UInt8] {
        var key = KeyBuffer()
        do throws(FormatError) {
            try key.append(integer: rows.generation)
            try key.append(text: table.type)
        } catch {
            throw StoreError.invalid(error)
        }
        return key.array()
    }

    /// Takes a row into account, unless it is known as it is.
    mutating func take(_ record: RawRecord) throws {
        let (key, checksum) = try decode { () throws(FormatError) in
            guard let row = try RowKeyCoding.decode(record.key.rawSpan).row else {
                throw .truncated(offset: record.key.count)
            }
            return (row.key, Int64(bitPattern: try Record.checksum(of: record.value.rawSpan)))
        }
        let known = try find.first([.text(key)])
        if let known, let id = known[0].integer {
            seen.insert(id)
            if known[1] == .integer(checksum) { return }
            _ = try forget.first([.integer(id)])
            _ = try update.first([.integer(checksum), .integer(id)])
            try insertWords(of: record, id)
        } else {
            guard let id = try note.first([.text(key), .integer(checksum)])?[0].integer else { return }
            seen.insert(id)
            try insertWords(of: record, id)
        }
    }

    private func insertWords(of record: RawRecord, _ id: Int64) throws {
        let values = try decode { () throws(FormatError) in
            let body = try Record.open(record.value.rawSpan, key: record.key.rawSpan, seed: seed)
            let row = try RowBody(body: body)
            let codec = try RecordHeader.payloadCodec(in: record.value.rawSpan)
            return extractor.values(of: row.payload, codec: codec)
        }
        _ = try insert.first([.integer(id)] + values.map { SQLValue($0) })
    }

    /// Puts the words of a local write in place of its row's.
    func lay(_ overlay: OverlaidRow) throws {
        let key = SQLValue.text(overlay.key.key)
        var id = try find.first([key])?[0].integer
        if let id { _ = try forget.first([.integer(id)]) }
        guard let payload = overlay.payload else { return }
        if id == nil { id = try note.first([key, .integer(0)])?[0].integer }
        guard let id else { return }
        let values = extractor.values(of: payload.rawSpan, codec: overlay.codec)
        _ = try insert.first([.integer(id)] + values.map { SQLValue($0) })
    }

    /// Drops what is gone, and marks the words as those of these rows.
    func finish() throws {
        for row in try index.rows("SELECT id FROM \(part.known)") {
            guard let id = row[0].integer, !seen.contains(id) else { continue }
            _ = try forget.first([.integer(id)])
            try index.connection.execute("DELETE FROM \(part.known) WHERE id = ?", [.integer(id)])
        }
        try index.connection.execute(
            "UPDATE parts SET digest = ?, count = ? WHERE id = ?",
            [.integer(Int64(bitPattern: rows.digest)), .integer(rows.count), .integer(part.id)])
    }

    private func decode<Value>(_ body: () throws(FormatError) -> Value) throws(StoreError) -> Value {
        do throws(FormatError) {
            return try body()
        } catch {
            throw .damaged(table: TableName.rows.rawValue, reason: error)
        }
    }
}

extension SQLiteStatement {
    /// Runs the statement with these values and answers its first row.
    fileprivate func first(_ arguments: [SQLValue]) throws -> [SQLValue]? {
        for (index, argument) in arguments.enumerated() { try bind(argument, at: index) }
        defer { reset() }
        return try step() ? columns.indices.map { value(at: $0) } : nil
    }
}

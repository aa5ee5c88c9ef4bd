internal import LarderFormat
internal import LarderStore

/// The rows of one generation, as a snapshot has them.
struct GenerationFacts {
    let resource: ResourceKey
    let number: Int64
    let digest: UInt64
    let count: Int64

    /// Those of the live generation of a resource; nil when it is not ready.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` when its record is not there, or is damaged.
    init?(of resource: ResourceKey, _ view: borrowing ReadView) throws {
        guard let known = try view.resource(resource), known.state == .ready, let number = known.generation else {
            return nil
        }
        let key = RowKeyCoding.prefix(generation: number)
        let raw = try view.rawRecords(of: .generations, prefix: key, limit: 1).first
        guard let raw, raw.key == key else {
            let reason = FormatError.invalidValue(field: "liveGeneration", value: number)
            throw StoreError.damaged(table: TableName.generations.rawValue, reason: reason)
        }
        let record: GenerationRecord
        do throws(FormatError) {
            let seed = TableName.generations.seed
            let body = try Record.open(
                raw.value.rawSpan, key: key.rawSpan, seed: seed, codec: RecordHeader.tupleCodec)
            record = try GenerationRecord(decoding: body)
        } catch {
            throw StoreError.damaged(table: TableName.generations.rawValue, reason: error)
        }
        self.resource = resource
        self.number = number
        digest = record.digest
        count = record.rowCount
    }
}

extension WordIndex {
    /// The words of a generation when they are those of its rows, else nil.
    func currentPart(of generation: GenerationFacts, _ table: TableDefinition) throws -> Part? {
        guard let part = try knownPart(of: generation.number, table), part.isCurrent(generation) else { return nil }
        return part
    }

    /// Brings the words of a generation in line with its rows; within a transaction.
    ///
    /// Walks all rows of the table's type and compares checksums; only rows that were changed are read.
    func catchUp(
        _ generation: GenerationFacts, _ table: TableDefinition, _ view: borrowing ReadView
    ) throws -> Part {
        let part = try knownPart(of: generation.number, table) ?? makePart(of: generation.number, table)
        if part.isCurrent(generation) { return part }
        var pass = try CatchUpPass(self, part, table, generation)
        var last: [UInt8]?
        let prefix = try pass.prefix()
        while true {
            let page = try view.rawRecords(of: .rows, after: last, prefix: prefix)
            for record in page { try pass.take(record) }
            guard let end = page.last else { break }
            last = end.key
        }
        try pass.finish()
        return part
    }
}

extension WordIndex.Part {
    fileprivate func isCurrent(_ generation: GenerationFacts) -> Bool {
        digest == generation.digest && count == generation.count
    }
}

/// One walk over the rows of a generation.
private struct CatchUpPass {
    private let index: WordIndex
    private let part: WordIndex.Part
    private let table: TableDefinition
    private let generation: GenerationFacts
    private let seed: UInt64
    private let extractor: JSONExtractor
    private let find: SQLiteStatement
    private let forget: SQLiteStatement
    private let note: SQLiteStatement
    private let insert: SQLiteStatement
    private let update: SQLiteStatement
    /// The rows that are there, by their numbers in the file.
    private var seen: Set<Int64> = []

    init(_ index: WordIndex, _ part: WordIndex.Part, _ table: TableDefinition, _ generation: GenerationFacts) throws {
        self.index = index
        self.part = part
        self.table = table
        self.generation = generation
        seed = Checksum.ownerSeed(generation.resource)
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
            try key.append(integer: generation.number)
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

    /// Drops what is gone, and marks the words as those of these rows.
    func finish() throws {
        for row in try index.rows("SELECT id FROM \(part.known)") {
            guard let id = row[0].integer, !seen.contains(id) else { continue }
            _ = try forget.first([.integer(id)])
            try index.connection.execute("DELETE FROM \(part.known) WHERE id = ?", [.integer(id)])
        }
        try index.connection.execute(
            "UPDATE parts SET digest = ?, count = ? WHERE id = ?",
            [.integer(Int64(bitPattern: generation.digest)), .integer(generation.count), .integer(part.id)])
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

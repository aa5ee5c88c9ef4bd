internal import LarderFormat
internal import LarderJSON
internal import LarderStore

extension WordIndex {
    /// Updates the words of a resource to those of its rows; within a transaction.
    ///
    /// Checks the rows that the commits of this process have changed since, and no others. If these are unknown, it
    /// compares the checksums of all rows of the table's type, and reads only rows that were changed.
    func update(
        _ part: Corpus.Part, _ corpus: Corpus, _ rows: SearchedRows, _ table: TableDefinition,
        _ view: borrowing ReadView, _ store: Store, countingIn facts: inout QueryFacts
    ) throws {
        let (old, new) = (part.stamp, rows.stamp)
        if old == new { return }
        var pass = try UpdatePass(self, corpus, part, table)
        let changed =
            old.generation == new.generation
            ? store.rowsChanged(in: new.generation, from: old.digest, to: new.digest) : nil
        if let changed {
            for key in Set(changed) where key.type.utf8.elementsEqual(table.type.utf8) {
                try pass.updateRow(at: key, in: new.generation, view)
            }
        } else {
            try pass.updateAll(new.generation, view)
        }
        facts.rowsVisited += pass.rowsVisited
        facts.rowsIndexed += pass.rowsIndexed
        try mark(part, as: new)
    }

    /// Replaces the words of rows by those of the local writes applied over them; to be reverted after the search.
    func applyOverlays(_ rows: SearchedRows, _ part: Corpus.Part, _ corpus: Corpus, _ table: TableDefinition) throws {
        var pass = try UpdatePass(self, corpus, part, table)
        for overlay in rows.overlays { try pass.applyOverlay(overlay) }
    }
}

/// One pass over the rows of a resource.
private struct UpdatePass {
    private let index: WordIndex
    private let corpus: Corpus
    private let part: Corpus.Part
    private let type: String
    private let extractor: JSONExtractor
    private let selectRow: SQLiteStatement
    private let deleteWords: SQLiteStatement
    private let insertRow: SQLiteStatement
    private let insertText: SQLiteStatement
    private let updateRowStatement: SQLiteStatement
    /// The number of rows of the store that were checked.
    private(set) var rowsVisited = 0
    /// The number of rows that got other words.
    private(set) var rowsIndexed = 0
    private var hasDeletedWords = false

    /// A row whose words are in the index.
    private struct IndexedRow {
        let id: Int64
        let checksum: Int64
        let words: Int64
    }

    init(_ index: WordIndex, _ corpus: Corpus, _ part: Corpus.Part, _ table: TableDefinition) throws {
        self.index = index
        self.corpus = corpus
        self.part = part
        type = table.type
        extractor = JSONExtractor(table.searchedPaths)
        let columns = table.searched.indices.map { ", c\($0)" }.joined()
        let parameters = table.searched.map { _ in ", ?" }.joined()
        let connection = index.connection
        selectRow = try SQLiteStatement(
            "SELECT id, checksum, words FROM \(corpus.known) WHERE part = ? AND key = ?", in: connection)
        deleteWords = try SQLiteStatement("DELETE FROM \(corpus.words) WHERE rowid = ?", in: connection)
        insertRow = try SQLiteStatement(
            "INSERT INTO \(corpus.known) (part, key, checksum, words) VALUES (?, ?, ?, ?)", in: connection)
        updateRowStatement = try SQLiteStatement(
            "UPDATE \(corpus.known) SET checksum = ?, words = ? WHERE id = ?", in: connection)
        insertText = try SQLiteStatement(
            "INSERT INTO \(corpus.words) (rowid\(columns)) VALUES (?\(parameters))", in: connection)
    }

    /// Updates the words of every row of a generation, and removes those of rows that are gone.
    mutating func updateAll(_ generation: Int64, _ view: borrowing ReadView) throws {
        var seen: Set<Int64> = []
        var last: [UInt8]?
        let prefix = RowKeyCoding.prefix(generation: generation, type: type)
        while case let page = try view.rawRecords(of: .rows, after: last, prefix: prefix), let end = page.last {
            for record in page { if let id = try updateWords(record) { seen.insert(id) } }
            if Task.isCancelled { throw QueryError.interrupted(.cancelled) }
            last = end.key
        }
        for row in try index.rows("SELECT id FROM \(corpus.known) WHERE part = ?", [.integer(part.id)]) {
            if let id = row[0].integer, !seen.contains(id) { try drop(id) }
        }
        // Words missing in a new snapshot must not remain readable in the file; those of single rows are merged away in
        // time.
        if hasDeletedWords, part.stamp.generation != generation { try index.purgeRemoved(from: corpus) }
    }

    /// Updates the words of one row, whether it exists or not.
    mutating func updateRow(at key: RowKey, in generation: Int64, _ view: borrowing ReadView) throws {
        let recordKey = try decode { () throws(FormatError) in
            try RowKeyCoding.key(generation: generation, type: key.type, key: key.key)
        }
        let record = try view.rawRecords(of: .rows, prefix: recordKey, limit: 1).first
        if let record, record.key == recordKey {
            _ = try updateWords(record)
        } else {
            rowsVisited += 1
            try indexedRow(key.key).map { try drop($0.id) }
        }
    }

    /// Updates the words of a row, unless it is known with this checksum; returns its number in the index.
    private mutating func updateWords(_ record: RawRecord) throws -> Int64? {
        rowsVisited += 1
        let (key, checksum) = try decode { () throws(FormatError) in
            guard let row = try RowKeyCoding.decode(record.key.rawSpan).row else {
                throw .truncated(offset: record.key.count)
            }
            return (row.key, Int64(bitPattern: try Record.checksum(of: record.value.rawSpan)))
        }
        // A part without a stamp has no words yet.
        let indexed = part.stamp == .none ? nil : try indexedRow(key)
        if let indexed, indexed.checksum == checksum { return indexed.id }
        let texts = try decode { () throws(FormatError) in
            let seed = Checksum.ownerSeed(part.resource)
            let row = try RowBody(body: try Record.open(record.value.rawSpan, key: record.key.rawSpan, seed: seed))
            return extractor.values(
                of: row.payload, codec: try RecordHeader.payloadCodec(in: record.value.rawSpan))
        }.map { SQLValue($0) }
        let words = Self.hash(texts)
        guard let indexed else {
            let id = try insert(key, checksum: checksum, words: words)
            try insertWords(texts, id)
            return id
        }
        _ = try updateRowStatement.first([.integer(checksum), .integer(words), .integer(indexed.id)])
        // In a new snapshot, or after a change of another column, most rows have the words they had.
        if indexed.words == words { return indexed.id }
        hasDeletedWords = true
        _ = try deleteWords.first([.integer(indexed.id)])
        try insertWords(texts, indexed.id)
        return indexed.id
    }

    /// Replaces the words of a row by those of a local write.
    mutating func applyOverlay(_ overlay: OverlaidRow) throws {
        let key = overlay.key.key
        let indexedID = try indexedRow(key)?.id
        if let indexedID { _ = try deleteWords.first([.integer(indexedID)]) }
        guard let payload = overlay.payload else { return }
        let id = try indexedID ?? insert(key, checksum: 0, words: 0)
        try insertWords(extractor.values(of: payload.rawSpan, codec: overlay.codec).map { SQLValue($0) }, id)
    }

    /// Adds a row, and returns its identity. `RETURNING` would make FTS5 write the words of each row before the next.
    private func insert(_ key: String, checksum: Int64, words: Int64) throws -> Int64 {
        _ = try insertRow.first([.integer(part.id), .text(key), .integer(checksum), .integer(words)])
        return index.connection.lastInsertedRow
    }

    private func indexedRow(_ key: String) throws -> IndexedRow? {
        guard let row = try selectRow.first([.integer(part.id), .text(key)]), let id = row[0].integer,
            let checksum = row[1].integer, let words = row[2].integer
        else { return nil }
        return IndexedRow(id: id, checksum: checksum, words: words)
    }

    private mutating func insertWords(_ texts: [SQLValue], _ id: Int64) throws {
        rowsIndexed += 1
        _ = try insertText.first([.integer(id)] + texts)
    }

    private mutating func drop(_ id: Int64) throws {
        hasDeletedWords = true
        _ = try deleteWords.first([.integer(id)])
        try index.connection.execute("DELETE FROM \(corpus.known) WHERE id = ?", [.integer(id)])
    }

    /// Returns a hash of all that FTS5 receives of a row.
    private static func hash(_ texts: [SQLValue]) -> Int64 {
        var bytes: [UInt8] = []
        for text in texts {
            let value = text.text ?? text.integer.map { "\($0)" } ?? text.number.map { "\($0)" }
            // The length marks where each text ends; a missing text has a length that no text has.
            bytes += "\(value?.utf8.count ?? -1):".utf8
            if let value { bytes += value.utf8 }
        }
        return Int64(bitPattern: bytes.rawSpan.xxh64(seed: 0))
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
    /// Runs the statement with these values and returns its first row.
    fileprivate func first(_ arguments: [SQLValue]) throws -> [SQLValue]? {
        for (index, argument) in arguments.enumerated() { try bind(argument, at: index) }
        defer { reset() }
        return try step() ? columns.indices.map { value(at: $0) } : nil
    }
}

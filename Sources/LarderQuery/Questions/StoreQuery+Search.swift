internal import LarderFormat
internal import LarderStore
internal import Synchronization

extension StoreQuery {
    /// The rows of a table that have the words, the best first, without the network.
    ///
    /// Exact: the words are those of the very rows that the store holds at this moment. The first search of a full copy
    /// reads all of its rows once, and one after a change compares their checksums; others only look words up. They are
    /// kept in `search.sqlite` beside the store's data, which holds nothing else and may be deleted at any time; for a
    /// store that is read only they are kept in memory. One search runs at a time, on the caller's thread and within one
    /// snapshot: ask for the first one early, and from the background.
    ///
    /// - Parameters:
    ///   - table: the name of a table with searched columns.
    ///   - text: what to search for; without any word in it nothing is found.
    /// - Throws: ``QueryError/syntax(message:offset:)`` for a mistake in ``SearchText/raw(_:)``;
    ///   ``QueryError/searchUnavailable(message:)``; ``QueryError/interrupted(_:)`` when the task is cancelled while
    ///   rows are read; ``QueryError/unknownTable(_:offset:)``;
    ///   ``QueryError/memoryOnly(table:)``; what the store reports.
    public func search(
        _ table: String, _ text: SearchText, _ options: SearchOptions = SearchOptions()
    ) throws -> [SearchHit] {
        guard let definition = tables.first(where: { $0.name.asciiLowercased == table.asciiLowercased }) else {
            throw QueryError.unknownTable(table, offset: nil)
        }
        precondition(!definition.searched.isEmpty, "the table \(table) has no searched columns")
        if !definition.isPersistent() { throw QueryError.memoryOnly(table: definition.name) }
        if text.expression.isEmpty || options.limit == 0 { return [] }
        do {
            return try withWords { words in try words.search(definition, text, options, store) }
        } catch let failure as SQLiteFailure {
            throw QueryError.searchUnavailable(message: failure.message)
        }
    }

    /// Lends the words to `body`; makes them anew when the file was removed since, as by ``Store/clear(discardingUnsent:)`` in
    /// whatever process, and once when it turns out to be damaged, or is removed meanwhile and cannot be written any more.
    func withWords<Result: Sendable>(_ body: (WordIndex) throws -> Result) throws -> Result {
        try words.withLock { words in
            if words?.connection.hasMoved == true { words = nil }
            do {
                let open = try words ?? WordIndex.open(store)
                words = open
                return try body(open)
            } catch let failure as SQLiteFailure where failure.isDamage || words?.connection.hasMoved == true {
                words = nil
                if failure.isDamage { WordIndex.remove(at: store.path) }
                let open = try WordIndex.open(store)
                words = open
                return try body(open)
            }
        }
    }

    /// Removes the words kept beside the store in the directory at `path`, as when an account signs out.
    ///
    /// Searches of stores that are open go on; what they kept is made anew where it is needed.
    public static func removeWords(at path: String) { WordIndex.remove(at: path) }
}

extension WordIndex {
    /// A row that has the words.
    private struct Found {
        let key: RowKey
        let score: Double
        let snippet: String?
    }

    /// The best rows, all of one snapshot.
    fileprivate func search(
        _ table: TableDefinition, _ text: SearchText, _ options: SearchOptions, _ store: Store
    ) throws -> [SearchHit] {
        try store.read { view in
            let rows = try view.resourceKeys(of: table.scope).map {
                try SearchedRows(of: $0, type: table.type, view)
            }
            let found = try lookUp(rows, table, text, options, view)
            let (most, isTooLarge) = options.offset.addingReportingOverflow(options.limit)
            return try found.sorted(by: precedes).prefix(isTooLarge ? .max : most).dropFirst(options.offset)
                .compactMap { found in
                    // The rows decide: words of one that is not there any more find nothing.
                    guard let row = try view.row(at: found.key) else { return nil }
                    let object = QueryObject(
                        key: found.key, updatedAt: row.updatedAt, payload: [UInt8](copying: row.payload))
                    return SearchHit(object: object, score: found.score, snippet: found.snippet)
                }
        }
    }

    private func precedes(_ left: Found, _ right: Found) -> Bool {
        left.score == right.score ? left.key < right.key : left.score > right.score
    }

    /// Looks words up where they are those of the rows, in one transaction of the file: another process may change it.
    private func lookUp(
        _ searched: [SearchedRows], _ table: TableDefinition, _ text: SearchText, _ options: SearchOptions,
        _ view: borrowing ReadView
    ) throws -> [Found] {
        if searched.allSatisfy(\.overlays.isEmpty) {
            let current = try transact(isWriting: false) { () throws -> [Found]? in
                var found: [Found] = []
                for rows in searched {
                    guard let part = try currentPart(of: rows, table) else { return nil }
                    found += try match(part, rows, table, text, options)
                }
                return found
            }
            if let current { return current }
        }
        return try transact(isWriting: true) {
            // Generation 0 stands for resources that have local writes only.
            try dropParts(except: Set([0] + view.resources().compactMap(\.generation)))
            return try searched.flatMap { rows in
                let part = try catchUp(rows, table, view)
                if rows.overlays.isEmpty { return try match(part, rows, table, text, options) }
                try connection.execute("SAVEPOINT local")
                try layOver(rows, part, table)
                let found = try match(part, rows, table, text, options)
                try connection.execute("ROLLBACK TO local")
                return found
            }
        }
    }

    private func match(
        _ part: Part, _ searched: SearchedRows, _ table: TableDefinition, _ text: SearchText,
        _ options: SearchOptions
    ) throws -> [Found] {
        let weights = table.searched.map { ", \($0.weight)" }.joined()
        let snippet = options.snippetWords.map { "snippet(\(part.words), -1, ?2, ?3, '…', \($0))" } ?? "NULL"
        let sql = """
            SELECT k.key, -bm25(\(part.words)\(weights)) AS score, \(snippet)
            FROM \(part.words) JOIN \(part.known) AS k ON k.id = \(part.words).rowid
            WHERE \(part.words) MATCH ?1 ORDER BY score DESC LIMIT ?4
            """
        let (most, isTooLarge) = options.offset.addingReportingOverflow(options.limit)
        do {
            let rows = try rows(
                sql,
                [
                    .text(text.expression), .text(options.opening), .text(options.closing),
                    .integer(isTooLarge ? -1 : Int64(most)),
                ])
            return rows.compactMap { row in
                guard let key = row[0].text, let score = row[1].number else { return nil }
                let place = RowKey(resource: searched.resource, type: table.type, key: key)
                return Found(key: place, score: score, snippet: row[2].text)
            }
        } catch let failure as SQLiteFailure where failure.isMistake {
            throw QueryError.syntax(message: failure.message, offset: nil)
        }
    }
}

internal import LarderFormat
internal import LarderStore
internal import Synchronization

extension StoreQuery {
    /// Returns the rows of a table that have the words, the best first, without the network.
    ///
    /// The words are exactly those of the rows that the store holds at the call, and scores compare over all
    /// resources of the table. The first search of a snapshot reads all of its rows once, and one after changes reads
    /// the rows that were changed. If the changes were made by another process, before the store was opened, or to more
    /// than 4096 rows, it compares the checksums of all rows. Other searches only look words up.
    ///
    /// The words are kept in `search.sqlite` beside the store's data. The file holds nothing else and may be deleted at
    /// any time; it counts towards the store's cap, of which it uses up to half. For a read-only or an encrypted store
    /// the words are kept in memory, and read again by each process. One search runs at a time, on the caller's thread
    /// and in one read view: run the first one early, in the background.
    ///
    /// ```swift
    /// let hits = try query.search("verses", .words("light lamp", completesLast: true))
    /// for hit in hits { show(hit.object, hit.snippet) }
    /// ```
    ///
    /// - Parameters:
    ///   - table: the name of a table with searched columns.
    ///   - text: the words to search for; without any word in it nothing is found.
    ///   - options: the number of hits, and their snippets.
    /// - Returns: the hits, those of one score in a fixed order, and the number of rows that were read for them.
    /// - Throws: ``QueryError/syntax(message:offset:)`` for a mistake in ``SearchText/raw(_:)``;
    ///   ``QueryError/searchUnavailable(message:)`` when the words cannot be kept or read;
    ///   ``QueryError/interrupted(_:)`` when the task is cancelled while rows are read;
    ///   ``QueryError/unknownTable(_:offset:)``; ``QueryError/memoryOnly(table:)``; the errors of the store.
    public func search(
        _ table: String, _ text: SearchText, _ options: SearchOptions = SearchOptions()
    ) throws -> QueryResults<SearchHit> {
        let definition = try definition(of: table)
        precondition(!definition.searched.isEmpty, "the table \(table) has no searched columns")
        if !definition.isPersistent() { throw QueryError.memoryOnly(table: definition.name) }
        if text.expression.isEmpty || options.limit == 0 { return QueryResults(elements: [], facts: QueryFacts()) }
        do {
            let results = try withWordIndex { words in try words.search(definition, text, options, store) }
            if results.facts.rowsIndexed > 0, !store.isReadOnly { store.shrinkToCap() }
            return results
        } catch let failure as SQLiteFailure {
            let message = failure.isFull ? "they need more than half of the store's size limit" : failure.message
            throw QueryError.searchUnavailable(message: message)
        }
    }

    /// Passes the words to `body`. Makes them anew when the file was removed since, as by
    /// ``Store/clear(discardingUnsent:)`` in any process, and once when it turns out to be damaged, or is removed
    /// meanwhile and cannot be written any more.
    func withWordIndex<Result: Sendable>(_ body: (WordIndex) throws -> Result) throws -> Result {
        try wordIndex.withLock { words in
            if words?.connection.hasMoved == true { words = nil }
            do {
                let open = try words ?? WordIndex.open(store)
                words = open
                return try body(open)
            } catch let failure as SQLiteFailure where failure.isFileError || words?.connection.hasMoved == true {
                words = nil
                if failure.isFileError { WordIndex.remove(at: store.path) }
                let open = try WordIndex.open(store)
                words = open
                return try body(open)
            }
        }
    }

    /// Removes the words kept beside the store in the directory at `path`, for example when an account signs out.
    ///
    /// Searches of open stores continue; the words are made anew where they are needed.
    public static func removeWordIndex(at path: String) { WordIndex.remove(at: path) }
}

extension WordIndex {
    /// Returns the best rows, all of one read view.
    fileprivate func search(
        _ table: TableDefinition, _ text: SearchText, _ options: SearchOptions, _ store: Store
    ) throws -> QueryResults<SearchHit> {
        try store.read { view in
            let rows = try view.shownResources(of: table.scope).map(\.key).map {
                try SearchedRows(of: $0, type: table.type, view)
            }
            var facts = QueryFacts()
            facts.uses = [QueryFacts.TableUse(table: table.name, access: .words, isOrdered: true)]
            let hits = try lookUp(rows, table, text, options, view, store, noting: &facts)
            facts.rowsVisited += hits.count
            return QueryResults(elements: hits, facts: facts)
        }
    }

    /// Looks words up, once they are those of the rows, in one transaction of the file: another process may change it.
    private func lookUp(
        _ searched: [SearchedRows], _ table: TableDefinition, _ text: SearchText, _ options: SearchOptions,
        _ view: borrowing ReadView, _ store: Store, noting facts: inout QueryFacts
    ) throws -> [SearchHit] {
        if searched.allSatisfy(\.overlays.isEmpty) {
            let current = try transact(isWriting: false) { () throws -> [SearchHit]? in
                guard let corpus = try existingCorpus(table) else { return nil }
                let parts = try parts(of: corpus)
                guard parts.count == searched.count, searched.allSatisfy({ parts[$0.resource]?.stamp == $0.stamp })
                else { return nil }
                return try match(corpus, parts, table, text, options, view)
            }
            if let current { return current }
        }
        return try transact(isWriting: true) {
            let corpus = try existingCorpus(table) ?? makeCorpus(table)
            try drop(
                in: corpus, except: searched.map(\.resource),
                others: Set(try view.allResources().compactMap(\.generation))
            )
            var parts = try parts(of: corpus)
            for rows in searched {
                let part = try parts[rows.resource] ?? makePart(of: rows.resource, in: corpus)
                parts[rows.resource] = part
                try update(part, corpus, rows, table, view, store, countingIn: &facts)
            }
            if searched.allSatisfy(\.overlays.isEmpty) { return try match(corpus, parts, table, text, options, view) }
            try connection.execute("SAVEPOINT local")
            for rows in searched { try parts[rows.resource].map { try applyOverlays(rows, $0, corpus, table) } }
            let found = try match(corpus, parts, table, text, options, view)
            try connection.execute("ROLLBACK TO local")
            return found
        }
    }

    private func match(
        _ corpus: Corpus, _ parts: [ResourceKey: Corpus.Part], _ table: TableDefinition, _ text: SearchText,
        _ options: SearchOptions, _ view: borrowing ReadView
    ) throws -> [SearchHit] {
        let weights = table.searched.map { ", \($0.weight)" }.joined()
        let snippet = options.snippetWords.map { "snippet(\(corpus.words), -1, ?2, ?3, '…', \($0))" } ?? "NULL"
        let sql = """
            SELECT k.part, k.key, -bm25(\(corpus.words)\(weights)) AS score, \(snippet)
            FROM \(corpus.words) JOIN \(corpus.known) AS k ON k.id = \(corpus.words).rowid
            WHERE \(corpus.words) MATCH ?1 AND (?6 IS NULL OR k.part = ?6) ORDER BY score DESC, k.id LIMIT ?4 OFFSET ?5
            """
        let part = options.resource.flatMap { parts[$0]?.id }
        if options.resource != nil, part == nil { return [] }
        let resources = Dictionary(uniqueKeysWithValues: parts.values.map { ($0.id, $0.resource) })
        do {
            return try rows(
                sql,
                [
                    .text(text.expression), .text(options.opening), .text(options.closing),
                    .integer(Int64(options.limit)), .integer(Int64(options.offset)),
                    part.map { .integer($0) } ?? .null,
                ]
            ).compactMap { found -> SearchHit? in
                guard let resource = found[0].integer.flatMap({ resources[$0] }), let key = found[1].text,
                    let score = found[2].number
                else { return nil }
                let position = RowKey(resource: resource, type: table.type, key: key)
                // The rows decide: the words of a row that no longer exists find nothing.
                guard let row = try view.row(at: position) else { return nil }
                let object = QueryObject(
                    key: position, updatedAt: row.updatedAt, payload: [UInt8](copying: row.payload))
                return SearchHit(object: object, score: score, snippet: found[3].text)
            }
        } catch let failure as SQLiteFailure where failure.isSQLError {
            throw QueryError.syntax(message: failure.message, offset: nil)
        }
    }
}

internal import LarderEngine
internal import LarderStore

extension StoreQuery {
    /// Returns the results of a statement now and after every commit that changes them.
    ///
    /// The first result comes at once. Commits that are faster than the observer are skipped: it always receives the
    /// newest result. The statement runs again, on the observer's task, after a commit that changes rows of any of the
    /// tables of this ``StoreQuery``, or one of another process; a result with the same rows is left out. The sequence
    /// ends when the task is cancelled or the store closes; it throws as ``rows(_:_:)``.
    ///
    /// ```swift
    /// for try await answer in query.answers(to: "SELECT name FROM chapters WHERE verses > ?", [200]) {
    ///     show(answer.rows)
    /// }
    /// ```
    ///
    /// - Parameters: as those of ``rows(_:_:)``.
    public func answers(to sql: String, _ arguments: [SQLValue] = []) -> QueryAnswers {
        QueryAnswers(query: self, sql: sql, arguments: arguments)
    }

    /// Returns the regions whose changes may change the results of a statement; nil: any change may.
    fileprivate func regions(of sql: String) -> [Region]? {
        // A name in SQL has one spelling, apart from the case of its letters.
        if sql.asciiLowercased.contains(TableDefinition.collectionMembers) { return nil }
        return tables.map { table in
            switch table.scope {
            case .resource(let key): .resource(key)
            case .group(let group): .group(group)
            }
        }
    }
}

/// The results of a statement, each as of one commit. See ``StoreQuery/answers(to:_:)``.
public struct QueryAnswers: AsyncSequence, Sendable {
    let query: StoreQuery
    let sql: String
    let arguments: [SQLValue]

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observed: self, changes: query.store.changes().makeAsyncIterator(), regions: query.regions(of: sql))
    }

    /// The position of one observer.
    public struct Iterator: AsyncIteratorProtocol {
        let observed: QueryAnswers
        var changes: StoreChanges.Iterator
        let regions: [Region]?
        /// The rows of the last result; nil before the first.
        var last: [[SQLValue]]?

        /// Returns the newest result, after waiting for another one unless it is the first; nil at the end.
        ///
        /// - Throws: as ``StoreQuery/rows(_:_:)``.
        public mutating func next() async throws -> QueryAnswer? {
            while true {
                if last != nil, try await !waitForChange() { return nil }
                if Task.isCancelled { return nil }
                let answer: QueryAnswer
                do {
                    answer = try observed.query.rows(observed.sql, observed.arguments)
                } catch EngineError.closed {
                    return nil
                }
                let rows = answer.rows.map(\.values)
                if rows == last { continue }
                last = rows
                return answer
            }
        }

        /// Waits for a commit that may change the result; returns false at the end.
        private mutating func waitForChange() async throws -> Bool {
            while let change = await changes.next() {
                guard let regions else { return true }
                if regions.contains(where: { $0.intersects(change) }) { return true }
            }
            return false
        }
    }
}

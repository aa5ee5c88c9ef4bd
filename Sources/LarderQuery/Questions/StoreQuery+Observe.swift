internal import LarderEngine
internal import LarderStore

extension StoreQuery {
    /// The answers to a statement now and after every commit that changes them.
    ///
    /// The first answer comes at once. Commits that come faster than the observer looks are skipped over: it always gets
    /// the newest. After a commit that changes rows of any of the tables of this ``StoreQuery``, or one of another process,
    /// the statement runs again, on the observer's task; an answer with the same rows is left out. Ends when the task is
    /// cancelled or the store closes; throws as ``rows(_:_:)``.
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

    /// What changes the answers to a statement; nil: any change may.
    fileprivate func regions(of sql: String) -> [Region]? {
        // A name in SQL has one spelling but for the case of its letters.
        if sql.asciiLowercased.contains(TableDefinition.collectionMembers) { return nil }
        return tables.map { table in
            switch table.scope {
            case .resource(let key): .resource(key)
            case .group(let group): .group(group)
            }
        }
    }
}

/// The answers to a statement, each as of one commit. See ``StoreQuery/answers(to:_:)``.
public struct QueryAnswers: AsyncSequence, Sendable {
    let query: StoreQuery
    let sql: String
    let arguments: [SQLValue]

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observed: self, changes: query.store.changes().makeAsyncIterator(), regions: query.regions(of: sql))
    }

    /// One observer's position.
    public struct Iterator: AsyncIteratorProtocol {
        let observed: QueryAnswers
        var changes: StoreChanges.Iterator
        let regions: [Region]?
        /// The rows of the last answer; nil before the first.
        var last: [[SQLValue]]?

        /// The newest answer, after waiting for another one unless it is the first; nil at the end.
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

        /// Waits for a commit that may change the answer; false at the end.
        private mutating func waitForChange() async throws -> Bool {
            while let change = await changes.next() {
                guard let regions else { return true }
                if regions.contains(where: { $0.intersects(change) }) { return true }
            }
            return false
        }
    }
}

public import LarderStore
internal import Synchronization

/// Queries in SQL over the content of a store, without the network.
///
/// Beside the declared tables there is `collection_members`, with the members of every stored collection in their
/// order: `class`, `query`, `reference_key`, `reference_attribute`, `position`, `resource_group`, `resource_id`,
/// `type`, `key`.
///
/// Each statement sees one read view, whatever is written meanwhile, and reads the rows in place: nothing is copied
/// into a second database. It runs on the caller's thread, and waits for writes only as `Store.read(_:)` does.
///
/// ```swift
/// let chapters = try TableDefinition(
///     "chapters", of: .group("chapters"), type: "chapter",
///     columns: [ColumnDefinition("name", collation: .nocase), ColumnDefinition("verses", path: "$.verses_count")])
/// let query = try StoreQuery(store, tables: [chapters])
/// let long = try query.rows("SELECT name FROM chapters WHERE verses > ? ORDER BY name", [200])
/// for row in long.rows { print(row["name"]?.text ?? "") }
/// ```
public final class StoreQuery: Sendable {
    /// The most connections that are kept for later statements.
    private static let maxIdleSessions = 4

    let store: Store
    /// The tables that statements know.
    public let tables: [TableDefinition]
    /// The limits of every statement.
    public let options: QueryOptions
    private let idle = Mutex<[QuerySession]>([])
    /// The index of words; opened by the first search.
    let wordIndex = Mutex<WordIndex?>(nil)

    /// Creates queries of `store` with these tables.
    ///
    /// - Throws: ``QueryError/definition(_:)`` when two tables have one name.
    public init(_ store: Store, tables: [TableDefinition], options: QueryOptions = QueryOptions()) throws(QueryError) {
        var names: Set<String> = []
        for table in tables where !names.insert(table.name.asciiLowercased).inserted {
            throw .definition("there are two tables \(table.name)")
        }
        self.store = store
        self.tables = tables
        self.options = options
    }

    /// Returns all rows of a statement.
    ///
    /// - Parameters:
    ///   - sql: one `SELECT`, `VALUES` or `WITH` in the syntax of SQLite.
    ///   - arguments: the values of its parameters, in their order.
    /// - Throws: ``QueryError`` for a statement that is refused, stopped or cannot be computed; the errors of the
    ///   store, such as `StoreError.damaged(table:reason:)`; `EngineError`.
    public func rows(_ sql: String, _ arguments: [SQLValue] = []) throws -> QueryAnswer {
        var rows: [QueryRow] = []
        var columns: [String] = []
        let facts = try forEachRow(sql, arguments) { row in
            rows.append(row)
            return true
        } columns: {
            columns = $0
        }
        return QueryAnswer(columns: columns, rows: rows, facts: facts)
    }

    /// Calls `body` with each row of the result, until it returns false.
    ///
    /// The read view lasts as long as this call: `body` should be quick.
    ///
    /// - Returns: the work so far.
    /// - Throws: the error of `body`; otherwise as ``rows(_:_:)``.
    @discardableResult
    public func forEachRow(
        _ sql: String, _ arguments: [SQLValue] = [], _ body: (QueryRow) throws -> Bool
    ) throws -> QueryFacts {
        try forEachRow(sql, arguments, body, columns: { _ in })
    }

    private func forEachRow(
        _ sql: String, _ arguments: [SQLValue], _ body: (QueryRow) throws -> Bool, columns: ([String]) -> Void
    ) throws -> QueryFacts {
        try run(sql, arguments) { statement, run in
            columns(statement.columns)
            let names = statement.names
            if let count = try run.wholeCount() {
                _ = try body(QueryRow(names: names, values: [.integer(Int64(count))]))
                return run.facts
            }
            while try statement.step() {
                let values = statement.columns.indices.map { statement.value(at: $0) }
                if try !body(QueryRow(names: names, values: values)) { break }
            }
            return run.facts
        }
    }

    /// Returns the table of a name.
    func definition(of table: String) throws(QueryError) -> TableDefinition {
        guard let found = tables.first(where: { $0.name.asciiLowercased == table.asciiLowercased }) else {
            throw .unknownTable(table, offset: nil)
        }
        return found
    }

    /// Runs a statement within one read view.
    func run<Result>(
        _ sql: String, _ arguments: [SQLValue], _ body: (SQLiteStatement, QueryRun) throws -> Result
    ) throws -> Result {
        let session = try idle.withLock { $0.popLast() } ?? makeSession()
        defer {
            idle.withLock { idle in
                if idle.count < Self.maxIdleSessions { idle.append(session) }
            }
        }
        // The outermost read: the reads of tables while the statement runs are nested in it, and share its read view.
        return try store.read { view in
            try session.with(sql, arguments, store, options, commit: view.commit, body)
        }
    }

    private func makeSession() throws -> QuerySession {
        do {
            return try QuerySession(tables, options)
        } catch let failure as SQLiteFailure {
            throw QueryError(failure)
        }
    }
}

#if Postgres
internal import Metrics

/// A transaction of a database, lent to the closure that runs in it.
///
/// Statements block the thread of the connection. After the server has refused one, it refuses all others. A closure must not
/// end the transaction by a statement of its own, and not change the session: use `SET LOCAL` instead of `SET`,
/// `pg_advisory_xact_lock` instead of `pg_advisory_lock`. `COPY` to or from the client is not supported.
public struct PostgresTransaction: ~Copyable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Runs one statement and returns its rows.
    ///
    /// ```swift
    /// let rows = try transaction.query("SELECT name FROM places WHERE id = $1 FOR UPDATE", [7])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: one statement, with `$1` and so on for the parameters.
    ///   - parameters: at most 65,535.
    /// - Throws: ``PostgresError/statement(state:message:)``, ``PostgresError/unavailable(_:)``.
    @discardableResult
    public mutating func query(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) -> [PostgresRow]
    {
        try connection.run(sql, parameters).rows
    }

    /// Runs one statement, and returns the number of rows that it inserted, updated, deleted or selected.
    ///
    /// - Throws: as ``query(_:_:)``.
    @discardableResult
    public mutating func execute(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) -> Int {
        // The last word of the tag is the number, as in "INSERT 0 1".
        try connection.run(sql, parameters).tag.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}

/// What a transaction sees of others that run at the same time.
///
/// PostgreSQL: "Transaction Isolation".
public enum PostgresIsolation: String, CaseIterable, Sendable {
    /// Each statement sees what was committed before it began.
    case readCommitted = "READ COMMITTED"
    /// All statements see what was committed before the first one began; a conflicting write fails, and is run again.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after the other; those that could not have are run again.
    case serializable = "SERIALIZABLE"
}

extension PostgresPool {
    /// Runs `body` in a transaction and commits it, unless `body` throws.
    ///
    /// A transaction that conflicts with another one is run again, at most five times: `body` must have no other effects.
    ///
    /// - Parameters:
    ///   - isolation: what it sees of other transactions.
    ///   - body: the statements; it blocks the thread of a connection, so that it must not wait for other work.
    /// - Throws: ``PostgresError``; the errors of `body`, after which nothing is committed; `CancellationError` before it
    ///   has begun.
    public func transaction<Value: Sendable>(
        _ isolation: PostgresIsolation = .readCommitted,
        _ body: @escaping @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws -> Value {
        try await retryingConflicts {
            try await self.withConnection { connection in
                try connection.transaction(isolation) { transaction in (try body(&transaction), commits: true) }
            }
        }
    }

    /// Calls `body` until it conflicts with no other transaction, at most six times.
    func retryingConflicts<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        for attempt in 0..<5 {
            do {
                return try await body()
            } catch let error as PostgresError where error.isConflict {
                metrics.conflicts.increment()
                // Of two that deadlock only one is ended, so that equal waits do not meet again.
                try await Task.sleep(for: .milliseconds(5 << attempt))
            }
        }
        return try await body()
    }
}

extension Connection {
    /// Runs `body` in a transaction, and commits it where `body` says so; else rolls it back.
    ///
    /// - Throws: ``PostgresError/commitUnknown(_:)`` when the connection is lost during the commit; the errors of `body`,
    ///   after which nothing is committed.
    func transaction<Value>(
        _ isolation: PostgresIsolation, _ body: (inout PostgresTransaction) throws -> (value: Value, commits: Bool)
    ) throws -> Value {
        try run("BEGIN ISOLATION LEVEL \(isolation.rawValue)")
        var transaction = PostgresTransaction(self)
        defer { reset() }
        let (value, commits): (Value, Bool)
        do {
            (value, commits) = try body(&transaction)
        } catch {
            // Also where the closure has thrown an error of its own for it.
            throw conflict ?? error
        }
        if commits { try commit() }
        return value
    }
}
#endif

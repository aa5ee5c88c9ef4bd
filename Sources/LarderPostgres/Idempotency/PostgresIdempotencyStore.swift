#if Postgres
internal import LarderFormat
public import LarderServer

/// The store of servers that keep their data in one PostgreSQL database: effect, key and response are one commit.
///
/// ```swift
/// let pool = PostgresPool(PostgresConfiguration("postgresql://shop@db1,db2/shop?target_session_attrs=read-write"))
/// let store = try await PostgresIdempotencyStore.open(pool)
/// let executor = IdempotencyExecutor(store, now: { milliseconds since 1970 })
/// router.idempotent(.post, "/visits", through: executor, account: { request, _ in try account(of: request) }) {
///     request, context, transaction in
///     try transaction.execute("INSERT INTO visits (body) VALUES ($1)", [.text(String(decoding: request.body, as: UTF8.self))])
///     return IdempotentResponse(.created, json: "{}")
/// }
/// ```
///
/// Any number of servers share the keys and leases of one database. When the database cannot be used, requests are
/// refused with `IdempotencyProblem` of the kind `unavailable`, which is 503 with `Retry-After`.
public final class PostgresIdempotencyStore: IdempotencyStore {
    /// The work of a handler; it may run more than once, when its transaction conflicts with another one or a connection is lost.
    public typealias Effect = @Sendable (inout PostgresTransaction) throws -> IdempotentResponse

    let pool: PostgresPool
    let isolation: PostgresIsolation
    let partitions = KeyPartitions()

    private init(_ pool: PostgresPool, _ isolation: PostgresIsolation) {
        self.pool = pool
        self.isolation = isolation
    }

    /// Opens the store in the database of a pool; creates its tables, in the schema `larder`, where there are none.
    ///
    /// - Parameters:
    ///   - pool: the connections to the database; the caller closes them.
    ///   - isolation: that of the handlers' transactions.
    /// - Throws: ``PostgresError``, also where the tables are missing and the user may not create them, or are those of a
    ///   newer version, and where the database has another encoding than UTF8.
    public static func open(
        _ pool: PostgresPool, isolation: PostgresIsolation = .readCommitted
    ) async throws -> PostgresIdempotencyStore {
        try await pool.transaction { transaction in try PostgresSchema.migrate(&transaction) }
        return PostgresIdempotencyStore(pool, isolation)
    }

    /// Looks up a key, and leases it in the database, where all servers see the lease.
    ///
    /// A lease is in a table that is not logged: it costs no write to the medium, and ends with a failover. The lease of a
    /// server that has died ends with its time.
    ///
    /// - Throws: `IdempotencyProblem` of the kind `unavailable`; `IdempotencyError/damaged(_:)`; ``PostgresError``.
    public func claim(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, at now: Int64, leaseEnd: Int64
    ) async throws -> IdempotencyClaim {
        // Made here, so that a lease whose confirmation was lost is found again.
        let number = UInt64.random(in: .min ... .max)
        return try await retrying {
            try await self.pool.withConnection { connection in
                if let record = try KeyTable.record(of: key, at: now, connection)?.record {
                    return record.fingerprint == fingerprint ? .replay(record.response) : .mismatch
                }
                return try KeyTable.lease(key, for: fingerprint, number, at: now, end: leaseEnd, connection)
            }
        }
    }

    /// Ends a lease without a response. Does nothing while the database cannot be used: then the lease ends with its time.
    public func release(_ lease: IdempotencyLease) async {
        // Not as a part of this task: one that was cancelled would leave the lease to its time.
        await Task { try? await pool.withConnection { connection in try KeyTable.release(lease, connection) } }.value
    }

    /// Runs `body` again after a conflict or a lost connection, and refuses the request where that persists.
    func retrying<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do {
            do {
                return try await pool.retryingConflicts(body)
            } catch let error as PostgresError where error.isOfConnection {
                return try await pool.retryingConflicts(body)
            }
        } catch let error as PostgresError where error.isTemporary || error == .closed {
            throw IdempotencyProblem.unavailable(retryAfter: 1)
        }
    }
}
#endif

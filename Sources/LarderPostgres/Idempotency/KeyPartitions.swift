#if Postgres
internal import Logging
internal import Synchronization

/// The partitions of `larder.keys`, each with the keys that expire within one day.
///
/// The partition of a day is made before the first key that expires in it. Once an hour those of past days are dropped,
/// which frees their space at once and costs no work for each key.
final class KeyPartitions: Sendable {
    private struct State {
        /// The days whose partitions exist.
        var known: Set<Int64> = []
        /// The time of the next cleanup.
        var nextCleanup = Int64.min
    }

    private static let hour: Int64 = 60 * 60 * 1000
    private static let day = 24 * hour

    private let state = Mutex(State())

    /// Makes the partition for keys that expire at `expiry`, unless it exists; begins a cleanup when one is due.
    ///
    /// - Throws: ``PostgresError``.
    func prepare(for expiry: Int64, at now: Int64, _ pool: PostgresPool) async throws {
        let day = expiry / Self.day
        if !state.withLock({ $0.known.contains(day) }) {
            try await pool.transaction { transaction in
                try PostgresSchema.lockTables(&transaction)
                let days = try Self.days(&transaction)
                if !days.contains(day) { try Self.make(day, &transaction) }
            }
            state.withLock { _ = $0.known.insert(day) }
        }
        let isDue = state.withLock { state in
            guard now >= state.nextCleanup else { return false }
            state.nextCleanup = now.addingReportingOverflow(Self.hour).partialValue
            return true
        }
        // It may have to wait, which no request should.
        if isDue { Task { await Self.cleanUp(at: now, pool) } }
    }

    /// Forgets the partition for keys that expire at `expiry`, which does not exist any more.
    func forget(_ expiry: Int64) {
        state.withLock { _ = $0.known.remove(expiry / Self.day) }
    }

    private static func make(_ day: Int64, _ transaction: inout PostgresTransaction) throws(PostgresError) {
        let end = day.addingReportingOverflow(1).partialValue.multipliedReportingOverflow(by: Self.day)
        let bounds = "FROM (\(day * Self.day)) TO (\(end.overflow ? "MAXVALUE" : "\(end.partialValue)"))"
        // Attached in a second step: a partition that is made as such locks out every reader of the table.
        try transaction.execute("CREATE TABLE larder.keys_\(day) (LIKE larder.keys INCLUDING ALL)")
        try transaction.execute("ALTER TABLE larder.keys ATTACH PARTITION larder.keys_\(day) FOR VALUES \(bounds)")
    }

    /// Returns the days that have partitions of this class.
    private static func days(_ transaction: inout PostgresTransaction) throws(PostgresError) -> [Int64] {
        let rows = try transaction.query(
            """
            SELECT substr(relname, 6) FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid
            WHERE inhparent = 'larder.keys'::regclass AND relname ~ '^keys_[0-9]+$'
            """)
        var days: [Int64] = []
        for row in rows { if let day = try row.integer(0) { days.append(day) } }
        return days
    }

    /// Drops the partitions of which every key has expired for an hour, so that servers whose clocks differ agree; and the
    /// leases of servers that have died. What fails is repeated an hour later.
    private static func cleanUp(at now: Int64, _ pool: PostgresPool) async {
        let end = now.subtractingReportingOverflow(hour).partialValue
        let past = await attempt(pool) {
            try await pool.transaction { transaction in try days(&transaction).filter { $0 < end / day } }
        }
        for day in past ?? [] {
            await attempt(pool) {
                try await pool.withConnection { connection in
                    try connection.transaction(.readCommitted) { transaction in
                        // A drop waits for all who use the table, and all others wait for it: it is not urgent.
                        try transaction.execute("SET LOCAL lock_timeout = '200ms'")
                        try transaction.execute("DROP TABLE IF EXISTS larder.keys_\(day)")
                        return ((), commits: true)
                    }
                }
            }
        }
        await attempt(pool) {
            try await pool.transaction { transaction in
                _ = try transaction.execute("DELETE FROM larder.leases WHERE ends_at < $1", [.integer(end)])
            }
        }
    }

    /// Runs one step of a cleanup; a step that fails does not prevent the others.
    @discardableResult
    private static func attempt<Value>(_ pool: PostgresPool, _ body: () async throws -> Value) async -> Value? {
        do {
            return try await body()
        } catch {
            pool.logger.warning(
                "could not remove expired keys; the next attempt is in an hour", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
#endif

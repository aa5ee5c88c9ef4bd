#if Postgres
internal import Synchronization

/// The partitions of `larder.keys`, each with the keys that expire within one day.
///
/// The partition of a day is made before the first key that expires in it. On that occasion those of past days are dropped,
/// which frees their space at once and costs no work for each key.
final class KeyPartitions: Sendable {
    private static let day: Int64 = 24 * 60 * 60 * 1000

    /// The days whose partitions exist.
    private let known = Mutex<Set<Int64>>([])

    /// Makes the partition for keys that expire at `expiry`, unless it exists.
    ///
    /// - Throws: ``PostgresError``.
    func prepare(for expiry: Int64, at now: Int64, _ pool: PostgresPool) async throws {
        let day = expiry / Self.day
        if known.withLock({ $0.contains(day) }) { return }
        try await pool.transaction { transaction in
            try transaction.query(
                "SELECT pg_advisory_xact_lock($1::int, $2::int)",
                [.integer(PostgresSchema.lockClass), .integer(PostgresSchema.changeLock)])
            let days = try Self.days(&transaction)
            if !days.contains(day) { try Self.make(day, &transaction) }
        }
        known.withLock { _ = $0.insert(day) }
        // It is repeated on the next day where it fails.
        try? await dropExpired(at: now, pool)
    }

    private static func make(_ day: Int64, _ transaction: inout PostgresTransaction) throws(PostgresError) {
        let end = day.addingReportingOverflow(1).partialValue.multipliedReportingOverflow(by: Self.day)
        let bounds = "FROM (\(day * Self.day)) TO (\(end.overflow ? "MAXVALUE" : "\(end.partialValue)"))"
        // Attached in a second step: a partition that is made as such locks out every reader of the table.
        try transaction.execute("CREATE TABLE larder.keys_\(day) (LIKE larder.keys INCLUDING ALL)")
        try transaction.execute("ALTER TABLE larder.keys ATTACH PARTITION larder.keys_\(day) FOR VALUES \(bounds)")
    }

    /// Returns the days that have partitions.
    private static func days(_ transaction: inout PostgresTransaction) throws(PostgresError) -> [Int64] {
        let rows = try transaction.query(
            """
            SELECT substr(relname, 6) FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid
            WHERE inhparent = 'larder.keys'::regclass
            """)
        var days: [Int64] = []
        for row in rows { if let day = try row.integer(0) { days.append(day) } }
        return days
    }

    /// Drops the partitions of which every key has expired for an hour, so that servers whose clocks differ agree.
    private func dropExpired(at now: Int64, _ pool: PostgresPool) async throws {
        let last = (now.subtractingReportingOverflow(60 * 60 * 1000).partialValue) / Self.day
        try await pool.transaction { transaction in
            // A drop waits for all who use the table, and all others wait for it: it is not urgent.
            try transaction.execute("SET LOCAL lock_timeout = '200ms'")
            for day in try Self.days(&transaction) where day < last {
                try transaction.execute("DROP TABLE IF EXISTS larder.keys_\(day)")
            }
            // Those of servers that have died.
            try transaction.execute("DELETE FROM larder.leases WHERE ends_at < $1", [.integer(last * Self.day)])
        }
    }
}
#endif

#if Postgres
internal import LarderFormat
internal import LarderServer

/// The statements about keys and leases.
enum KeyTable {
    /// A stored response, and the number of the lease it was executed under.
    struct Stored {
        let record: IdempotentResponseRecord
        let lease: UInt64
    }

    /// Returns what is stored for a key; nil when there is nothing that counts at `now`.
    ///
    /// - Throws: `IdempotencyError/damaged(_:)`; ``PostgresError``.
    static func record(of key: IdempotencyKey, at now: Int64, _ connection: Connection) throws -> Stored? {
        let rows = try connection.run(
            """
            SELECT lease, record FROM larder.keys WHERE account = $1 AND key = $2 AND expires_at > $3
            ORDER BY expires_at DESC LIMIT 1
            """, key.parameters + [.integer(now)]
        ).rows
        guard let row = rows.first, let lease = try row.integer(0), let bytes = try row.bytes(1) else { return nil }
        do throws(FormatError) {
            let record = try IdempotentResponseRecord(decoding: bytes.rawSpan)
            return Stored(record: record, lease: UInt64(bitPattern: lease))
        } catch {
            throw IdempotencyError.damaged(error)
        }
    }

    /// Leases a key under a number of its own, or reports that another request holds it.
    static func lease(
        _ key: IdempotencyKey, for fingerprint: RequestFingerprint, _ number: UInt64, at now: Int64, end: Int64,
        _ connection: Connection
    ) throws -> IdempotencyClaim {
        let prints = fingerprint.parameters
        let taken = try connection.run(
            """
            INSERT INTO larder.leases AS l (account, key, number, ends_at, fingerprint_1, fingerprint_2)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (account, key) DO UPDATE SET number = excluded.number, ends_at = excluded.ends_at,
                fingerprint_1 = excluded.fingerprint_1, fingerprint_2 = excluded.fingerprint_2
            WHERE l.ends_at <= $7 OR l.number = excluded.number RETURNING number
            """,
            key.parameters + [.integer(Int64(bitPattern: number)), .integer(end)] + prints + [.integer(now)]
        ).rows
        if !taken.isEmpty { return .run(IdempotencyLease(key: key, fingerprint: fingerprint, number: number)) }
        let isSame = try connection.run(
            """
            SELECT fingerprint_1 = $3 AND fingerprint_2 = $4 FROM larder.leases WHERE account = $1 AND key = $2
            """, key.parameters + prints
        ).rows.first?.bool(0)
        // A lease that ended in between is that of a request that is being retried.
        return isSame == false ? .mismatch : .running(retryAfter: 1)
    }

    /// Ends a lease, unless another one has replaced it.
    static func release(_ lease: IdempotencyLease, _ connection: Connection) throws(PostgresError) {
        try connection.run(
            "DELETE FROM larder.leases WHERE account = $1 AND key = $2 AND number = $3",
            lease.key.parameters + [.integer(Int64(bitPattern: lease.number))])
    }

    /// Returns whether an account has `limit` keys that count at `now`.
    static func isFull(_ account: String, limit: Int, at now: Int64, _ connection: Connection) throws(PostgresError)
        -> Bool
    {
        try !connection.run(
            "SELECT 1 FROM larder.keys WHERE account = $1 AND expires_at > $2 OFFSET $3 LIMIT 1",
            [.bytes(Array(account.utf8)), .integer(now), .integer(Int64(limit - 1))]
        ).rows.isEmpty
    }

    /// Waits until everything that is committed now is confirmed as a commit of this connection would be, by a standby too.
    static func confirm(_ connection: Connection) throws(PostgresError) {
        // It writes to the log behind those commits, and nothing else.
        try connection.run("SELECT pg_logical_emit_message(true, 'larder', '')")
    }

    /// Stores the response of a request.
    ///
    /// - Throws: ``MissingPartition`` where there is no partition for it; ``PostgresError``.
    static func insert(
        _ record: IdempotentResponseRecord, under lease: IdempotencyLease, _ connection: Connection
    ) throws {
        do throws(PostgresError) {
            try connection.run(
                "INSERT INTO larder.keys (account, key, expires_at, lease, record) VALUES ($1, $2, $3, $4, $5)",
                lease.key.parameters + [
                    .integer(record.expiresAt), .integer(Int64(bitPattern: lease.number)), .bytes(record.encode()),
                ])
        } catch .statement(state: "23514", _) {
            // The table has no constraint but those of its partitions.
            throw MissingPartition()
        }
    }
}

/// There is no partition for a response.
struct MissingPartition: Error {}

extension IdempotencyKey {
    /// The account, whose text may have U+0000, and the key.
    fileprivate var parameters: [PostgresValue] { [.bytes(Array(account.utf8)), .text(text)] }

    /// The number of the lock under which requests with the key are executed, the same on every server.
    var lock: Int64 {
        var writer = TupleWriter()
        writer.append(text: account)
        writer.append(text: text)
        return Int64(Int32(truncatingIfNeeded: writer.bytes.rawSpan.xxh64(seed: 0)))
    }
}

extension RequestFingerprint {
    fileprivate var parameters: [PostgresValue] {
        [.integer(Int64(bitPattern: first)), .integer(Int64(bitPattern: second))]
    }
}
#endif

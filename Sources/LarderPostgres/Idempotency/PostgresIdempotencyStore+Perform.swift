#if Postgres
public import LarderServer

extension PostgresIdempotencyStore {
    /// Runs `effect` in a transaction on the thread of a connection; returns when the server has confirmed its commit.
    ///
    /// Requests with one key run one after the other, under a lock of the database, whichever servers they are sent to; each
    /// looks the key up first. A commit whose confirmation was lost is found again by the number of its lease.
    ///
    /// - Throws: The error of `effect`; `IdempotencyError/responseTooLong(actual:limit:)`,
    ///   `IdempotencyError/damaged(_:)`; `IdempotencyProblem` of the kind `unavailable`;
    ///   ``PostgresError/commitUnknown(_:)`` for a request without a key; ``PostgresError`` for a statement that is refused.
    public func perform(
        _ effect: @escaping Effect, under lease: IdempotencyLease?, at now: Int64, keeping retention: ResponseRetention
    ) async throws -> IdempotencyOutcome {
        guard let lease else { return try await unkeyed(effect, retention) }
        let execution = Execution(effect: effect, lease: lease, now: now, retention: retention, isolation: isolation)
        do {
            let outcome = try await outcome(of: execution)
            // A commit has ended the lease.
            if case .executed(let response) = outcome, response.isFinal { return outcome }
            await release(lease)
            return outcome
        } catch {
            await release(lease)
            throw error
        }
    }

    private func outcome(of execution: Execution) async throws -> IdempotencyOutcome {
        try await retrying {
            try await self.partitions.prepare(for: execution.expiry, at: execution.now, self.pool)
            do {
                return try await self.pool.withConnection { connection in try execution.run(connection) }
            } catch is MissingPartition {
                // Another database now, as after a failover that has lost it, or a restore.
                self.partitions.forget(execution.expiry)
                throw PostgresError.unavailable("A partition is missing.")
            } catch PostgresError.commitUnknown(let reason) {
                // The lock of the lost connection is free once its commit has ended, one way or the other.
                throw PostgresError.unavailable(reason)
            }
        }
    }

    /// Executes a request without a key, whose response is not stored.
    private func unkeyed(_ effect: @escaping Effect, _ retention: ResponseRetention) async throws -> IdempotencyOutcome
    {
        do {
            return try await pool.retryingConflicts {
                try await self.pool.withConnection { [isolation = self.isolation] connection in
                    try connection.transaction(isolation) { transaction in
                        let response = try effect(&transaction)
                        if response.isFinal { try retention.check(response) }
                        return (.executed(response), commits: response.isFinal)
                    }
                }
            }
        } catch let error as PostgresError where error.isTemporary || error == .closed {
            throw IdempotencyProblem.unavailable(retryAfter: 1)
        }
    }
}

/// One request with a key, to be executed once.
private struct Execution: Sendable {
    let effect: PostgresIdempotencyStore.Effect
    let lease: IdempotencyLease
    let now: Int64
    let retention: ResponseRetention
    let isolation: PostgresIsolation

    /// The time from which its response no longer counts.
    var expiry: Int64 { retention.expiry(from: now) }

    /// Runs it alone among those with its key.
    func run(_ connection: Connection) throws -> IdempotencyOutcome {
        let lock: [PostgresValue] = [.integer(PostgresSchema.keyLocks), .integer(lease.key.lock)]
        // A statement before the transaction, whose snapshot then has what the last holder of the lock has committed. The
        // lock belongs to the connection: it stays until a commit has ended, also one whose connection was lost.
        do {
            try connection.run("SELECT pg_advisory_lock($1::int, $2::int)", lock)
        } catch {
            // A statement that was ended for its time may have got the lock.
            connection.disconnect()
            throw error
        }
        defer {
            connection.reset()
            if (try? connection.run("SELECT pg_advisory_unlock($1::int, $2::int)", lock)) == nil {
                connection.disconnect()
            }
        }
        if let stored = try KeyTable.record(of: lease.key, at: now, connection) {
            if stored.record.fingerprint != lease.fingerprint { return .mismatch }
            // It may be that of a commit whose confirmation was lost, before a standby had it.
            try KeyTable.confirm(connection)
            return stored.lease == lease.number ? .executed(stored.record.response) : .replay(stored.record.response)
        }
        if try KeyTable.isFull(lease.key.account, limit: retention.keysPerAccount, at: now, connection) {
            return .full(retryAfter: ResponseRetention.fullAccountWait)
        }
        return try connection.transaction(isolation) { transaction in
            let response = try effect(&transaction)
            if response.isFinal { try store(response, connection) }
            return (.executed(response), commits: response.isFinal)
        }
    }

    private func store(_ response: IdempotentResponse, _ connection: Connection) throws {
        try retention.check(response)
        // A key without the effect of its request would be replayed.
        try connection.checkTransaction()
        let record = IdempotentResponseRecord(
            fingerprint: lease.fingerprint, executedAt: now, expiresAt: expiry,
            response: response.retained(by: retention))
        try KeyTable.insert(record, under: lease, connection)
        try KeyTable.release(lease, connection)
    }
}
#endif

import LarderEngine
import LarderFormat

extension LMDBIdempotencyStore {
    /// Runs `effect` on the writer's thread; returns when its commit is on the medium.
    ///
    /// - Throws: The error of `effect`; ``IdempotencyError/responseTooLong(actual:limit:)``;
    ///   ``IdempotencyError/damaged(_:)`` for the record of the key; engine errors.
    public func perform(
        _ effect: @escaping Effect, under lease: IdempotencyLease?, at now: Int64,
        keeping retention: ResponseRetention
    ) async throws -> IdempotencyOutcome {
        defer { if let lease { leases.release(lease) } }
        return try await withCheckedThrowingContinuation { continuation in
            do {
                try environment.onWriter {
                    continuation.resume(
                        with: Result { try self.execute(effect, lease, at: now, keeping: retention) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Runs one transaction. Its error rolls back an effect whose response is not stored.
    private func execute(
        _ effect: Effect, _ lease: IdempotencyLease?, at now: Int64, keeping retention: ResponseRetention
    ) throws -> IdempotencyOutcome {
        do {
            return try environment.transact(durability: .full) { engine in
                if let lease, let stored = try self.outcome(of: lease, at: now, &engine) { return stored }
                try self.evict(at: now, &engine)
                if let lease, try self.keyCount(of: lease.key.account, engine) >= retention.keysPerAccount {
                    return .full(retryAfter: ResponseRetention.fullAccountWait)
                }
                let response = try ServerTransaction.run(&engine, hostTables, effect)
                guard response.isFinal else { throw NotFinal(response: response) }
                try retention.check(response)
                if let lease { try self.store(response, lease, at: now, retention, &engine) }
                return .executed(response)
            }
        } catch let notFinal as NotFinal {
            return .executed(notFinal.response)
        }
    }

    /// Returns the outcome stored for the key by now; nil when the effect is to run. Removes an expired response.
    private func outcome(
        of lease: IdempotencyLease, at now: Int64, _ engine: inout WriteTransaction
    ) throws -> IdempotencyOutcome? {
        let key = KeyTables.responseKey(lease.key)
        guard let record = try tables.record(key, in: engine.reader) else { return nil }
        if record.isRetained(at: now) {
            return record.fingerprint == lease.fingerprint ? .replay(record.response) : .mismatch
        }
        try addKeyCount(-1, of: lease.key.account, &engine)
        try engine.remove(KeyTables.expiryKey(record.expiresAt, lease.key).rawSpan, in: tables.expiry)
        try engine.remove(key.rawSpan, in: tables.keys)
        return nil
    }

    private func store(
        _ answer: IdempotentResponse, _ lease: IdempotencyLease, at now: Int64, _ retention: ResponseRetention,
        _ engine: inout WriteTransaction
    ) throws {
        let record = IdempotentResponseRecord(
            fingerprint: lease.fingerprint, executedAt: now, expiresAt: retention.expiry(from: now),
            response: answer.retained(by: retention))
        try addKeyCount(1, of: lease.key.account, &engine)
        let key = KeyTables.responseKey(lease.key)
        let value = KeyTables.seal(record.encode(), key: key, table: tables.keys)
        try engine.set(value.rawSpan, forKey: key.rawSpan, in: tables.keys)
        let expiryKey = KeyTables.expiryKey(record.expiresAt, lease.key)
        let entry = KeyTables.seal([], key: expiryKey, table: tables.expiry)
        try engine.set(entry.rawSpan, forKey: expiryKey.rawSpan, in: tables.expiry)
    }

    /// Removes up to ``evictedAtOnce`` expired responses, the oldest first.
    private func evict(at now: Int64, _ engine: inout WriteTransaction) throws {
        var expired: [(account: String, key: [UInt8])] = []
        let start = KeyTables.lowestKey
        _ = try engine.withCursor(in: tables.expiry) { cursor in
            try cursor.removeWhile(from: start.rawSpan, limit: Self.evictedAtOnce) { entry in
                // A damaged index entry leads to no response, so only the entry is removed.
                guard let (expiresAt, account, key) = try? tables.parse(expiry: entry) else { return true }
                if expiresAt > now { return false }
                expired.append((account, key))
                return true
            }
        }
        for (account, key) in expired {
            // An unreadable record is kept: it is unknown whether its request was executed.
            guard let record = try? tables.record(key, in: engine.reader), !record.isRetained(at: now) else {
                continue
            }
            try addKeyCount(-1, of: account, &engine)
            try engine.remove(key.rawSpan, in: tables.keys)
        }
    }
}

/// The error that rolls back an effect whose response requests a retry.
private struct NotFinal: Error {
    let response: IdempotentResponse
}

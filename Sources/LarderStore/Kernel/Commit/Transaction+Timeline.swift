package import LarderFormat

extension ReadView {
    /// As ``Transaction/appliedPosition()``.
    package borrowing func appliedPosition() throws -> ServerPosition { try tables.counters(in: transaction).applied }
}

extension Transaction {
    /// The present timeline, and the sequence that the server's feed has reached in it.
    ///
    /// - Throws: ``StoreError/notAStore`` without counters; ``StoreError/damaged(table:reason:)``; ``EngineError``.
    package func appliedPosition() throws -> ServerPosition { try currentCounters().applied }

    /// Records that the feed has reached a sequence of the present timeline.
    ///
    /// Snapshots and responses to writes are not recorded: they may be ahead of a feed that lags, which is no rollback.
    ///
    /// - Throws: as ``appliedPosition()``.
    package mutating func advanceAppliedSequence(to sequence: Int64) throws {
        guard try currentCounters().applied.sequence < sequence else { return }
        try updateCounters { $0.applied.sequence = sequence }
    }

    /// The time when a server was last found restored, in milliseconds since 1970-01-01 UTC.
    ///
    /// - Throws: as ``appliedPosition()``.
    package func restoredAt() throws -> Int64? { try currentCounters().restoredAt }

    /// Begins a new timeline, whose server sequences are unrelated to those of older ones.
    ///
    /// Filters of an older timeline are bootstrapped by their next run; readers see the old rows until then.
    ///
    /// - Parameter now: the time at which the server was found restored from a backup, in milliseconds since 1970-01-01
    ///   UTC; nil where the content is of another server from now on.
    /// - Throws: as ``appliedPosition()``.
    package mutating func beginTimeline(restoredAt now: Int64? = nil) throws {
        try updateCounters { counters in
            // A record with a higher timeline could not be read; only a crafted file reaches it.
            counters.applied = ServerPosition(min(counters.applied.timeline + 1, .max - 1), 0)
            counters.restoredAt = now
        }
    }
}

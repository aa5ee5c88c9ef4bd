package import LarderFormat

extension ReadView {
    /// As ``Transaction/appliedPosition()``.
    package borrowing func appliedPosition() throws -> ServerPosition { try tables.counters(in: transaction).applied }
}

extension Transaction {
    /// How far syncing has come: the present timeline, and how far the server's feed has come in it.
    package func appliedPosition() throws -> ServerPosition { try currentCounters().applied }

    /// Notes that the feed has come to a sequence of the present timeline.
    ///
    /// Not for snapshots and answers to writes: these may be ahead of a feed that lags, which is no server that went back.
    package mutating func noteApplied(_ sequence: Int64) throws {
        guard try currentCounters().applied.sequence < sequence else { return }
        try updateCounters { $0.applied.sequence = sequence }
    }

    /// When a server was last found restored, in milliseconds since 1970-01-01 UTC.
    package func restoredAt() throws -> Int64? { try currentCounters().restoredAt }

    /// Begins a new timeline: what the server counts from now on has nothing to do with what was counted before.
    ///
    /// Filters of an older one are bootstrapped by their next run; what readers see stays until then.
    ///
    /// - Parameter now: the time at which the server was found restored from a backup, in milliseconds since 1970-01-01 UTC;
    ///   nil where the content is of another server from now on.
    package mutating func beginTimeline(restoredAt now: Int64? = nil) throws {
        try updateCounters { counters in
            // A record of a higher one could not be read; only a crafted file has come so far.
            counters.applied = ServerPosition(min(counters.applied.timeline + 1, .max - 1), 0)
            counters.restoredAt = now
        }
    }
}

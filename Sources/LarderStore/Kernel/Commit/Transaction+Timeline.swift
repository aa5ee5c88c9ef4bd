package import LarderFormat

extension ReadView {
    /// As ``Transaction/appliedPosition()``.
    package borrowing func appliedPosition() throws -> ServerPosition { try tables.counters(in: transaction).applied }
}

extension Transaction {
    /// How far syncing has come: the present timeline, and the highest sequence of it that was applied to anything.
    package func appliedPosition() throws -> ServerPosition { try currentCounters().applied }

    /// Notes that something up to a sequence of the present timeline was applied.
    package mutating func noteApplied(_ sequence: Int64) throws {
        guard try currentCounters().applied.sequence < sequence else { return }
        try updateCounters { $0.applied.sequence = sequence }
    }

    /// Begins a new timeline: the server was restored from a backup, and counts anew from an earlier place.
    ///
    /// Filters of an older one are bootstrapped by their next run; what readers see stays until then.
    package mutating func beginTimeline() throws {
        // A record of a higher one could not be read; only a crafted file has come so far.
        try updateCounters { $0.applied = ServerPosition(min($0.applied.timeline + 1, .max - 1), 0) }
    }
}

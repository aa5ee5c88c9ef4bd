internal import LarderFormat

/// The number and size of the entries to be sent.
public struct PendingOutbox: Hashable, Sendable {
    /// The entries that are neither failed nor rejected.
    public let entries: Int
    /// The bytes of their records and bodies.
    public let byteCount: Int64

    init(_ counters: CountersRecord) {
        entries = Int(clamping: counters.pendingEntries)
        byteCount = counters.pendingBytes
    }
}

extension Transaction {
    /// Returns the sequence that the outbox assigns next.
    func nextOutboxSequence() throws -> Int64 { try currentCounters().nextOutboxSequence }

    /// Returns the number and size of the entries to be sent.
    func pendingCounts() throws -> PendingOutbox { PendingOutbox(try currentCounters()) }

    /// Adds to the counts of the entries to be sent.
    mutating func adjustPendingCounts(entries: Int64, byteCount: Int64) throws {
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        try updateCounters { counters in
            counters.pendingEntries = max(0, counters.pendingEntries.addingReportingOverflow(entries).partialValue)
            counters.pendingBytes = max(0, counters.pendingBytes.addingReportingOverflow(byteCount).partialValue)
        }
    }

    /// Sets the counts of the entries to be sent to zero.
    mutating func resetPendingCounts() throws {
        let pending = try currentCounters()
        if pending.pendingEntries != 0 || pending.pendingBytes != 0 {
            try adjustPendingCounts(entries: -pending.pendingEntries, byteCount: -pending.pendingBytes)
        }
    }
}

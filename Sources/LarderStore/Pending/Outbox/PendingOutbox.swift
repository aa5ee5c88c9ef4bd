internal import LarderFormat

/// What is to be sent.
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
    /// The sequence that the outbox gives next.
    func nextOutboxSequence() throws -> Int64 { try currentCounters().nextOutboxSequence }

    /// What is to be sent.
    func pendingCounts() throws -> PendingOutbox { PendingOutbox(try currentCounters()) }

    /// Counts what is to be sent.
    mutating func countPending(entries: Int64, byteCount: Int64) throws {
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        try updateCounters { counters in
            counters.pendingEntries = max(0, counters.pendingEntries.addingReportingOverflow(entries).partialValue)
            counters.pendingBytes = max(0, counters.pendingBytes.addingReportingOverflow(byteCount).partialValue)
        }
    }

    /// Counts nothing as to be sent.
    mutating func forgetPending() throws {
        let pending = try currentCounters()
        if pending.pendingEntries != 0 || pending.pendingBytes != 0 {
            try countPending(entries: -pending.pendingEntries, byteCount: -pending.pendingBytes)
        }
    }
}

/// The record `meta` ("counters"): the next number of each kind, the size of the pending outbox, the stored size, and
/// the progress of syncing.
///
/// FORMAT.md, "meta". A number is never assigned twice, not even after the object with it was deleted.
package struct CountersRecord: TupleRecord, Hashable, Sendable {
    /// The number of the next generation.
    package var nextGeneration: Int64 = 1
    /// The sequence of the next outbox entry, over all lanes.
    package var nextOutboxSequence: Int64 = 1
    /// The number of the next filter.
    package var nextFilter: Int64 = 1
    /// The sequence of the next journal record.
    package var nextJournalSequence: Int64 = 1
    /// The number of the next blob.
    package var nextBlob: Int64 = 1
    /// The number of the next secondary index.
    package var nextIndex: Int64 = 1
    /// The number of the next collection.
    package var nextCollection: Int64 = 1
    /// The entries of the outbox that are to be sent: neither failed nor rejected.
    package var pendingEntries: Int64 = 0
    /// The bytes that the pending entries count for.
    package var pendingBytes: Int64 = 0
    /// The bytes of all keys and values of every table but `meta`.
    package var storedSize: Int64 = 0
    /// The present timeline, and the applied sequence of the server's feed in it.
    package var applied = ServerPosition.zero
    /// When a server was last found restored, in milliseconds since 1970-01-01 UTC; nil when none was.
    package var restoredAt: Int64?

    /// The counters of an empty store: every number begins at 1.
    package init() {}

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.count("nextGeneration", &nextGeneration)
        coder.count("nextOutboxSequence", &nextOutboxSequence)
        coder.count("nextFilter", &nextFilter)
        coder.count("nextJournalSequence", &nextJournalSequence)
        coder.count("nextBlob", &nextBlob)
        coder.count("nextIndex", &nextIndex)
        coder.count("nextCollection", &nextCollection)
        coder.count("pendingEntries", &pendingEntries)
        coder.count("pendingBytes", &pendingBytes)
        coder.count("storedSize", &storedSize)
        applied.codeFields(&coder)
        coder.trailing(&restoredAt)
    }

    /// The key, ("counters").
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "counters") } }
}

/// The record `meta` ("counters"): the next number of each kind, what is to be sent, and the stored size.
///
/// FORMAT.md, "meta". A number is never given twice, not even after what it named was deleted.
package struct CountersRecord: Hashable, Sendable {
    /// The number of the next generation.
    package var nextGeneration: Int64
    /// The sequence of the next outbox entry, over all lanes.
    package var nextOutboxSequence: Int64
    /// The number of the next filter.
    package var nextFilter: Int64
    /// The sequence of the next journal record.
    package var nextJournalSequence: Int64
    /// The number of the next blob.
    package var nextBlob: Int64
    /// The number of the next secondary index.
    package var nextIndex: Int64
    /// The number of the next collection.
    package var nextCollection: Int64
    /// The entries of the outbox that are to be sent: neither failed nor rejected.
    package var pendingEntries: Int64
    /// The bytes they count for.
    package var pendingBytes: Int64
    /// The bytes of all keys and values of every table but `meta`.
    package var storedSize: Int64

    /// The counters of an empty store: every number begins at 1.
    package init() {
        nextGeneration = 1
        nextOutboxSequence = 1
        nextFilter = 1
        nextJournalSequence = 1
        nextBlob = 1
        nextIndex = 1
        nextCollection = 1
        pendingEntries = 0
        pendingBytes = 0
        storedSize = 0
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        nextGeneration = try reader.count("nextGeneration")
        nextOutboxSequence = try reader.count("nextOutboxSequence")
        nextFilter = try reader.count("nextFilter")
        nextJournalSequence = try reader.count("nextJournalSequence")
        nextBlob = try reader.count("nextBlob")
        nextIndex = try reader.count("nextIndex")
        nextCollection = try reader.count("nextCollection")
        pendingEntries = try reader.count("pendingEntries")
        pendingBytes = try reader.count("pendingBytes")
        storedSize = try reader.count("storedSize")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: nextGeneration)
        writer.append(integer: nextOutboxSequence)
        writer.append(integer: nextFilter)
        writer.append(integer: nextJournalSequence)
        writer.append(integer: nextBlob)
        writer.append(integer: nextIndex)
        writer.append(integer: nextCollection)
        writer.append(integer: pendingEntries)
        writer.append(integer: pendingBytes)
        writer.append(integer: storedSize)
        return writer.bytes
    }

    /// The key, ("counters").
    package static var key: [UInt8] {
        var writer = TupleWriter()
        writer.append(text: "counters")
        return writer.bytes
    }
}

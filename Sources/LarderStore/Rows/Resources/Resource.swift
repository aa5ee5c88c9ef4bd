public import LarderFormat

/// The metadata of one resource.
public struct Resource: Hashable, Sendable {
    /// Group and number.
    public let key: ResourceKey
    /// The state of the resource for readers.
    public let state: ResourceState
    /// The generation readers see; never used twice.
    public let generation: Int64?
    /// The generation being written, if any.
    public let stagingGeneration: Int64?
    /// The position up to which its rows contain the server's changes.
    package let applied: ServerPosition
    /// The server's path of its snapshot.
    public let snapshotPath: String?
    /// The server's rows that readers see; local writes are not counted.
    public let rowCount: Int
    /// Bytes of their keys and values.
    public let byteCount: Int
    /// When all of its rows were last replaced or compared, by a snapshot or by a pass over a list, in milliseconds since
    /// 1970-01-01 UTC; changes of single rows leave it.
    public let syncedAt: Int64?
    /// The server's time of the last change of its rows, in milliseconds since 1970-01-01 UTC; nil when not known.
    public let changedAt: Int64?
    /// The version of the payloads' schema, as the server or the program that wrote the rows states it.
    public let schemaVersion: Int64?
    /// Whether it is exempt from eviction by the cap.
    public let isPinned: Bool
    /// The number of its rows that have overlays; several writes may overlay one row.
    public let overlayCount: Int
    /// About when its rows were last read, in milliseconds since 1970-01-01 UTC.
    public let usedAt: Int64?
    /// The bytes of its rows when they were last evicted; nil when they never were.
    public let evictedByteCount: Int?

    /// The highest server sequence its rows contain.
    public var appliedSequence: Int64 { applied.sequence }
    /// The timeline of that sequence: of two rows the one of the higher timeline is newer, whatever the sequences.
    public var timeline: Int64 { applied.timeline }

    init(_ key: ResourceKey, _ record: ResourceRecord) {
        self.key = key
        state = record.state
        generation = record.liveGeneration
        stagingGeneration = record.stagingGeneration
        applied = record.applied
        snapshotPath = record.snapshotPath
        rowCount = Int(clamping: record.rowCount)
        byteCount = Int(clamping: record.byteCount)
        syncedAt = record.syncedAt
        changedAt = record.changedAt
        schemaVersion = record.schemaVersion
        isPinned = record.isPinned
        overlayCount = Int(clamping: record.overlays)
        usedAt = record.usedAt
        evictedByteCount = record.evictedBytes == 0 ? nil : Int(clamping: record.evictedBytes)
    }
}

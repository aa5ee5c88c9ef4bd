/// The state of a resource for readers, by its number in FORMAT.md, "resources".
public enum ResourceState: Int64, Hashable, Sendable, CaseIterable {
    /// A snapshot is stored.
    case ready = 0
    /// The server withdrew it; its rows are gone and its floor is kept.
    case hidden = 1
    /// Its rows were dropped to free space.
    case evicted = 2
    /// Known, without a snapshot: none was stored yet, or no filter holds the resource any more.
    case empty = 3
}

/// A record of `resources`: what is known of one resource.
///
/// FORMAT.md, "resources". Key: (group, id).
package struct ResourceRecord: TupleRecord, Hashable, Sendable {
    /// What a reader may see.
    package var state = ResourceState.empty
    /// The generation readers see.
    package var liveGeneration: Int64?
    /// The rows of it that local writes lie over.
    package var overlays: Int64 = 0
    /// The generation being written.
    package var stagingGeneration: Int64?
    /// Up to where changes are already in: what is at or below never applies. It never descends.
    package var applied = ServerPosition.zero
    /// Where the server offers the full copy.
    package var snapshotPath: String?
    /// The rows of the live generation.
    package var rowCount: Int64 = 0
    /// The bytes of the live generation.
    package var byteCount: Int64 = 0
    /// When the resource was last known to be current, in milliseconds since 1970-01-01 UTC.
    package var syncedAt: Int64?
    /// When its content last changed here, in milliseconds since 1970-01-01 UTC.
    package var changedAt: Int64?
    /// The host's schema version of the payloads.
    package var schemaVersion: Int64?
    /// Whether eviction leaves it alone.
    package var isPinned = false
    /// About when its rows were last read, in milliseconds since 1970-01-01 UTC.
    package var usedAt: Int64?
    /// The bytes of its rows when they were last evicted; 0 when they never were.
    package var evictedBytes: Int64 = 0
    /// Why its snapshot could not be brought in, since one last was; nil when nothing failed.
    package var failure: SnapshotFailure?

    /// The sequence of ``applied``.
    package var floor: Int64 {
        get { applied.sequence }
        set { applied.sequence = newValue }
    }

    /// Whether it has rows, and nothing was synced of it: all that is there was made here.
    package var isMadeHere: Bool { liveGeneration != nil && syncedAt == nil }

    /// The record of a resource of which nothing is there yet.
    package init() {}

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.state("state", &state)
        coder.count("liveGeneration", &liveGeneration)
        coder.count("overlays", &overlays)
        coder.count("stagingGeneration", &stagingGeneration)
        applied.codeFields(&coder)
        coder.text(&snapshotPath)
        coder.count("rowCount", &rowCount)
        coder.count("byteCount", &byteCount)
        coder.integer(&syncedAt)
        coder.integer(&changedAt)
        coder.integer(&schemaVersion)
        coder.bool(&isPinned)
        coder.integer(&usedAt)
        coder.count("evictedBytes", &evictedBytes)
        coder.trailing(&failure)
    }

    /// Reads only what a reader of rows needs: the generation that is shown, or `nil` when none is, and whether
    /// overlays lie over it.
    package static func visibility(
        decoding body: RawSpan
    ) throws(FormatError) -> (generation: Int64?, hasOverlays: Bool) {
        var reader = TupleReader(body)
        let state = try reader.state("state", as: ResourceState.self)
        let live = try reader.optionalCount("liveGeneration")
        let overlays = try reader.count("overlays")
        return (state == .ready ? live : nil, overlays > 0)
    }

    /// Appends the key of a resource.
    package static func appendKey(_ resource: ResourceKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(resource: resource)
    }

    /// The bytes that the key of every resource of `group` begins with.
    package static func prefix(group: String) -> [UInt8] {
        TupleWriter.bytes { $0.append(text: group) }
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> ResourceKey {
        var reader = TupleReader(key)
        let resource = try reader.resource()
        try reader.end()
        return resource
    }
}

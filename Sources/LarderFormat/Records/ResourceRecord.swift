/// A record of `resources`: what is known of one resource.
///
/// FORMAT.md, "resources". Key: (group, id).
package struct ResourceRecord: Hashable, Sendable {
    /// What a reader may see of the resource.
    package enum State: Int64, Sendable, CaseIterable {
        /// A full copy is there.
        case ready = 0
        /// The server deleted or hid it; the record stays for its floor, and no row is shown.
        case hidden = 1
        /// The copy was dropped to make room.
        case evicted = 2
        /// Known, without a full copy: not come yet, or swept.
        case empty = 3
    }

    /// What a reader may see.
    package var state: State
    /// The generation readers see.
    package var liveGeneration: Int64?
    /// The rows of it that local writes lie over.
    package var overlays: Int64
    /// The generation being written.
    package var stagingGeneration: Int64?
    /// The sequence up to which changes are already in: what is at or below never applies.
    package var floor: Int64
    /// Where the server offers the full copy.
    package var snapshotPath: String?
    /// The rows of the live generation.
    package var rowCount: Int64
    /// The bytes of the live generation.
    package var byteCount: Int64
    /// When the resource was last known to be current, in milliseconds since 1970-01-01 UTC.
    package var syncedAt: Int64?
    /// When its content last changed here, in milliseconds since 1970-01-01 UTC.
    package var changedAt: Int64?
    /// The host's schema version of the payloads.
    package var schemaVersion: Int64?
    /// Whether eviction leaves it alone.
    package var isPinned: Bool
    /// About when its rows were last read, in milliseconds since 1970-01-01 UTC.
    package var usedAt: Int64?
    /// The bytes of its rows when they were last evicted; 0 when they never were.
    package var evictedBytes: Int64
    /// Why its snapshot could not be brought in, since one last was; nil when nothing failed.
    package var failure: SnapshotFailure?

    /// The record of a resource of which nothing is there yet.
    package init() {
        state = .empty
        overlays = 0
        floor = 0
        rowCount = 0
        byteCount = 0
        isPinned = false
        evictedBytes = 0
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        state = try reader.state("state", as: State.self)
        liveGeneration = try reader.optionalCount("liveGeneration")
        overlays = try reader.count("overlays")
        stagingGeneration = try reader.optionalCount("stagingGeneration")
        floor = try reader.integer()
        snapshotPath = try reader.optionalText()
        rowCount = try reader.count("rowCount")
        byteCount = try reader.count("byteCount")
        syncedAt = try reader.optionalInteger()
        changedAt = try reader.optionalInteger()
        schemaVersion = try reader.optionalInteger()
        isPinned = try reader.bool()
        usedAt = try reader.optionalInteger()
        evictedBytes = try reader.count("evictedBytes")
        // Written only where there is one; what else follows is of a later version.
        failure = reader.isAtBytes ? try SnapshotFailure(decoding: reader.bytes()) : nil
    }

    /// Reads only what a reader of rows needs: the generation that is shown, or `nil` when none is, and whether
    /// overlays lie over it.
    package static func visibility(
        decoding body: RawSpan
    ) throws(FormatError) -> (generation: Int64?, hasOverlays: Bool) {
        var reader = TupleReader(body)
        let state = try reader.state("state", as: State.self)
        let live = try reader.optionalCount("liveGeneration")
        let overlays = try reader.count("overlays")
        return (state == .ready ? live : nil, overlays > 0)
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: state.rawValue)
        writer.append(optionalInteger: liveGeneration)
        writer.append(integer: overlays)
        writer.append(optionalInteger: stagingGeneration)
        writer.append(integer: floor)
        writer.append(optionalText: snapshotPath)
        writer.append(integer: rowCount)
        writer.append(integer: byteCount)
        writer.append(optionalInteger: syncedAt)
        writer.append(optionalInteger: changedAt)
        writer.append(optionalInteger: schemaVersion)
        writer.append(bool: isPinned)
        writer.append(optionalInteger: usedAt)
        writer.append(integer: evictedBytes)
        if let failure { writer.append(bytes: failure.encode()) }
        return writer.bytes
    }

    /// Appends the key of a resource.
    package static func appendKey(_ resource: ResourceKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(resource: resource)
    }

    /// The bytes that the key of every resource of `group` begins with.
    package static func prefix(group: String) -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: group)
        return writer.bytes
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> ResourceKey {
        var reader = TupleReader(key)
        let resource = try reader.resource()
        try reader.end()
        return resource
    }
}

/// The state of a resource for readers, by its number in FORMAT.md, "resources".
public enum ResourceState: Int64, Hashable, Sendable, CaseIterable {
    /// The live generation is shown.
    case ready = 0
    /// The server deleted or hid the resource; its rows are removed and its applied sequence is kept.
    case hidden = 1
    /// Its rows were dropped to free space.
    case evicted = 2
    /// The resource is known, without a snapshot: none was stored yet, or no filter contains the resource any more.
    case empty = 3
}

/// A record of `resources`: the state of one resource.
///
/// FORMAT.md, "resources". Key: (group, id).
package struct ResourceRecord: TupleRecord, Hashable, Sendable {
    /// The state for readers.
    package var state = ResourceState.empty
    /// The generation that readers see.
    package var liveGeneration: Int64?
    /// The number of its rows that have overlays.
    package var overlays: Int64 = 0
    /// The generation being written.
    package var stagingGeneration: Int64?
    /// The highest position that its rows contain: a change at or below it is never applied. It
    /// descends only in a resource without synced rows.
    package var applied = ServerPosition.zero
    /// The path of the snapshot on the server.
    package var snapshotPath: String?
    /// The rows of the live generation.
    package var rowCount: Int64 = 0
    /// The bytes of the live generation.
    package var byteCount: Int64 = 0
    /// When all of its rows were last replaced or compared, by a snapshot or by a pass over a list, in milliseconds since
    /// 1970-01-01 UTC; changes of single rows leave it.
    package var syncedAt: Int64?
    /// The server's time of the last change of its rows, in milliseconds since 1970-01-01 UTC.
    package var changedAt: Int64?
    /// The version of the payloads' schema, as the server or the program that wrote the rows states it.
    package var schemaVersion: Int64?
    /// Whether eviction skips the resource.
    package var isPinned = false
    /// Approximately when its rows were last read, in milliseconds since 1970-01-01 UTC.
    package var usedAt: Int64?
    /// The bytes of its rows when they were last evicted; 0 when they never were.
    package var evictedBytes: Int64 = 0
    /// The failure to fetch or store its snapshot, since one was last stored; nil when nothing failed.
    package var failure: SnapshotFailure?

    /// The sequence of ``applied``.
    package var appliedSequence: Int64 {
        get { applied.sequence }
        set { applied.sequence = newValue }
    }

    /// Whether the resource has rows and no snapshot or finished pass: they were made here, or are those of a first pass.
    package var isLocalOnly: Bool { liveGeneration != nil && syncedAt == nil }

    /// Creates the record of a resource without content.
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

    /// Reads only the part that a reader of rows needs: the generation that is shown, or `nil` when none is, and
    /// whether it has overlays.
    ///
    /// - Throws: ``FormatError/invalidValue(field:value:)`` for an unknown state or a negative number; else as
    ///   ``TupleReader``.
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
    ///
    /// - Throws: ``FormatError/keyTooLong(actual:limit:)`` beyond ``Limits/key``.
    package static func appendKey(_ resource: ResourceKey, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(resource: resource)
    }

    /// Returns the prefix of the keys of all resources of `group`.
    package static func prefix(group: String) -> [UInt8] {
        TupleWriter.bytes { $0.append(text: group) }
    }

    /// Reads a key.
    ///
    /// - Throws: ``FormatError/trailingBytes(offset:)``; else as ``TupleReader``.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> ResourceKey {
        var reader = TupleReader(key)
        let resource = try reader.resource()
        try reader.checkEnd()
        return resource
    }
}

internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Puts a row into the server's visible rows of its resource, in place of the existing one.
    ///
    /// A resource without rows becomes ready with this one.
    ///
    /// - Parameters:
    ///   - payload: copied before this returns.
    ///   - key: the row to put.
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - codec: how the payload is to be read.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits;
    ///   ``StoreError/damaged(table:reason:)`` for a damaged old row or generation record; `EngineError`.
    public mutating func put(
        _ payload: RawSpan, at key: RowKey, updatedAt: Int64, codec: PayloadCodec = .json
    ) throws {
        try encoding {
            try Limits.check(payload: payload.byteCount)
            try RowKeyCoding.checkBudget(resource: key.resource, type: key.type, key: key.key)
        }
        let merged = try ensureVisibleRows(of: key.resource)
        let source = merged.rows
        let indexes = try rowIndexes(over: key.resource, type: key.type)
        var changes = IndexChanges()
        var encoded = KeyBuffer()
        try source.appendKey(type: key.type, key: key.key, to: &encoded)
        var value: [UInt8] = []
        Record.seal(
            row: payload, updatedAt: updatedAt, codec: codec, key: encoded.bytes, seed: source.seed, into: &value)
        var tally = RowTally()
        let old = try subtract(key.key, encoded.bytes, source, indexes, from: &tally, &changes)
        tally.add(key: encoded.count, value: value.count, checksum: try Self.checksum(of: value.rawSpan))
        let stored = try compressed(value.rawSpan, of: key.resource.group)
        try put(value.rawSpan, as: stored, key: encoded.bytes, in: .rows, replacing: old)
        if let indexes {
            changes.put(
                try indexes.entries(
                    in: .generation(source.generation), key: key.key, payload: payload, codec: codec))
            try apply(changes)
        }
        try count(tally, of: key, in: source)
        try markChanged(RowChange(key: key, isRemoval: false, isOverlaid: merged.hasOverlays))
    }

    /// Puts a row whose payload is an array; otherwise as ``put(_:at:updatedAt:codec:)-(RawSpan,_,_,_)``.
    ///
    /// - Throws: as that function.
    public mutating func put(
        _ payload: [UInt8], at key: RowKey, updatedAt: Int64, codec: PayloadCodec = .json
    ) throws {
        try put(payload.rawSpan, at: key, updatedAt: updatedAt, codec: codec)
    }

    /// Removes a row from the server's visible rows of its resource.
    ///
    /// - Returns: false when it was not there.
    /// - Throws: as ``put(_:at:updatedAt:codec:)-(RawSpan,_,_,_)``.
    @discardableResult
    public mutating func removeRow(at key: RowKey) throws -> Bool {
        let merged = try mergedSource(of: key.resource)
        let source = merged.rows
        guard merged.hasRows else { return false }
        let indexes = try rowIndexes(over: key.resource, type: key.type)
        var changes = IndexChanges()
        var encoded = KeyBuffer()
        try source.appendKey(type: key.type, key: key.key, to: &encoded)
        var tally = RowTally()
        guard let size = try subtract(key.key, encoded.bytes, source, indexes, from: &tally, &changes) else {
            return false
        }
        try remove(encoded.bytes, in: .rows, size: size)
        try apply(changes)
        try count(tally, of: key, in: source)
        try markChanged(RowChange(key: key, isRemoval: true, isOverlaid: merged.hasOverlays))
        return true
    }

    /// Subtracts a stored row from `tally`, and adds the removal of its entries in `indexes` to `changes`.
    ///
    /// - Returns: the size of the value; nil when there is none.
    private borrowing func subtract(
        _ key: String, _ encoded: RawSpan, _ source: RowSource, _ indexes: RowIndexes?, from tally: inout RowTally,
        _ changes: inout IndexChanges
    ) throws -> Int? {
        guard let old = try engine.value(forKey: encoded, in: tables.rows) else { return nil }
        tally.remove(key: encoded.byteCount, value: old.byteCount, checksum: try Self.checksum(of: old))
        if let indexes { changes.remove(try indexEntries(of: old, rowKey: encoded, key: key, indexes, source)) }
        return old.byteCount
    }

    static func checksum(of value: RawSpan) throws(StoreError) -> UInt64 {
        try decoding(.rows) { () throws(FormatError) in try Record.checksum(of: value) }
    }

    /// The place of the visible rows of a resource, in a new generation when there is none.
    mutating func ensureVisibleRows(of resource: ResourceKey) throws -> ShownSource {
        var merged = try mergedSource(of: resource)
        if merged.hasRows { return merged }
        // Rows that are not shown, such as those of a hidden resource, must not come back with a new one.
        if let old = try record(of: resource)?.liveGeneration { try discardGeneration(old) }
        let generation = try makeGeneration(of: resource)
        try update(resource) {
            $0.state = .ready
            $0.liveGeneration = generation
        }
        merged.rows = RowSource(owner: resource, generation: generation, seed: merged.rows.seed)
        merged.hasRows = true
        return merged
    }
}

internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Puts a row into the server's visible rows of its resource, in place of the one there.
    ///
    /// A resource without rows becomes ready with this one.
    ///
    /// - Parameters:
    ///   - updatedAt: milliseconds since 1970-01-01 UTC.
    ///   - codec: how the payload is to be read.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits; ``EngineError``.
    public mutating func put(
        _ payload: RawSpan, at key: RowKey, updatedAt: Int64, codec: PayloadCodec = .json
    ) throws {
        do throws(FormatError) {
            try Limits.check(payload: payload.byteCount)
            try RowKeyCoding.checkBudget(resource: key.resource, type: key.type, key: key.key)
        } catch {
            throw StoreError.invalid(error)
        }
        let source = try visibleRows(of: key.resource)
        let indexes = try rowIndexes(over: key.resource, type: key.type)
        var changes = IndexChanges()
        var encoded = KeyBuffer()
        try source.appendKey(type: key.type, key: key.key, to: &encoded)
        var value: [UInt8] = []
        Record.seal(
            row: payload, updatedAt: updatedAt, codec: codec, key: encoded.bytes, seed: source.seed, into: &value)
        var tally = RowTally()
        if let old = try engine.value(forKey: encoded.bytes, in: tables.rows) {
            tally.remove(key: encoded.count, value: old.byteCount, checksum: try Self.checksum(of: old))
            if let indexes {
                changes.remove(try indexEntries(of: old, rowKey: encoded.bytes, key: key.key, indexes, source))
            }
        }
        tally.add(key: encoded.count, value: value.count, checksum: try Self.checksum(of: value.rawSpan))
        try put(value.rawSpan, key: encoded.bytes, in: .rows)
        if let indexes {
            changes.put(
                try indexes.entries(generation: source.generation, key: key.key, payload: payload, codec: codec))
            try apply(changes)
        }
        let isOverlaid = try apply(tally, source)
        try note(RowChange(key: key, isRemoval: false, isOverlaid: isOverlaid))
    }

    /// Puts a row whose payload is an array; otherwise as ``put(_:at:updatedAt:codec:)-(RawSpan,_,_,_)``.
    public mutating func put(
        _ payload: [UInt8], at key: RowKey, updatedAt: Int64, codec: PayloadCodec = .json
    ) throws {
        try put(payload.rawSpan, at: key, updatedAt: updatedAt, codec: codec)
    }

    /// Removes a row from the server's visible rows of its resource.
    ///
    /// - Returns: false when it was not there.
    @discardableResult
    public mutating func removeRow(at key: RowKey) throws -> Bool {
        guard let source = try tables.rowSource(of: key.resource, in: engine) else { return false }
        let indexes = try rowIndexes(over: key.resource, type: key.type)
        var changes = IndexChanges()
        var encoded = KeyBuffer()
        try source.appendKey(type: key.type, key: key.key, to: &encoded)
        var tally = RowTally()
        if let old = try engine.value(forKey: encoded.bytes, in: tables.rows) {
            tally.remove(key: encoded.count, value: old.byteCount, checksum: try Self.checksum(of: old))
            if let indexes {
                changes.remove(try indexEntries(of: old, rowKey: encoded.bytes, key: key.key, indexes, source))
            }
        }
        guard try remove(key: encoded.array(), in: .rows) else { return false }
        try apply(changes)
        let isOverlaid = try apply(tally, source)
        try note(RowChange(key: key, isRemoval: true, isOverlaid: isOverlaid))
        return true
    }

    static func checksum(of value: RawSpan) throws(StoreError) -> UInt64 {
        try decoding(.rows) { () throws(FormatError) in try Record.checksum(of: value) }
    }

    /// The visible generation of a resource, made when there is none.
    mutating func visibleRows(of resource: ResourceKey) throws -> RowSource {
        if let source = try tables.rowSource(of: resource, in: engine) { return source }
        // Rows that are not shown, such as those of a hidden resource, do not come back with a new one.
        if let old = try record(of: resource)?.liveGeneration { try discardGeneration(old) }
        let generation = try makeGeneration(of: resource)
        try update(resource) {
            $0.state = .ready
            $0.liveGeneration = generation
        }
        return RowSource(owner: resource, generation: generation)
    }

    /// Brings the records of a generation and its resource in line with a change of its rows.
    ///
    /// - Returns: whether local writes lie over rows of the resource.
    private mutating func apply(_ tally: RowTally, _ source: RowSource) throws -> Bool {
        guard var record = try tables.generation(source.generation, in: engine) else {
            let reason = FormatError.invalidValue(field: "liveGeneration", value: source.generation)
            throw StoreError.damaged(table: TableName.resources.rawValue, reason: reason)
        }
        try tally.apply(to: &record)
        try putGeneration(source.generation, record)
        var isOverlaid = false
        try update(source.owner) {
            $0.rowCount = record.rowCount
            $0.byteCount = record.byteCount
            isOverlaid = $0.overlays > 0
        }
        return isOverlaid
    }
}

/// What a change of rows does to the count, the bytes and the digest of their generation.
struct RowTally {
    private(set) var rows: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var digest: UInt64 = 0

    mutating func add(key: Int, value: Int, checksum: UInt64) {
        rows += 1
        bytes += Int64(key + value)
        digest &+= checksum
    }

    mutating func remove(key: Int, value: Int, checksum: UInt64) {
        rows -= 1
        bytes -= Int64(key + value)
        digest &-= checksum
    }

    /// - Throws: ``StoreError/damaged(table:reason:)`` when the record counts less than was removed, or too much.
    func apply(to record: inout GenerationRecord) throws(StoreError) {
        record.rowCount = try Self.sum(record.rowCount, rows, "rowCount")
        record.byteCount = try Self.sum(record.byteCount, bytes, "byteCount")
        record.digest &+= digest
    }

    private static func sum(_ count: Int64, _ change: Int64, _ field: String) throws(StoreError) -> Int64 {
        let (sum, overflow) = count.addingReportingOverflow(change)
        if overflow || sum < 0 {
            let reason = FormatError.invalidValue(field: field, value: count)
            throw .damaged(table: TableName.generations.rawValue, reason: reason)
        }
        return sum
    }
}

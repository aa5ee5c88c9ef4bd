internal import LarderEngine
internal import LarderFormat

/// Lookups that read views and write transactions share.
extension Tables {
    /// The verified body of `value`, or ``StoreError/damaged(table:reason:)``.
    @_lifetime(copy value)
    static func body(
        of value: RawSpan, key: RawSpan, table: TableName, seed: UInt64? = nil
    ) throws(StoreError) -> RawSpan {
        do throws(FormatError) {
            let codec = seed == nil ? RecordHeader.tupleCodec : nil
            return try Record.open(value, key: key, seed: seed ?? table.seed, codec: codec)
        } catch {
            throw .damaged(table: table.rawValue, reason: error)
        }
    }

    /// Decodes the record under `key`; nil when there is none.
    func record<Value>(
        _ key: borrowing RawSpan, _ name: TableName, in source: ReadTransaction,
        _ decode: (RawSpan) throws(FormatError) -> Value
    ) throws -> Value? {
        guard let value = try source.value(forKey: key, in: self[name]) else { return nil }
        let body = try Self.body(of: value, key: copy key, table: name)
        do throws(FormatError) {
            return try decode(body)
        } catch {
            throw StoreError.damaged(table: name.rawValue, reason: error)
        }
    }

    /// As ``record(_:_:in:_:)``, with a key that `build` builds.
    func record<Found: TupleRecord>(
        _ name: TableName, in source: ReadTransaction, as type: Found.Type = Found.self,
        key build: (inout KeyBuffer) throws -> Void
    ) throws -> Found? {
        let key = try KeyBuffer(build)
        return try record(key.bytes, name, in: source, Found.init(decoding:))
    }

    func format(in source: ReadTransaction) throws -> FormatRecord? {
        let key = FormatRecord.key
        return try record(key.rawSpan, .meta, in: source, FormatRecord.init(decoding:))
    }

    func counters(in source: ReadTransaction) throws -> CountersRecord {
        let key = CountersRecord.key
        let found = try record(key.rawSpan, .meta, in: source, CountersRecord.init(decoding:))
        guard let found else { throw StoreError.notAStore }
        return found
    }

    func resource(_ key: ResourceKey, in source: ReadTransaction) throws -> ResourceRecord? {
        try record(.resources, in: source, as: ResourceRecord.self) { try ResourceRecord.appendKey(key, to: &$0) }
    }

    func generation(_ number: Int64, in source: ReadTransaction) throws -> GenerationRecord? {
        try record(.generations, in: source, as: GenerationRecord.self) {
            try GenerationRecord.appendKey(number, to: &$0)
        }
    }

    func filter(_ number: Int64, in source: ReadTransaction) throws -> FilterState? {
        try record(.filters, in: source, as: FilterState.self) { try FilterState.appendKey(number, to: &$0) }
    }

    /// The owner that the first row of a generation names; nil when that row is missing or damaged.
    func owner(ofGeneration number: Int64, in source: ReadTransaction) throws -> ResourceKey? {
        let key = RowKeyCoding.prefix(generation: number)
        do {
            return try record(key.rawSpan, .rows, in: source, OwnerRecord.init(decoding:))?.owner
        } catch StoreError.damaged {
            return nil
        }
    }
}

internal import LarderEngine
internal import LarderFormat

extension Store {
    static func readFormat(_ environment: Environment) throws -> FormatAccess {
        try environment.read { transaction in try readFormat(in: transaction, environment.tables) }
    }

    /// The access that this version has to the file, in which some tables may be missing.
    ///
    /// - Throws: ``StoreError/notAStore``, ``StoreError/unsupportedFormat(_:)``, ``StoreError/damaged(table:reason:)``,
    ///   ``StoreError/tableLost(_:)``.
    static func readFormat(in transaction: ReadTransaction, _ tables: [String: Table]) throws -> FormatAccess {
        guard let meta = tables[TableName.meta.rawValue] else { throw StoreError.notAStore }
        let key = FormatRecord.key
        guard let value = try transaction.value(forKey: key.rawSpan, in: meta) else { throw StoreError.notAStore }
        let access = try formatAccess(of: value)
        // An empty table in its place would hide that writes and points were lost.
        if let lost = TableName.localOnly.first(where: { tables[$0.rawValue] == nil }) {
            throw StoreError.tableLost(lost.rawValue)
        }
        return access
    }

    /// The counters of the file, in which some tables may be missing; nil when it has none.
    static func readCounters(in transaction: ReadTransaction, _ tables: [String: Table]) throws -> CountersRecord? {
        let key = CountersRecord.key
        guard let meta = tables[TableName.meta.rawValue],
            let value = try transaction.value(forKey: key.rawSpan, in: meta)
        else { return nil }
        let body = try Tables.body(of: value, key: key.rawSpan, table: .meta)
        return try decoding(.meta) { () throws(FormatError) in try CountersRecord(decoding: body) }
    }

    /// The access that this version has to a file with this format record.
    ///
    /// - Throws: as ``readFormat(in:_:)``.
    static func formatAccess(of value: RawSpan) throws(StoreError) -> FormatAccess {
        let record = try formatRecord(of: value)
        do throws(FormatError) { return try record.access() } catch { throw formatFailure(error) }
    }

    /// Decodes a stored format record.
    ///
    /// - Throws: as ``readFormat(in:_:)``.
    static func formatRecord(of value: RawSpan) throws(StoreError) -> FormatRecord {
        do throws(FormatError) {
            let body = try Record.open(
                value, key: FormatRecord.key.rawSpan, seed: TableName.meta.seed, codec: RecordHeader.tupleCodec)
            return try FormatRecord(decoding: body)
        } catch {
            throw formatFailure(error)
        }
    }

    private static func formatFailure(_ error: FormatError) -> StoreError {
        switch error {
        case .notAStore: .notAStore
        // This is no damage: the record states its version before any field that another version may have changed.
        case .newerFormat, .olderFormat, .unknownFeatures: .unsupportedFormat(error)
        default: .damaged(table: TableName.meta.rawValue, reason: error)
        }
    }
}

extension WriteTransaction {
    /// Stores a record of `meta`.
    mutating func setMeta(_ key: [UInt8], _ record: some TupleRecord, in tables: Tables) throws(EngineError) {
        let value = Record.seal(body: record.encode().rawSpan, key: key.rawSpan, seed: TableName.meta.seed)
        try set(value.rawSpan, forKey: key.rawSpan, in: tables.meta)
    }
}

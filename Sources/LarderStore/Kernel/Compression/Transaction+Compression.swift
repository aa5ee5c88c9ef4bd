internal import LarderEngine
internal import LarderFormat

/// The compressors of the groups that a write transaction has written rows of.
private final class GroupCompressors: CommitState {
    var byGroup: [String: any RowCompressor] = [:]

    init(_ shared: SharedState) {}
}

extension Transaction {
    /// Returns the compressed form of the plain value of a row; nil where it is stored plain.
    ///
    /// - Parameter group: the group of the row's resource.
    func compressed(_ value: RawSpan, of group: String) throws -> [UInt8]? {
        guard let compression = shared.compression, compression.compresses(group) else { return nil }
        return compression.compressed(value, by: try compressor(of: group, compression))
    }

    /// Returns the compressor with the last dictionary of a group, which another process may have made.
    private func compressor(of group: String, _ compression: RowCompression) throws -> any RowCompressor {
        let compressors = state(GroupCompressors.self)
        if let known = compressors.byGroup[group] { return known }
        var found: (any RowCompressor)?
        do {
            if let number = try tables.dictionaries(in: engine).current(of: group) {
                found = try tables.compressor(number, compression, in: engine)
            }
        } catch StoreError.damaged {
            // Rows are written without a dictionary until the damage is repaired.
        }
        let compressor = found ?? compression.codec.plain
        compressors.byGroup[group] = compressor
        return compressor
    }

    /// Stores a new dictionary of a group, with which later commits compress its rows; returns its number.
    ///
    /// This commit does not: a compressor that all transactions share would have the number, which is assigned again where
    /// the commit fails.
    mutating func addDictionary(_ content: [UInt8], of group: String) throws -> UInt32 {
        if let compression = shared.compression { _ = try compressor(of: group, compression) }
        var record = try tables.dictionaries(in: engine)
        guard let number = UInt32(exactly: record.next) else {
            let reason = FormatError.invalidValue(field: "next", value: record.next)
            throw StoreError.damaged(table: TableName.meta.rawValue, reason: reason)
        }
        record.next += 1
        record.entries.append(.init(number: Int64(number), group: group))
        try put(body: record.encode(), key: DictionariesRecord.key, in: .meta)
        let dictionary = DictionaryRecord(number: number, content: content)
        try put(body: dictionary.encode(), key: DictionaryRecord.key(number), in: .meta)
        return number
    }

    /// Removes the dictionaries of a group with lower numbers, which no row names any more.
    mutating func removeDictionaries(of group: String, below number: UInt32) throws {
        var record = try tables.dictionaries(in: engine)
        let outdated = record.entries.filter { $0.group.equalsBytewise(group) && $0.number < Int64(number) }
        if outdated.isEmpty { return }
        record.entries.removeAll { outdated.contains($0) }
        try put(body: record.encode(), key: DictionariesRecord.key, in: .meta)
        for entry in outdated { try remove(key: DictionaryRecord.key(UInt32(clamping: entry.number)), in: .meta) }
    }

    /// Removes all dictionaries, when no row is left: they have content of rows. Their numbers are not assigned again.
    mutating func clearDictionaries() throws {
        var keys: [[UInt8]] = []
        try tables.forEachRaw(.meta, prefix: DictionaryRecord.prefix, in: engine) { entry in
            keys.append([UInt8](copying: entry.key))
            return true
        }
        if keys.isEmpty { return }
        var record = DictionariesRecord()
        // A damaged record does not say which numbers were assigned: far fewer than this.
        record.next = (try? tables.dictionaries(in: engine).next) ?? 1 << 24
        try put(body: record.encode(), key: DictionariesRecord.key, in: .meta)
        for key in keys { try remove(key: key, in: .meta) }
    }
}

extension Tables {
    /// The dictionaries of the store.
    func dictionaries(in source: ReadTransaction) throws -> DictionariesRecord {
        let key = DictionariesRecord.key
        return try record(key.rawSpan, .meta, in: source, DictionariesRecord.init(decoding:)) ?? DictionariesRecord()
    }

    /// The compressor with a dictionary; nil where that is missing or damaged.
    fileprivate func compressor(
        _ dictionary: UInt32, _ compression: RowCompression, in source: ReadTransaction
    ) throws -> (any RowCompressor)? {
        if let known = compression.compressor(dictionary) { return known }
        let key = DictionaryRecord.key(dictionary)
        guard let record = try source.value(forKey: key.rawSpan, in: meta) else { return nil }
        compression.load(record, of: key)
        return compression.compressor(dictionary)
    }
}

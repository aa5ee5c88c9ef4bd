internal import LarderEngine
package import LarderFormat

extension ReadView {
    /// Returns copies of the next records of `table` in key order, unverified, up to the limits of one page.
    ///
    /// Use it in tools that read everything. Apps read rows with ``forEachRow(in:reversed:limit:verified:_:)``.
    ///
    /// - Parameters:
    ///   - key: the last key of the page before, behind which this one begins; nil begins with the first.
    ///   - prefix: only keys that begin with it.
    ///   - limit: the most records; at least one.
    ///   - bytes: the size at which the page ends, in bytes; the record that reaches it still belongs to it.
    /// - Returns: no records when there are none left.
    /// - Throws: ``EngineError``; ``EngineError/corrupted`` where the records are not in the order of their keys.
    package borrowing func rawRecords(
        of table: TableName, after key: [UInt8]? = nil, prefix: [UInt8] = [], limit: Int = 1024, bytes: Int = 1 << 20
    ) throws -> [RawRecord] {
        var page: [RawRecord] = []
        var size = 0
        try tables.forEachRaw(table, prefix: prefix, from: key, in: transaction) { entry in
            if let key, page.isEmpty, entry.key.equals(key.rawSpan) { return true }
            // In a page whose order is damaged, a seek may lead back, and reading page after page would not end.
            if let last = page.last?.key ?? key, !last.rawSpan.lexicographicallyPrecedes(entry.key) {
                throw EngineError.corrupted
            }
            page.append(RawRecord(key: [UInt8](copying: entry.key), value: [UInt8](copying: entry.value)))
            size += entry.key.byteCount + entry.value.byteCount
            return page.count < limit && size < bytes
        }
        return page
    }

    /// Returns the number of records in `table`.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func recordCount(of table: TableName) throws -> Int {
        try transaction.statistics(of: tables[table]).entries
    }

    /// Returns the store's format record.
    ///
    /// - Throws: ``StoreError/notAStore``, ``StoreError/damaged(table:reason:)``.
    package borrowing func format() throws -> FormatRecord {
        guard let record = try tables.format(in: transaction) else { throw StoreError.notAStore }
        return record
    }

    /// Returns what a diagnostic copy is of; nil for a store.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    package borrowing func diagnostics() throws -> DiagnosticsRecord? {
        let key = DiagnosticsRecord.key
        return try tables.record(key.rawSpan, .meta, in: transaction, DiagnosticsRecord.init(decoding:))
    }
}

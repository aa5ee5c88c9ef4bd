public import LarderFormat

extension ReadView {
    /// Calls `body` with each row of a collection that is stored, in its order.
    ///
    /// - Returns: the rows it holds that are not stored: with any, the collection is incomplete.
    /// - Throws: ``StoreError/damaged(table:reason:)``; what `body` throws, which ends the walk.
    public borrowing func forEachRow(
        of collection: StoredCollection, _ body: (RowKey, borrowing Row) throws -> Void
    ) throws -> [RowKey] {
        var missing: [RowKey] = []
        for key in try rowKeys(of: collection) {
            guard let row = try row(at: key) else {
                missing.append(key)
                continue
            }
            try body(key, row)
        }
        return missing
    }

    /// Copies of a collection's rows, in its order, and the names of those that are not stored.
    public borrowing func rows(of collection: StoredCollection) throws -> CollectionRows {
        var rows: [StoredRow] = []
        let missing = try forEachRow(of: collection) { key, row in
            rows.append(
                StoredRow(
                    key: key, updatedAt: row.updatedAt, codec: row.codec, payload: [UInt8](copying: row.payload)))
        }
        return CollectionRows(rows: rows, missing: missing)
    }
}

public import LarderFormat

extension ReadView {
    /// Calls `body` with each stored row of a collection, in the collection's order.
    ///
    /// - Returns: the rows that it holds and the store does not: with any, the collection is incomplete.
    /// - Throws: ``StoreError/damaged(table:reason:)``; the errors of `body`, which end the iteration.
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

    /// Returns copies of a collection's rows, in its order, and the keys of those that are not stored.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
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

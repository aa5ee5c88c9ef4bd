internal import LarderEngine
internal import LarderFormat

// A record whose key is damaged is not found, and nothing compares its checksum, which covers the key. But the order of
// keys is checked with each page, so it lies between the same records as before. A read that finds nothing therefore
// verifies the records beside the place, and a walk over a range the one before it and the one after it. Write
// transactions do not: a damaged record must not stop the writes beside it.

extension Tables {
    /// Verifies the records beside the place of `key`, where there is none.
    ///
    /// - Parameter rows: the rows that `key` would be one of, in the table `rows`.
    /// - Throws: ``StoreError/damaged(table:reason:)`` where one of them does not verify, and may be that of `key`.
    func checkAbsence(
        of key: RawSpan, _ name: TableName, _ rows: RowSource? = nil, in source: ReadTransaction
    ) throws {
        if source.isWriting { return }
        try source.withCursor(in: self[name]) { cursor in
            if let entry = try cursor.seek(before: key) { try verifyNeighbor(entry, name, rows, in: source) }
            if let entry = try cursor.seek(key) { try verifyNeighbor(entry, name, rows, in: source) }
        }
    }

    /// Verifies the record before the first key of a range, or the one after its last key.
    ///
    /// - Parameter rows: the rows of the range, in the table `rows`.
    func verifyNeighbor(
        _ entry: borrowing Entry, _ name: TableName, _ rows: RowSource? = nil, in source: ReadTransaction
    ) throws {
        var seed = name.seed
        if name == .rows {
            let (generation, row) = try decoding(name) { () throws(FormatError) in try RowKeyCoding.decode(entry.key) }
            if generation == rows?.generation {
                // The owner row is where it must be, and no row.
                if row == nil { return }
                seed = rows?.seed ?? seed
            } else if row != nil {
                seed = try self.seed(ofRowsIn: generation, in: source)
            }
        }
        _ = try Self.body(of: entry.value, key: entry.key, table: name, seed: seed)
    }

    private func seed(ofRowsIn generation: Int64, in source: ReadTransaction) throws -> UInt64 {
        // The owner row stays until the last row of the generation is gone.
        guard let owner = try owner(ofGeneration: generation, in: source) else {
            throw StoreError.damaged(table: TableName.rows.rawValue, reason: .checksumMismatch)
        }
        return Checksum.ownerSeed(owner)
    }
}

private import CLMDB

/// A cursor that can also remove entries, lent to a closure.
///
/// After a removal LMDB's cursor is on the following entry already, so ranges are removed by
/// ``removeWhile(from:limit:_:)`` and not by stepping.
public struct WriteCursor: ~Copyable, ~Escapable {
    private var cursor: Cursor
    private(set) var failure: EngineError?
    private(set) var isDirty = false

    @_lifetime(immortal)  // As its cursor.
    init(transaction: OpaquePointer, table: Table) throws(EngineError) {
        cursor = unsafe try Cursor(transaction: transaction, table: table)
    }

    /// Removes entries from the first at or after `start` on, as long as `shouldRemove` returns true.
    ///
    /// - Parameters:
    ///   - start: 1 to 511 bytes.
    ///   - limit: the most entries to remove.
    ///   - shouldRemove: called with each entry; false, or an error, ends the removal before that entry.
    /// - Returns: the number of entries removed.
    /// - Throws: what `shouldRemove` throws; ``EngineError/keySize(actual:limit:)``, ``EngineError/mapFull(cap:)``,
    ///   ``EngineError/corrupted``, or another error of LMDB.
    /// - Complexity: O(log *n* + removed).
    public mutating func removeWhile(
        from start: borrowing RawSpan, limit: Int, _ shouldRemove: (borrowing Entry) throws -> Bool
    ) throws -> Int {
        var removed = 0
        var isAtEntry = false
        if let entry = try cursor.seek(start) { isAtEntry = try shouldRemove(entry) }
        while isAtEntry, removed < limit {
            isDirty = true
            let code = cursor.removeCurrent()
            if code != MDB_SUCCESS {
                let error = EngineError(code: code, operation: "mdb_cursor_del")
                failure = failure ?? error
                throw error
            }
            removed += 1
            isAtEntry = false
            // The position is now the following entry, or none when the table is empty.
            if removed < limit, let entry = try cursor.current() { isAtEntry = try shouldRemove(entry) }
        }
        return removed
    }
}

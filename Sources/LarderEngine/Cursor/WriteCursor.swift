private import CLMDB

/// A cursor that can also remove entries, lent to a closure.
///
/// After a removal LMDB's cursor is on the following entry already, so ranges are removed by
/// ``removeWhile(from:limit:_:)`` and not by stepping.
public struct WriteCursor: ~Copyable, ~Escapable {
    private var cursor: Cursor
    private(set) var failure: ChangeFailure?
    private(set) var changeCount = 0

    @_lifetime(immortal)  // As its cursor.
    init(
        transaction: OpaquePointer, table: Table, bounds: ValueBounds, values: PlainValues?, pages: PageGuard?
    ) throws(EngineError) {
        cursor = unsafe try Cursor(
            transaction: transaction, table: table, bounds: bounds, values: values, pages: pages)
    }

    /// Removes entries from the first at or after `start` on, as long as `shouldRemove` returns true.
    ///
    /// At most as many are removed as the table counts.
    ///
    /// - Parameters:
    ///   - start: 1 to 511 bytes.
    ///   - limit: the most entries to remove.
    ///   - shouldRemove: called with each entry; false, or an error, ends the removal before that entry.
    /// - Returns: the number of entries removed.
    /// - Throws: what `shouldRemove` throws; ``EngineError/keySize(actual:limit:)``, ``EngineError/mapFull(cap:)``,
    ///   ``EngineError/corrupted``, ``EngineError/damagedPage(number:reason:)``, or another error of LMDB.
    /// - Complexity: O(log *n* + removed).
    public mutating func removeWhile(
        from start: borrowing RawSpan, limit: Int, _ shouldRemove: (borrowing Entry) throws -> Bool
    ) throws -> Int {
        var removed = 0
        var isAtEntry = false
        if let entry = try cursor.seek(start) { isAtEntry = try shouldRemove(entry) }
        guard isAtEntry, limit > 0 else { return 0 }
        let count = try cursor.entryCount()
        while isAtEntry, removed < limit {
            // Damaged pages may lead in a circle, where the entries never end.
            if removed >= count { throw failing(.corrupted) }
            do throws(EngineError) { try cursor.checkRemoval() } catch { throw failing(error, isOfRead: true) }
            changeCount += 1
            let code = cursor.removeCurrent()
            if code != MDB_SUCCESS { throw failing(EngineError(code: code, operation: "mdb_cursor_del")) }
            removed += 1
            isAtEntry = false
            // The position is now the following entry, or none when the table is empty.
            if removed < limit, let entry = try cursor.current() { isAtEntry = try shouldRemove(entry) }
        }
        if try cursor.entryCount() != count - removed { throw failing(.corrupted) }
        return removed
    }

    /// Records the first error, with which the transaction fails even where the error is not passed on.
    private mutating func failing(_ error: EngineError, isOfRead: Bool = false) -> EngineError {
        failure.record(ChangeFailure(error: error, isOfRead: isOfRead))
        return error
    }
}

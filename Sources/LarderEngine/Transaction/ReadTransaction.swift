private import CLMDB

/// A snapshot of the environment, unaffected by later commits, lent to a synchronous closure.
///
/// A live snapshot pins every page freed after it began, so the file grows until it ends: keep it short. Values are
/// spans into the map; the compiler keeps them from outliving the closure.
@safe
public struct ReadTransaction: ~Copyable {
    // Valid while the closure runs: the pool that owns it takes it back only after the closure has returned.
    let handle: OpaquePointer

    init(handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    /// The number of the commit this snapshot shows. LMDB: `mdb_txn_id`.
    public var commit: UInt64 {
        UInt64(unsafe mdb_txn_id(handle))
    }

    /// The bytes stored under `key`, or nil.
    ///
    /// Points into the map: nothing is copied. No alignment is promised. LMDB: `mdb_get`.
    ///
    /// - Parameter key: 1 to 511 bytes.
    /// - Throws: ``EngineError/keySize(actual:limit:)``, ``EngineError/corrupted``.
    /// - Complexity: O(log *n*) page visits for *n* keys.
    @_lifetime(borrow self)
    public borrowing func value(
        forKey key: borrowing RawSpan, in table: Table
    ) throws(EngineError) -> RawSpan? {
        guard let found = unsafe try table.lookUp(key, in: handle) else { return nil }
        // LMDB keeps the page in place until this transaction is reset, which happens after the borrow ends.
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: found), borrowing: self)
    }

    /// Lends a cursor over `table` to `body` and closes it when `body` returns or throws.
    ///
    /// - Complexity: O(1) and one small allocation.
    public borrowing func withCursor<Result: ~Copyable>(
        in table: Table, _ body: (inout Cursor) throws -> Result
    ) throws -> Result {
        var cursor = unsafe try Cursor(transaction: handle, table: table)
        return try body(&cursor)
    }

    /// Sizes of `table` in this snapshot. LMDB: `mdb_stat`.
    public borrowing func statistics(of table: Table) throws(EngineError) -> TableStatistics {
        unsafe try TableStatistics(of: table, in: handle)
    }
}

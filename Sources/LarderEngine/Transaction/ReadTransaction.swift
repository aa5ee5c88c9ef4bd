private import CLMDB

/// A read view of the environment, unaffected by later commits, lent to a synchronous closure. In a write transaction it
/// shows the changes so far, up to the next one.
///
/// An open read view pins every page freed after it began, so the file grows until it ends: keep it short. Values are
/// spans into the map; the compiler keeps them, and this, from outliving the closure or the next change.
@safe
public struct ReadTransaction: ~Escapable {
    // Valid while it is lent: the pool, or the write transaction, reclaims it only afterwards.
    private let handle: OpaquePointer
    private let bounds: ValueBounds
    // Nil without a cipher and a decompressor. Owned by the lender, which keeps it as long as this and its spans are valid.
    private let plain: Unmanaged<PlainValues>?
    // The environment keeps it, and outlives every transaction.
    private let pages: Unmanaged<PageGuard>?
    // The pool keeps it; the lender has it while this is lent. Nil where no reader slot is used.
    private let slot: Unmanaged<ReaderSlot>?

    /// - Parameters:
    ///   - pages: the guard of the file's pages; nil where they need none.
    ///   - slot: the reader slot of the view; nil for none.
    @_lifetime(immortal)  // Lent for the duration of a closure, or bound to the write transaction by its maker.
    init(
        handle: OpaquePointer, bounds: ValueBounds, plain: PlainValues?, pages: PageGuard?, slot: ReaderSlot? = nil
    ) {
        unsafe self.handle = handle
        self.bounds = bounds
        unsafe self.plain = plain.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.pages = pages.map { unsafe Unmanaged.passUnretained($0) }
        unsafe self.slot = slot.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// Returns the object in which the layer above keeps what it has found in the commit that the reader slot showed
    /// last; only this view, and those inside it, use it now.
    ///
    /// - Parameter make: makes it for a new slot, or where there is no slot.
    package func memo<Memo: AnyObject>(_ make: () -> Memo) -> Memo {
        // The lender has the slot while this is lent.
        let known = unsafe slot?._withUnsafeGuaranteedRef { $0.memo as? Memo }
        if let memo = known ?? nil { return memo }
        let memo = make()
        unsafe slot?._withUnsafeGuaranteedRef { $0.memo = memo }
        return memo
    }

    /// The guard of the file's pages; nil where they need none.
    private var pageGuard: PageGuard? { unsafe pages?.takeUnretainedValue() }

    /// The same view of the values as they are stored: sealed and compressed, where they are.
    package var stored: ReadTransaction {
        @_lifetime(copy self)
        get {
            unsafe _overrideLifetime(
                ReadTransaction(handle: handle, bounds: bounds, plain: nil, pages: pageGuard), copying: self)
        }
    }

    /// The number of the commit that this shows; in a write transaction the number it will have. LMDB: `mdb_txn_id`.
    public var commit: UInt64 {
        UInt64(unsafe mdb_txn_id(handle))
    }

    /// Whether this shows the changes of a write transaction.
    package var isWriting: Bool { bounds.isWriting }

    /// Returns the bytes stored under `key`, or nil.
    ///
    /// The span points into the map: nothing is copied. With a cipher or a decompressor it points to the plain value, in
    /// memory that stays as long as the span may be used. No alignment is promised. LMDB: `mdb_get`.
    ///
    /// - Parameter key: 1 to 511 bytes.
    /// - Throws: ``EngineError/keySize(actual:limit:)``, ``EngineError/corrupted``,
    ///   ``EngineError/damagedPage(number:reason:)``.
    /// - Complexity: O(log *n*) page visits for *n* keys.
    @_lifetime(copy self)
    public func value(forKey key: borrowing RawSpan, in table: Table) throws(EngineError) -> RawSpan? {
        guard let stored = try storedValue(forKey: key, in: table) else { return nil }
        guard let plain = unsafe plain else { return stored }
        // The lender keeps the values until this view, or the state of the write transaction that it shows, ends.
        let source = unsafe ValueSource(handle, bounds, pageGuard)
        let value = unsafe try plain.takeUnretainedValue().value(stored, of: copy key, in: table, source)
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
    }

    /// Returns the value stored under `key` as it was before it was sealed, or nil: compressed, where it is.
    ///
    /// - Throws: as ``value(forKey:in:)``.
    @_lifetime(copy self)
    package func openedValue(forKey key: borrowing RawSpan, in table: Table) throws(EngineError) -> RawSpan? {
        guard let stored = try storedValue(forKey: key, in: table) else { return nil }
        guard let plain = unsafe plain else { return stored }
        let source = unsafe ValueSource(handle, bounds, pageGuard)
        // As above.
        let value = unsafe try plain.takeUnretainedValue().openedValue(stored, of: copy key, in: table, source)
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
    }

    /// Returns the size of the value stored under `key`, or nil; that of the plain value, which is not decompressed, and
    /// not opened unless it may be compressed too.
    ///
    /// - Throws: as ``value(forKey:in:)``.
    package func valueSize(forKey key: borrowing RawSpan, in table: Table) throws(EngineError) -> Int? {
        guard let stored = try storedValue(forKey: key, in: table) else { return nil }
        guard let plain = unsafe plain else { return stored.byteCount }
        let source = unsafe ValueSource(handle, bounds, pageGuard)
        return unsafe try plain.takeUnretainedValue().size(stored, of: copy key, in: table, source)
    }

    @_lifetime(copy self)
    @inline(__always)
    private func storedValue(forKey key: borrowing RawSpan, in table: Table) throws(EngineError) -> RawSpan? {
        try checkKey(key)
        TableAccess.lookup.record()
        if let pages = unsafe pages {
            let commit = unsafe GuardedCommit(pages, handle, bounds)
            if !bounds.isWriting {
                let value = try commit.value(forKey: key, in: table)
                // As below.
                return unsafe _overrideLifetime(value, copying: self)
            }
            // The transaction may have changed the value.
            try commit.check(key, in: table)
        }
        let (code, found) = unsafe key.withMDBValue { wanted in
            var found = unsafe MDB_val()
            return unsafe (mdb_get(handle, table.identifier, &wanted, &found), found)
        }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "mdb_get")
        unsafe try bounds.check(found, in: handle)
        // LMDB keeps the page in place until the transaction is reset or changes something, which ends the span's
        // lifetime.
        return unsafe _overrideLifetime(RawSpan(_unsafeStart: found.mv_data, byteCount: found.mv_size), copying: self)
    }

    /// Lends a cursor over `table` to `body` and closes it when `body` returns or throws.
    ///
    /// - Throws: what `body` throws; ``EngineError/system(code:operation:)`` when the cursor cannot be opened.
    /// - Complexity: O(1) and one small allocation.
    public func withCursor<Result: ~Copyable>(
        in table: Table, _ body: (inout Cursor) throws -> Result
    ) throws -> Result {
        var cursor = unsafe try Cursor(
            transaction: handle, table: table, bounds: bounds, values: plain?.takeUnretainedValue(), pages: pageGuard)
        return try body(&cursor)
    }

    /// Returns the sizes of `table`. LMDB: `mdb_stat`.
    ///
    /// - Throws: ``EngineError/system(code:operation:)``.
    public func statistics(of table: Table) throws(EngineError) -> TableStatistics {
        unsafe try TableStatistics(of: table, in: handle)
    }
}

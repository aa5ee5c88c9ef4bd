private import CLMDB

/// The one open write transaction, lent `inout` to a synchronous closure on the writer thread.
///
/// Every change is `mutating`, so a span read through ``reader`` cannot be used after a change: LMDB may reuse the
/// page, and the compiler refuses it.
@safe
public struct WriteTransaction: ~Copyable {
    // Valid until the environment commits or aborts, which happens after the closure has returned.
    let handle: OpaquePointer
    private let bounds: ValueBounds
    /// The plain values that were read since the last change; nil without a cipher and a decompressor.
    private let plain: PlainValues?
    // The environment keeps it, and outlives every transaction.
    private unowned(unsafe) let pages: PageGuard?
    /// The first error of a change. LMDB marks the transaction as failed and would return an unrelated code for the
    /// commit, so the commit reports this error.
    private(set) var failure: ChangeFailure?
    /// Whether the commit must be on the medium, whatever durability was requested.
    private(set) var requiresFullDurability = false
    /// The number of entries that were stored or removed.
    package private(set) var changeCount = 0
    /// Whether anything was stored or removed.
    public var isDirty: Bool { changeCount > 0 }

    /// - Parameters:
    ///   - bounds: those of the file; by default those of one that this process has just created.
    ///   - plain: the plain values of its reads; nil without a cipher and a decompressor.
    ///   - pages: the guard of the file's pages; nil where they need none.
    init(handle: OpaquePointer, bounds: ValueBounds = .all, plain: PlainValues?, pages: PageGuard? = nil) {
        unsafe self.handle = handle
        self.bounds = bounds
        self.plain = plain
        unsafe self.pages = pages
    }

    /// The view of this transaction, its own changes included; ends with the next change, with every span read from it.
    public var reader: ReadTransaction {
        @_lifetime(borrow self)
        get {
            unsafe _overrideLifetime(
                ReadTransaction(handle: handle, bounds: bounds, plain: plain, pages: pages), borrowing: self)
        }
    }

    /// Makes the commit fully durable, whatever durability was requested.
    public mutating func requireFullDurability() {
        requiresFullDurability = true
    }

    /// Stores `value` under `key`, and replaces an existing value. LMDB: `mdb_put`.
    ///
    /// - Throws: ``EngineError/keySize(actual:limit:)``, ``EngineError/valueSize(actual:limit:)``,
    ///   ``EngineError/mapFull(cap:)`` (the environment grows and runs the closure again), ``EngineError/corrupted``.
    /// - Complexity: O(log *n*) page visits, and a copy of each page on its first change.
    public mutating func set(
        _ value: borrowing RawSpan, forKey key: borrowing RawSpan, in table: Table
    ) throws(EngineError) {
        try put(value, key, table, flags: 0)
    }

    /// Appends `value` under a `key` greater than every key of `table`. LMDB: `mdb_put` with `MDB_APPEND`.
    ///
    /// - Returns: false, and stores nothing, when the key is not the greatest.
    /// - Throws: as ``set(_:forKey:in:)``.
    public mutating func append(
        _ value: borrowing RawSpan, forKey key: borrowing RawSpan, in table: Table
    ) throws(EngineError) -> Bool {
        do throws(EngineError) {
            try put(value, key, table, flags: UInt32(MDB_APPEND))
            return true
        } catch .keyExists {
            return false
        }
    }

    /// Removes `key`. LMDB: `mdb_del`.
    ///
    /// - Returns: false when the key did not exist.
    /// - Throws: ``EngineError/keySize(actual:limit:)``, ``EngineError/mapFull(cap:)``, ``EngineError/corrupted``.
    @discardableResult
    public mutating func remove(_ key: borrowing RawSpan, in table: Table) throws(EngineError) -> Bool {
        try checkKey(key)
        plain?.reset()
        try checkPages { commit throws(EngineError) in try commit.checkRemoval(of: key, in: table) }
        let code = unsafe key.withMDBValue { wanted in unsafe mdb_del(handle, table.identifier, &wanted, nil) }
        if code == MDB_NOTFOUND { return false }
        changeCount += 1
        try recordFailure(code, "mdb_del")
        return true
    }

    /// Lends a cursor that can also remove to `body`, and closes it when `body` returns or throws.
    ///
    /// - Throws: what `body` throws; ``EngineError/system(code:operation:)`` when the cursor cannot be opened.
    public mutating func withCursor<Result: ~Copyable>(
        in table: Table, _ body: (inout WriteCursor) throws -> Result
    ) throws -> Result {
        plain?.reset()
        var cursor = unsafe try WriteCursor(
            transaction: handle, table: table, bounds: bounds, values: plain, pages: pages)
        defer {
            changeCount += cursor.changeCount
            if let failed = cursor.failure { failure.record(failed) }
        }
        return try body(&cursor)
    }

    private mutating func put(
        _ value: borrowing RawSpan, _ key: borrowing RawSpan, _ table: Table, flags: UInt32
    ) throws(EngineError) {
        try checkKey(key)
        if value.byteCount > valueSizeLimit { throw .valueSize(actual: value.byteCount, limit: valueSizeLimit) }
        try checkPages { commit throws(EngineError) in
            try commit.check(key, in: table)
            if flags & UInt32(MDB_APPEND) != 0 { try commit.check(.last, of: table) }
        }
        changeCount += 1
        TableAccess.set.record()
        let code: Int32
        // The change ends every span of a plain value.
        plain?.reset()
        if let sealed = unsafe plain?.sealed(copy value, for: copy key, in: table) {
            // In memory that the next change uses again; liblmdb has copied it then.
            code = putStored(unsafe RawSpan(_unsafeBytes: sealed), key, table, flags)
        } else {
            code = putStored(value, key, table, flags)
        }
        // The transaction survives this error: nothing was changed.
        if code == MDB_KEYEXIST { throw .keyExists }
        try recordFailure(code, "mdb_put")
    }

    @inline(__always)
    private func putStored(
        _ value: borrowing RawSpan, _ key: borrowing RawSpan, _ table: Table, _ flags: UInt32
    ) -> Int32 {
        unsafe key.withMDBValue { wanted in
            unsafe value.withMDBValue { data in unsafe mdb_put(handle, table.identifier, &wanted, &data, flags) }
        }
    }

    /// Checks the pages of the commit before that a change reads: those that the transaction has changed already are
    /// made of checked ones.
    private mutating func checkPages(
        _ body: (borrowing GuardedCommit) throws(EngineError) -> Void
    ) throws(EngineError) {
        guard let pages = unsafe pages else { return }
        do throws(EngineError) {
            try body(unsafe GuardedCommit(pages, handle, bounds))
        } catch {
            failure.record(ChangeFailure(error: error, isOfRead: true))
            throw error
        }
    }

    private mutating func recordFailure(_ code: Int32, _ operation: StaticString) throws(EngineError) {
        if code == MDB_SUCCESS { return }
        let error = EngineError(code: code, operation: operation)
        failure.record(ChangeFailure(error: error, isOfRead: false))
        throw error
    }
}

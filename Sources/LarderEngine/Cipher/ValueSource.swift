private import CLMDB

/// The transaction that a value was read in, for the records that its plain form needs.
///
/// Used only within the call that it is made for, or until the cursor moves that it is kept by.
@safe
struct ValueSource {
    private let transaction: OpaquePointer
    private let bounds: ValueBounds
    // The environment keeps it, and outlives every transaction.
    private unowned(unsafe) let pages: PageGuard?

    init(_ transaction: OpaquePointer, _ bounds: ValueBounds, _ pages: PageGuard?) {
        unsafe self.transaction = transaction
        self.bounds = bounds
        unsafe self.pages = pages
    }

    /// Returns the stored value of `key`, in place until the transaction ends or changes something; nil where there is
    /// none.
    func storedValue(_ key: [UInt8], in table: Table) throws(EngineError) -> UnsafeRawBufferPointer? {
        if let pages = unsafe pages {
            let way = key.withRawSpan { key in
                Result { () throws(EngineError) in
                    unsafe try GuardedCommit(pages, transaction, bounds).check(key, in: table)
                }
            }
            try way.get()
        }
        var found = unsafe MDB_val()
        let code = key.withRawSpan { key in
            unsafe key.withMDBValue { wanted in unsafe mdb_get(transaction, table.identifier, &wanted, &found) }
        }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "mdb_get")
        unsafe try bounds.check(found, in: transaction)
        return unsafe UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
    }
}

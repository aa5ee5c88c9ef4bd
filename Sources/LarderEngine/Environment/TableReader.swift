/// What a snapshot and a write transaction have in common: looking things up.
package protocol TableReader: ~Copyable {
    /// The bytes stored under `key`, or nil; valid until the transaction ends or changes.
    @_lifetime(borrow self)
    borrowing func value(forKey key: borrowing RawSpan, in table: Table) throws(EngineError) -> RawSpan?

    /// Lends a cursor for reading to `body` and closes it when `body` returns or throws.
    borrowing func withReadCursor<Result: ~Copyable>(
        in table: Table, _ body: (inout Cursor) throws -> Result
    ) throws -> Result

    /// Sizes of `table`.
    borrowing func statistics(of table: Table) throws(EngineError) -> TableStatistics
}

extension ReadTransaction: TableReader {
    /// Lends a cursor for reading to `body` and closes it when `body` returns or throws.
    package borrowing func withReadCursor<Result: ~Copyable>(
        in table: Table, _ body: (inout Cursor) throws -> Result
    ) throws -> Result {
        try withCursor(in: table, body)
    }
}

extension WriteTransaction: TableReader {}

/// What a layer above lends to its callers in place of a bare snapshot.
///
/// The context owns the snapshot it is made with and is itself only lent, so nothing of it leaves the closure.
package protocol ReadContext: ~Copyable {
    /// What the layer above adds to the snapshot.
    associatedtype Source
    /// Takes the snapshot over.
    init(transaction: consuming ReadTransaction, source: Source)
}

extension Environment {
    /// Lends a snapshot of the last commit as a `Context`; otherwise as ``read(_:)``.
    package func read<Context: ReadContext & ~Copyable, Result: ~Copyable>(
        with source: Context.Source, _ body: (borrowing Context) throws -> Result
    ) throws -> Result {
        try read { (transaction: borrowing ReadTransaction) in
            // Two owners of one handle for the length of the closure: neither ends it, the pool does.
            let context = Context(transaction: unsafe ReadTransaction(handle: transaction.handle), source: source)
            return try body(context)
        }
    }
}

internal import LarderEngine

/// A source of reads: a view of one commit, or a write transaction with the changes it has made so far.
public protocol StoreReader: ~Copyable, ~Escapable {
    /// The engine transaction to read through.
    var source: ReadSource { @_lifetime(borrow self) get }
}

/// The tables of a store in one view; in a write transaction, up to its next change.
public struct ReadSource: ~Escapable {
    let transaction: LarderEngine.ReadTransaction
    let tables: Tables

    @_lifetime(copy transaction)
    init(_ transaction: LarderEngine.ReadTransaction, _ tables: Tables) {
        self.transaction = transaction
        self.tables = tables
    }
}

// The layers read through these, under the names that a write transaction has for them.
extension StoreReader where Self: ~Copyable & ~Escapable {
    var tables: Tables { source.tables }
    var engine: LarderEngine.ReadTransaction {
        @_lifetime(borrow self)
        get { source.transaction }
    }
}

extension ReadView: StoreReader {
    /// The engine transaction to read through.
    public var source: ReadSource {
        @_lifetime(borrow self)
        get { ReadSource(transaction, tables) }
    }
}

extension Transaction: StoreReader {
    /// The engine transaction to read through, including uncommitted changes.
    public var source: ReadSource {
        @_lifetime(borrow self)
        get { ReadSource(engine, tables) }
    }
}

internal import LarderEngine
internal import Synchronization

/// A snapshot of the store, lent to a synchronous closure: one moment, whole, whatever is written meanwhile.
///
/// What is read from it points into the map and cannot leave the closure; copy what has to.
public struct ReadView: ~Copyable, ~Escapable {
    let transaction: LarderEngine.ReadTransaction
    let tables: Tables
    let shared: SharedState
    /// Where the rows of the resource read last lie: within one snapshot that does not change.
    let lastSource = Mutex<MergedSource?>(nil)

    /// A view of `store` at the commit of `transaction`.
    @_lifetime(copy transaction)
    init(_ transaction: LarderEngine.ReadTransaction, of store: Store) {
        self.transaction = transaction
        tables = store.tables
        shared = store.shared
    }

    /// The number of the commit this view shows; grows by one with every commit.
    public var commit: UInt64 { transaction.commit }
}

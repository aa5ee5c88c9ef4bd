internal import LarderEngine
internal import Synchronization

/// A consistent view of one commit of the store, lent to a synchronous closure, whatever is written meanwhile.
///
/// Values read from it point into the map and cannot leave the closure; copy those that have to.
///
/// ```swift
/// let (verse, count) = try store.read { view in  // both as of one commit, whatever is written meanwhile
///     (try view.value(Verse.self, at: key), try view.rows(in: .type("translation", of: resource)).count)
/// }
/// print(verse?.text ?? "not here", count)
/// ```
public struct ReadView: ~Copyable, ~Escapable {
    let transaction: LarderEngine.ReadTransaction
    let tables: Tables
    let shared: SharedState
    /// The place of the rows of the resource read last, which does not change within one view.
    let lastSource = Mutex<ShownSource?>(nil)

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

internal import LarderEngine
internal import LarderFormat

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
    /// The only reference to what the views of a store share: each is counted in each view.
    private let store: Store
    let lastSource: LastSource

    /// A view of `store` at the commit of `transaction`.
    @_lifetime(copy transaction)
    init(_ transaction: LarderEngine.ReadTransaction, of store: Store) {
        self.transaction = transaction
        self.store = store
        lastSource = transaction.memo(LastSource.init)
        lastSource.begin(transaction.commit)
    }

    /// The number of the commit this view shows; grows by one with every commit.
    public var commit: UInt64 { transaction.commit }

    var tables: Tables { store.tables }
    var shared: SharedState { store.shared }

    /// Records that rows of a place are read.
    borrowing func recordUse(of source: ShownSource) {
        if source.hasRows { store.generationUses.insert(source.rows.generation) }
    }
}

/// The place of the rows of the resource that the views of a reader slot read last.
///
/// It is the same for all views of a commit: its record is looked up and verified once. Only one thread uses it at a
/// time.
final class LastSource {
    private var commit: UInt64 = 0
    private var source: ShownSource?

    /// Begins a view of a commit.
    func begin(_ commit: UInt64) {
        if self.commit == commit { return }
        self.commit = commit
        source = nil
    }

    /// Returns the place that was found for a resource; nil where none was.
    func find(_ resource: ResourceKey) -> ShownSource? {
        guard let source, source.rows.owner == resource else { return nil }
        return source
    }

    func insert(_ found: ShownSource) { source = found }
}

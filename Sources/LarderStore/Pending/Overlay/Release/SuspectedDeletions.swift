package import LarderFormat
internal import Synchronization

/// Rows that were missing from the server's list in such a number at once that a later pass decides on them.
package struct SuspectedDeletions: Sendable {
    /// The hashes of their keys.
    private var keys: Set<UInt64>
    /// When they were missing for the first time, by the host's elapsed time.
    private let since: Duration

    /// Rows that are missing for the first time.
    package init(_ keys: [UInt64], at now: Duration) {
        self.keys = Set(keys)
        since = now
    }

    /// Removes the rows that were found in the list.
    package mutating func remove(_ found: some Sequence<UInt64>) { keys.subtract(found) }

    /// Returns the missing rows that were already missing `pause` ago or earlier, and the doubt that remains.
    package func confirm(
        _ missing: [UInt64], at now: Duration, pause: Duration
    ) -> (confirmed: [UInt64], rest: SuspectedDeletions?) {
        let known = missing.filter { keys.contains($0) }
        if now - since < pause {
            // No row that was found meanwhile stays in doubt.
            return ([], SuspectedDeletions(missing, at: known.count == missing.count ? since : now))
        }
        let rest = Set(missing).subtracting(known)
        return (known, rest.isEmpty ? nil : SuspectedDeletions(Array(rest), at: now))
    }
}

/// The unconfirmed deletions of each list; kept while the store is open.
final class SuspectedDeletionLists: SharedPart {
    struct List: Hashable {
        let resource: ResourceKey
        let type: String
    }

    private let suspected = Mutex<[List: SuspectedDeletions]>([:])

    init(_ file: FileContext) {}

    subscript(list: List) -> SuspectedDeletions? {
        get { suspected.withLock { $0[list] } }
        set { suspected.withLock { $0[list] = newValue } }
    }
}

extension Store {
    /// Returns the rows of a list that a pass did not find, but did not accept as deleted; nil when there are none.
    package func suspectedDeletions(of resource: ResourceKey, type: String) -> SuspectedDeletions? {
        shared.part(SuspectedDeletionLists.self)[SuspectedDeletionLists.List(resource: resource, type: type)]
    }

    /// Keeps the rows of a list that are in doubt, in memory; nil for none.
    package func setSuspectedDeletions(_ deletions: SuspectedDeletions?, of resource: ResourceKey, type: String) {
        shared.part(SuspectedDeletionLists.self)[SuspectedDeletionLists.List(resource: resource, type: type)] =
            deletions
    }
}

internal import LarderFormat
internal import LarderStore

/// The snapshots that a run fetches only after its last page.
///
/// A server that responds to a snapshot request with a wait (`Retry-After`) ends the run, and may do so at every
/// attempt. A run therefore fetches a snapshot that failed before only after the pages. An incremental run also defers
/// all snapshots requested with it or after it, so that no such response delays the changes of other resources. The
/// pages of a bootstrap only list resources, so it fetches the other snapshots at once: those that an interrupted run
/// has fetched are not fetched again.
struct DeferredSnapshots: Sendable {
    private struct Entry {
        var order: FullCopyOrder
        /// The number of attempts that failed in a row.
        let attempts: Int
        let place: Int
    }

    private var entries: [ResourceKey: Entry] = [:]
    private var count = 0
    private var isOn = false

    /// Adds the snapshots that have to wait for the pages.
    ///
    /// - Returns: the snapshots to fetch at once.
    mutating func add(_ snapshots: SnapshotOrders, _ kind: SyncReport.Kind) -> [FullCopyOrder] {
        isOn = isOn || kind == .incremental && !snapshots.attempts.isEmpty
        var others: [FullCopyOrder] = []
        for order in snapshots.orders {
            guard isOn || snapshots.attempts[order.resource] != nil else {
                others.append(order)
                continue
            }
            let known = entries[order.resource]?.order.changeSequence ?? .min
            if known >= order.changeSequence { continue }
            entries[order.resource] = Entry(
                order: order, attempts: snapshots.attempts[order.resource] ?? 0, place: count)
            count += 1
        }
        return others
    }

    /// Leaves a change to the deferred snapshot of its resource, which then has to contain it.
    ///
    /// - Returns: false when no snapshot is deferred, or when the change itself requests one.
    mutating func absorb(_ change: Mutation, of resource: ResourceKey) -> Bool {
        // A change that requests a snapshot names its path again.
        guard !change.type.needsFullCopy, var entry = entries[resource] else { return false }
        entry.order.changeSequence = max(entry.order.changeSequence, change.sequence)
        if change.type == .resourceUpdate { entry.order.changedAt = change.changedAt ?? entry.order.changedAt }
        entries[resource] = entry
        return true
    }

    /// Removes the snapshot of a resource that was deleted.
    mutating func remove(_ resource: ResourceKey) { entries[resource] = nil }

    /// Removes and returns all snapshots, the ones with the fewest failed attempts first, so that none is always behind
    /// one that fails.
    mutating func removeAll() -> [FullCopyOrder] {
        defer { entries = [:] }
        return entries.values.sorted { ($0.attempts, $0.place) < ($1.attempts, $1.place) }.map(\.order)
    }
}

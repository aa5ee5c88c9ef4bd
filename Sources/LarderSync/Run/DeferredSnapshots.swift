internal import LarderFormat
internal import LarderStore

/// The snapshots that a run fetches only behind its last page.
///
/// A server that answers a snapshot with a wait (`Retry-After`) ends the run, and may answer so at every attempt. A run therefore
/// fetches a snapshot that failed before behind the pages, and an incremental run also all that follow it: no such answer keeps
/// the changes of other resources from coming. A bootstrap's pages list resources only, so there the others are fetched at
/// once: what a run that is cut short has brought is not fetched again.
struct DeferredSnapshots: Sendable {
    private struct Entry {
        var order: FullCopyOrder
        /// The attempts that failed in a row.
        let attempts: Int
        let place: Int
    }

    private var entries: [ResourceKey: Entry] = [:]
    private var count = 0
    private var isOn = false

    /// Adds those of `snapshots` that are to wait for the pages.
    ///
    /// - Returns: those that are to be fetched at once.
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

    /// Whether a change is left to the snapshot of its resource, which then has to contain it.
    mutating func absorb(_ change: Mutation, of resource: ResourceKey) -> Bool {
        // A change that asks for a snapshot says anew where that is.
        guard !change.type.needsFullCopy, var entry = entries[resource] else { return false }
        entry.order.changeSequence = max(entry.order.changeSequence, change.sequence)
        if change.type == .resourceUpdate { entry.order.changedAt = change.changedAt ?? entry.order.changedAt }
        entries[resource] = entry
        return true
    }

    /// Removes the snapshot of a resource that was deleted.
    mutating func remove(_ resource: ResourceKey) { entries[resource] = nil }

    /// Removes all of them; those that failed least often come first, so that none is always behind one that fails.
    mutating func removeAll() -> [FullCopyOrder] {
        defer { entries = [:] }
        return entries.values.sorted { ($0.attempts, $0.place) < ($1.attempts, $1.place) }.map(\.order)
    }
}

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
        var request: SnapshotRequest
        /// The number of attempts that failed in a row.
        let attempts: Int
        let index: Int
    }

    private var entries: [ResourceKey: Entry] = [:]
    private var count = 0
    private var isDeferring = false

    /// Adds the snapshots that have to wait for the pages.
    ///
    /// - Returns: the snapshots to fetch at once.
    mutating func add(_ snapshots: SnapshotRequests, _ kind: SyncReport.Kind) -> [SnapshotRequest] {
        isDeferring = isDeferring || kind == .incremental && !snapshots.attempts.isEmpty
        var immediate: [SnapshotRequest] = []
        for request in snapshots.requests {
            guard isDeferring || snapshots.attempts[request.resource] != nil else {
                immediate.append(request)
                continue
            }
            let known = entries[request.resource]?.request.changeSequence ?? .min
            if known >= request.changeSequence { continue }
            entries[request.resource] = Entry(
                request: request, attempts: snapshots.attempts[request.resource] ?? 0, index: count)
            count += 1
        }
        return immediate
    }

    /// Leaves a change to the deferred snapshot of its resource, which then has to contain it.
    ///
    /// - Returns: false when no snapshot is deferred, or when the change itself requests one.
    mutating func absorb(_ change: Mutation, of resource: ResourceKey) -> Bool {
        // A change that requests a snapshot names its path again.
        guard !change.type.needsSnapshot, var entry = entries[resource] else { return false }
        entry.request.changeSequence = max(entry.request.changeSequence, change.sequence)
        if change.type == .resourceUpdate { entry.request.changedAt = change.changedAt ?? entry.request.changedAt }
        entries[resource] = entry
        return true
    }

    /// Removes the snapshot of a resource that was deleted.
    mutating func remove(_ resource: ResourceKey) { entries[resource] = nil }

    /// Removes and returns all snapshots, the ones with the fewest failed attempts first, so that none is always behind
    /// one that fails.
    mutating func removeAll() -> [SnapshotRequest] {
        defer { entries = [:] }
        return entries.values.sorted { ($0.attempts, $0.index) < ($1.attempts, $1.index) }.map(\.request)
    }
}

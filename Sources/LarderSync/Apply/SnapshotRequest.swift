package import LarderFormat
package import LarderStore

/// A snapshot to fetch, and the conditions for swapping it in.
package struct SnapshotRequest: Sendable {
    package let resource: ResourceKey
    let path: ServerPath
    /// The timeline of the snapshot.
    let timeline: Int64
    /// The sequence of the last change that it has to contain.
    var changeSequence: Int64
    /// In a bootstrap, the bound of the run; otherwise `.min`.
    let bound: Int64
    /// The schema version of the rows that were stored then, if any.
    let knownSchema: Int64?
    /// The run it belongs to; nil when the host requests the resource alone.
    let run: FilterRun?
    var changedAt: Int64?

    /// The position that the snapshot has to have reached at least.
    ///
    /// A snapshot is current when it is fetched, but may come from a server that lags behind the one that announced it.
    /// Swapped in, it would lose changes for ever.
    var minimum: ServerPosition { ServerPosition(timeline, max(changeSequence, bound)) }
}

/// The result of a request.
package enum SnapshotResult: Sendable {
    /// The snapshot was swapped in.
    case swapped(rows: Int, bytes: Int)
    /// The server does not have the resource, which was hidden.
    case hidden(rows: Int64)
    /// Nothing was changed: the missing snapshot is no reason to hide the resource, or the rows cannot be named.
    case unchanged
    /// The snapshot of another filter, swapped in meanwhile, is new enough.
    case alreadyStored
    /// The snapshot could not be fetched, which is stored with the resource.
    case failed(ResourceFailure, SyncError)
}

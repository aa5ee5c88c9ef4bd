package import LarderFormat
package import LarderStore

/// A full copy to fetch, and when it may be swapped in.
package struct FullCopyOrder: Sendable {
    package let resource: ResourceKey
    let path: ServerPath
    /// The timeline that it is of.
    let timeline: Int64
    /// The last change that it has to contain.
    var changeSequence: Int64
    /// In a bootstrap, the bound of the run; else no sequence at all.
    let bound: Int64
    /// The schema version of the rows that were here then, if any.
    let knownSchema: Int64?
    /// The run it belongs to; nil when the host asks for the resource by itself.
    let run: FilterRun?
    var changedAt: Int64?

    /// The place that the copy has to have come to at least.
    ///
    /// A copy is current when it is fetched, and still may come from a server that lags behind the one that asked for it:
    /// swapped in, it would lose changes for ever.
    var minimum: ServerPosition { ServerPosition(timeline, max(changeSequence, bound)) }
}

/// What became of an order.
package enum FullCopyResult: Sendable {
    /// The copy was swapped in.
    case swapped(rows: Int, bytes: Int)
    /// The server does not have the resource, which was hidden.
    case hidden
    /// Nothing was changed: another filter knows better, or the rows cannot be named.
    case left
    /// Another filter's copy, swapped in meanwhile, is new enough.
    case settled
    /// It could not be had, which is noted with the resource.
    case failed(ResourceFailure, SyncError)
}

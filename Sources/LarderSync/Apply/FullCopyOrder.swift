package import LarderFormat
package import LarderStore

/// A full copy to fetch, and when it may be swapped in.
package struct FullCopyOrder: Sendable {
    package let resource: ResourceKey
    let path: ServerPath
    var rule: FullCopyRule
    /// The floor when the copy was ordered.
    let knownFloor: Int64
    /// The schema version of the rows that were here then, if any.
    let knownSchema: Int64?
    /// The run it belongs to; nil when the host asks for the resource by itself.
    let run: FilterRun?
    var changedAt: Int64?
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

package import LarderFormat
package import LarderStore

/// What fetching a full copy asks for. All but ``report(_:)`` and ``end(_:)`` are answered by exactly one ``CopyEvent``,
/// and one is under way at a time.
package enum CopyEffect: Sendable {
    /// Wait until no other filter's copy of the resource is under way; see whether what is there then will do.
    case claim(FullCopyOrder)
    /// Send the request.
    case fetch(ServerPath)
    /// Read the next piece of the body; the generation that is being written gives way to others when its turn is over.
    case read(Staging?)
    /// Begin a generation of the resource, when it is its turn to be written.
    case open(ResourceKey)
    /// Write rows.
    case stage(RowBatch, Staging)
    /// Swap the copy in, unless it is older than it may be.
    case swap(Staging, FullCopyHeader, FullCopyOrder)
    /// Give the copy up.
    case discard(Staging)
    /// Note with the resource that its snapshot could not be had, perhaps because the server is behind what is here.
    case noteFailure(FullCopyOrder, SnapshotFailure.Kind, reason: String, isLagging: Bool)
    /// Hide a resource that the server does not have.
    case hide(FullCopyOrder)
    /// Wait before a server that lags is asked again; attempts count from 1.
    case pause(attempt: Int)
    /// Tell the host.
    case report(SyncEvent)
    /// The order is settled; the claim is to be given up.
    case end(Result<FullCopyResult, SyncError>)
}

/// What came of an effect.
package enum CopyEvent: Sendable {
    /// It is this copy's turn; or another filter's copy settles the order.
    case claimed(isSettled: Bool)
    /// The server answers with a copy, and may say how long it is.
    case answered(length: Int?)
    /// The server has no such copy.
    case missing
    /// A piece of the body.
    case chunk([UInt8])
    /// The body is at its end.
    case bodyEnded
    /// A generation was begun. `now` in milliseconds since 1970-01-01 UTC.
    case opened(Staging, now: Int64)
    /// The rows are written.
    case staged
    /// The copy is what readers see.
    case swapped(took: Duration)
    /// The copy is older than it may be.
    case lagging
    /// The resource was withdrawn, or begun anew, from elsewhere.
    case superseded
    /// The copy is garbage.
    case discarded
    /// The failure was noted.
    case noted(ResourceFailure)
    /// The resource was hidden; false when another filter knows better.
    case hid(Bool)
    /// The pause is over.
    case paused
    /// An effect failed.
    case failed(SyncError)
}

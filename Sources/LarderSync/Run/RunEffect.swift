package import LarderFormat

/// What a run asks for. All but ``report(_:)``, ``cancel`` and ``end(_:)`` are answered by exactly one ``RunEvent``.
package enum RunEffect: Sendable {
    /// Note in the store that a run of the filter begins, and say how.
    case begin(filter: String)
    /// Discard the token of the run, and begin a bootstrap in its place.
    case beginBootstrap(FilterRun, Rejection)
    /// Fetch and decode a page.
    case fetchPage(ServerPath)
    /// Wait before a server that counts fewer changes than were applied is asked again; attempts count from 1.
    case pause(attempt: Int)
    /// Apply changes that need no full copy, in one commit.
    case apply([Mutation], FilterRun)
    /// List the resources whose full copies some changes ask for, and say which have to be fetched.
    case order([Mutation], FilterRun, bound: Int64)
    /// Say which snapshots have to be fetched of hidden resources that are public after all.
    case orderProven(PublicProofs, FilterRun)
    /// Note that a bootstrap is at its end and lacks some resources.
    case hold(FilterRun, until: Int64)
    /// Fetch a full copy and swap it in. Several are under way at a time.
    case copy(FullCopyOrder)
    /// Note how many pages of a bootstrap are in.
    case notePage(Int, FilterRun)
    /// Store the token in one commit with the sweep.
    case finish(FilterRun, token: String, until: Int64)
    /// End what is under way; the events that answer it still come.
    case cancel
    /// Tell the host.
    case report(SyncEvent)
    /// The run is over.
    case end(Result<SyncReport, SyncError>)
}

/// What came of an effect.
package enum RunEvent: Sendable {
    /// The run has begun.
    case begun(FilterRun)
    /// A page arrived.
    case page(SyncPage)
    /// The server rejects the token in place of a page.
    case pageRejected
    /// The pause is over.
    case paused
    /// Changes were applied.
    case applied(Applied)
    /// These full copies have to be fetched.
    case ordered(SnapshotOrders)
    /// An order is settled.
    case copied(ResourceKey, FullCopyResult)
    /// The end of an incomplete bootstrap was noted.
    case held
    /// The page was noted.
    case pageNoted
    /// The token is stored; these resources were swept.
    case finished(swept: [ResourceKey])
    /// An effect failed.
    case failed(SyncError)
}

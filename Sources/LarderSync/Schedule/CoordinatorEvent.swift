package import LarderTransport

/// What the store knows of a filter when the coordinator takes it on.
package struct KnownFilter: Hashable, Sendable {
    /// Whether it has a token, so that its next run asks for changes only.
    package var hasToken = false
    /// When its last run finished, in milliseconds since 1970-01-01 UTC.
    package var syncedAt: Int64?
    /// The runs that failed in a row.
    package var failures = 0
    /// The tokens that were rejected in a row, and when the last one was.
    package var resyncs = 0
    package var resyncedAt: Int64?

    /// A filter that was never synced.
    package init() {}
}

/// What happens to the coordinator.
package enum CoordinatorEvent: Sendable {
    /// A filter is to be kept in step.
    case added(ResourceFilter, SyncPriority, KnownFilter)
    /// A filter is not to be kept in step any more.
    case removed(String)
    /// Something asks for runs.
    case trigger(SyncTrigger)
    /// The network is another.
    case network(NetworkState)
    /// The power is another.
    case power(PowerState)
    /// The network is not to be used, or may be again, whatever state it is in.
    case forcedOffline(Bool)
    /// The timer that was armed has gone off.
    case timer
    /// Whether the server answers, by the probe of this number.
    case probed(Int, isReachable: Bool)
    /// The server has answered a filter's run with its first page.
    case answered(String)
    /// The server has rejected a filter's token; its run goes on as a bootstrap.
    case rejected(String)
    /// A run is over.
    case ended(String, Result<SyncReport, SyncError>)
    /// Runs are to end after the commit they are at, and none begins any more.
    case stop
}

/// What the coordinator asks for.
package enum CoordinatorEffect: Sendable {
    /// Run a filter; answered by ``CoordinatorEvent/ended(_:_:)``.
    case start(String)
    /// End the run of a filter, which is still answered.
    case cancel(String)
    /// Set the timer, in place of the one set before, to go off at this time that never jumps; nil: not at all.
    case arm(Duration?)
    /// Look whether the server answers; answered by ``CoordinatorEvent/probed(_:isReachable:)`` with the same number.
    case probe(Int)
    /// Those who ask for a run by hand are told why there is none.
    case refuse(String, SyncError)
    /// Keep with the filter how its runs go.
    case note(String, AttemptNote)
    /// Tell the host.
    case report(SyncEvent)
    /// Every run is over after a stop.
    case stopped
}

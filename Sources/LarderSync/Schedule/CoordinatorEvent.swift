package import LarderTransport

/// The stored state of a filter when it is added to the coordinator.
package struct KnownFilter: Hashable, Sendable {
    /// Whether it is a list, of which a server of content reports nothing.
    package var isList = false
    /// The number of the change up to which it is in step; nil before its first run has finished.
    package var sequence: Int64?
    /// Whether it has a token, so that its next run requests changes only.
    package var hasToken = false
    /// The time at which its last run finished, in milliseconds since 1970-01-01 UTC.
    package var syncedAt: Int64?
    /// The number of runs that failed in a row.
    package var failures = 0
    /// The number of tokens rejected in a row, and the time of the last rejection, in milliseconds since 1970-01-01
    /// UTC.
    package var resyncs = 0
    package var resyncedAt: Int64?

    /// A filter that was never synced.
    package init() {}
}

/// An event that the coordinator handles.
package enum CoordinatorEvent: Sendable {
    /// A filter is to be kept in sync.
    case added(ResourceFilter, SyncPriority, KnownFilter)
    /// A filter is not to be kept in sync any more.
    case removed(String)
    /// A trigger requests runs.
    case trigger(SyncTrigger)
    /// The network has a new state.
    case network(NetworkState)
    /// The power has a new state.
    case power(PowerState)
    /// The network must not be used, or may be used again, whatever its state.
    case forcedOffline(Bool)
    /// The timer has fired.
    case timer
    /// The probe of this number has ended, and has reached the server or not.
    case probed(Int, isReachable: Bool)
    /// The server has returned the first page of a filter's run.
    case responded(String)
    /// The server has rejected a filter's token; its run goes on as a bootstrap.
    case rejected(String)
    /// A run is over.
    case ended(String, Result<SyncReport, SyncError>)
    /// The connection of this number, over which the server reports changes, is open.
    case listening(Int)
    /// The server reports that a filter has changes up to a number, where it states one.
    case changed(String, sequence: Int64?)
    /// The connection of this number, over which the server reports changes, has ended, or could not be opened.
    case listeningEnded(Int, SyncError?)
    /// Runs have to end after their current commit, and no other begins.
    case stop
}

/// An action that the coordinator requests.
package enum CoordinatorEffect: Sendable {
    /// Run a filter; its end is reported by ``CoordinatorEvent/ended(_:_:)``.
    case start(String)
    /// Cancel the run of a filter; its end is still reported.
    case cancel(String)
    /// Set the timer to this monotonic time, in place of the one set before; nil clears it.
    case arm(Duration?)
    /// Open a connection over which the server reports changes; its end is reported by
    /// ``CoordinatorEvent/listeningEnded(_:_:)`` with the same number.
    case listen(Int, EventsRequest)
    /// Close the connection of this number; its end is still reported.
    case stopListening(Int)
    /// Probe the server; the result is reported by ``CoordinatorEvent/probed(_:isReachable:)`` with the same number.
    case probe(Int)
    /// Fail the manual requests for a filter with this error.
    case refuse(String, SyncError)
    /// Store the outcome of a filter's last run.
    case storeRunRecord(String, RunRecord)
    /// Report an event to the host.
    case report(SyncEvent)
    /// Every run is over after a stop.
    case stopped
}

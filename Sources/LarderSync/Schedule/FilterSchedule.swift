internal import LarderTransport

/// What the coordinator knows of one filter.
struct FilterSchedule: Sendable {
    let filter: ResourceFilter
    let text: String
    var priority: SyncPriority
    /// What is to be done next, if anything, and since when.
    var want: SyncWant?
    var wantedSince: Duration = .zero
    /// What the run under way was wanted for.
    var running: SyncWant?
    /// When the last run began, in milliseconds since 1970-01-01 UTC.
    var attemptedAt: Int64?
    /// Whether the server has answered the run under way, or the last one, with a page.
    var isAnswered = false
    /// Whether the run under way was ended from here, so that its end is nobody's fault.
    var isCancelled = false
    /// Whether the filter was removed while its run is under way.
    var isRemoved = false
    var hasToken: Bool
    /// When it was added, by the clock that never jumps.
    let addedAt: Duration
    /// When the last run finished, by the wall clock and by the one that never jumps.
    var syncedAt: Int64?
    var finishedAt: Duration?
    var failures: Int
    var resyncs: Int
    /// When a token was last rejected.
    var resyncedAt: Duration?
    /// No run by itself before this, after a failure.
    var notBefore: Duration?
    /// No run at all before this: the server said so.
    var serverNotBefore: Duration?
    /// No run by itself before this, because token after token was rejected.
    var slowUntil: Duration?
    /// When resources that the last run went without are asked for again.
    var missingDue: Duration?
    /// Nil after a run that finished.
    var lastError: SyncError?
    var isOverdueReported = false

    init(_ filter: ResourceFilter, _ priority: SyncPriority, _ known: KnownFilter, addedAt: Duration) {
        self.filter = filter
        text = filter.description
        self.priority = priority
        hasToken = known.hasToken
        self.addedAt = addedAt
        syncedAt = known.syncedAt
        failures = known.failures
        resyncs = known.resyncs
    }

    /// What a run is wanted for that nobody asks for by hand.
    var ownWant: SyncWant { !hasToken || isOverdueReported ? .asked : .background }

    /// The earliest time at which a run wanted as `want` may begin.
    func earliest(for want: SyncWant) -> Duration? {
        let byServer = serverNotBefore
        if want == .manual { return byServer }
        return [notBefore, slowUntil, byServer].compactMap { $0 }.max()
    }

    /// Wants a run, unless one is wanted more already.
    mutating func ask(_ new: SyncWant, at moment: Moment) {
        guard let old = want else {
            want = new
            wantedSince = moment.elapsed
            return
        }
        want = max(old, new)
    }

    /// Whether the last finished run is at least so long ago.
    func isOlder(than age: Duration, at moment: Moment) -> Bool {
        guard let syncedAt else { return true }
        if let finishedAt, moment.elapsed - finishedAt >= age { return true }
        // A clock that was set back makes the last run one of the future; it is then older than any age.
        let passed = moment.now.subtractingReportingOverflow(syncedAt)
        return passed.overflow || passed.partialValue < 0 || .milliseconds(passed.partialValue) >= age
    }
}

internal import LarderTransport

/// The state of one filter in the coordinator.
struct FilterSchedule: Sendable {
    let filter: ResourceFilter
    let text: String
    var priority: SyncPriority
    /// The urgency of the next run, nil if none is wanted, and the time since which it is wanted.
    var wanted: SyncUrgency?
    var wantedSince: Duration = .zero
    /// The urgency of the run under way; nil without one.
    var running: SyncUrgency?
    /// The time at which the last run began, in milliseconds since 1970-01-01 UTC.
    var lastRunAt: Int64?
    /// Whether the server has returned a page in the run under way, or in the last one.
    var hasResponse = false
    /// Whether the coordinator cancelled the run under way, so that its end is not a failure.
    var isCancelled = false
    /// Whether the filter was removed while its run is under way.
    var isRemoved = false
    var hasToken: Bool
    let isList: Bool
    /// The number of the change up to which it is in step; nil before its first run has finished.
    var sequence: Int64?
    /// The highest number of a change that the server has reported and that no run has brought yet.
    var announced: Int64?
    /// The number that the server had reported when the run under way, or the last one, began.
    var awaited: Int64?
    /// The number of runs in a row that brought nothing of what the server had reported.
    var runsBehind = 0
    /// The earliest time of another run in the background, after one that was behind.
    var behindUntil: Duration?
    /// The monotonic time at which it was added.
    let addedAt: Duration
    /// The time at which the last run finished, in milliseconds since 1970-01-01 UTC; and the monotonic time, also of
    /// one that was incomplete.
    var syncedAt: Int64?
    var finishedAt: Duration?
    /// The share of the interval between runs after which the next one is due.
    var refreshShare = 1.0
    var failures: Int
    var resyncs: Int
    /// The monotonic time at which a token was last rejected.
    var resyncedAt: Duration?
    /// The earliest time of an automatic run, after a failure.
    var notBefore: Duration?
    /// The earliest time of any run, as the server requested it.
    var serverNotBefore: Duration?
    /// The earliest time of an automatic run, after several tokens in a row were rejected.
    var slowUntil: Duration?
    /// The time at which resources that the last run went without are requested again.
    var missingDue: Duration?
    /// The error of the last run; nil after one that finished.
    var lastError: SyncError?
    var isOverdueReported = false

    init(_ filter: ResourceFilter, _ priority: SyncPriority, _ known: KnownFilter, addedAt: Duration) {
        self.filter = filter
        text = filter.description
        self.priority = priority
        hasToken = known.hasToken
        isList = known.isList
        sequence = known.sequence
        self.addedAt = addedAt
        syncedAt = known.syncedAt
        failures = known.failures
        resyncs = known.resyncs
    }

    /// The urgency of a run that is not requested manually.
    var automaticUrgency: SyncUrgency { !hasToken || isOverdueReported ? .urgent : .background }

    /// Returns the earliest time at which a run wanted as `urgency` may begin; nil for any time.
    func earliest(for urgency: SyncUrgency) -> Duration? {
        let byServer = serverNotBefore
        if urgency == .manual { return byServer }
        return [notBefore, slowUntil, byServer, urgency == .background ? behindUntil : nil].compactMap { $0 }.max()
    }

    /// Requests a run, unless a more urgent one is wanted already.
    mutating func request(_ new: SyncUrgency, at reading: ClockReading) {
        guard let old = wanted else {
            wanted = new
            wantedSince = reading.elapsed
            return
        }
        wanted = max(old, new)
    }

    /// Whether the last finished run is at least `age` ago.
    func isOlder(than age: Duration, at reading: ClockReading) -> Bool {
        guard let syncedAt else { return true }
        if let finishedAt, reading.elapsed - finishedAt >= age { return true }
        // After the clock was moved back, the last run is in the future; it then counts as older than any age.
        let passed = reading.now.subtractingReportingOverflow(syncedAt)
        return passed.overflow || passed.partialValue < 0 || .milliseconds(passed.partialValue) >= age
    }
}

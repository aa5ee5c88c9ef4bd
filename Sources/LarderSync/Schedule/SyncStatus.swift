internal import LarderFormat
public import LarderStore
public import LarderTransport

/// The status of the coordinator at one point in time, as a plain value.
///
/// ```swift
/// for await status in coordinator.statuses() {  // now, and after every change
///     for filter in status.filters {
///         print(filter.filter, filter.readiness?.isComplete == true, filter.activity)
///     }
/// }
/// ```
public struct SyncStatus: Hashable, Sendable {
    /// Whether the coordinator runs.
    public var isRunning: Bool
    /// The network, as its source reports it; offline until the first report.
    public var network: NetworkState
    /// The power, as its source reports it.
    public var power: PowerState
    /// Whether the host has forced the coordinator offline.
    public var isForcedOffline: Bool
    /// Whether the server reports changes over an open connection (``SyncPolicy/listensForChanges``).
    public var isListening: Bool
    /// The runs that are allowed under these conditions.
    public var allowance: SyncAllowance
    /// Every filter, in the order they were added.
    public var filters: [FilterStatus]
}

/// The status of one filter.
public struct FilterStatus: Hashable, Sendable {
    /// The current activity for a filter.
    public enum Activity: Hashable, Sendable {
        /// Nothing is due.
        case idle
        /// A run is due and waits.
        case waiting(for: BlockedReason)
        /// A run is under way.
        case running(RunProgress)
    }

    /// The reason that blocks a due run.
    public enum BlockedReason: Hashable, Sendable {
        /// A network, or one that reaches the server.
        case network
        /// A network without restraint, or power: the run is not urgent enough for the present conditions.
        case conditions
        /// Its turn: as many runs are under way as allowed.
        case turn
        /// The time of the next attempt, in milliseconds since 1970-01-01 UTC.
        case retry(at: Int64)
        /// The end of a slow phase after several tokens in a row were rejected, in milliseconds since 1970-01-01 UTC.
        case slowMode(until: Int64)
        /// The coordinator, which does not run or has not handled the filter yet.
        case coordinator
    }

    /// The canonical text of the filter.
    public var filter: String
    /// Its priority.
    public var priority: SyncPriority
    /// The current activity.
    public var activity: Activity
    /// The readiness of its content; nil before its first run has begun.
    public var readiness: FilterReadiness?
    /// Whether its last finished run is longer ago than ``SyncPolicy/overdueAfter``.
    public var isOverdue: Bool
    /// The reason its last run failed; nil once one has finished.
    public var lastError: String?
}

/// The progress of a run.
public struct RunProgress: Hashable, Sendable {
    /// The way the run began.
    public var kind: SyncReport.Kind = .incremental
    /// Pages that arrived.
    public var pages = 0
    /// Changes on these pages.
    public var mutations = 0
    /// Snapshots that were swapped in.
    public var snapshots = 0
    /// Rows of snapshots that arrived, those under way included.
    public var rows: Int { finishedRows + arriving.values.reduce(0) { $0 + $1.rows } }
    /// Bytes of snapshots that arrived, those under way included.
    public var bytes: Int { finishedBytes + arriving.values.reduce(0) { $0 + $1.bytes } }
    /// Bytes that are still to arrive of the snapshots under way; nil when the server does not state the length of one.
    public var remainingBytes: Int? {
        arriving.values.reduce(0) { (sum: Int?, copy) in
            // The server states the length, so it may be any number.
            guard let sum, let total = copy.totalBytes, total >= 0 else { return nil }
            let (next, isTooLarge) = sum.addingReportingOverflow(max(0, total - copy.bytes))
            return isTooLarge ? nil : next
        }
    }

    /// The snapshots under way, as the sum of their parts that have arrived: 1.5 for one that is complete and one that
    /// is half there. One of unknown length counts as nothing. One that was swapped in is no longer
    /// under way.
    public var arrivingShare: Double {
        arriving.values.reduce(0) { sum, snapshot in
            guard let total = snapshot.totalBytes, total > 0 else { return sum }
            return sum + min(1, Double(snapshot.bytes) / Double(total))
        }
    }

    private struct ArrivingSnapshot: Hashable {
        var rows: Int
        var bytes: Int
        var totalBytes: Int?
    }

    private var finishedRows = 0
    private var finishedBytes = 0
    private var arriving: [ResourceKey: ArrivingSnapshot] = [:]

    /// The progress of a run that has done nothing yet.
    init() {}

    /// Updates the progress by an event.
    mutating func update(with event: SyncEvent) {
        switch event {
        case .began(_, let kind):
            self = RunProgress()
            self.kind = kind
        case .page(_, let mutations):
            pages += 1
            self.mutations += mutations
        case .snapshot(let resource, let rows, let bytes, let totalBytes):
            arriving[resource] = ArrivingSnapshot(rows: rows, bytes: bytes, totalBytes: totalBytes)
        case .swapped(let resource, let rows, let bytes, _):
            arriving[resource] = nil
            finishedRows += rows
            finishedBytes += bytes
            snapshots += 1
        case .lagging(let resource), .unknownGroup(let resource), .hidden(let resource): arriving[resource] = nil
        case .resourceFailed(let failure): arriving[failure.resource] = nil
        default: break
        }
    }
}

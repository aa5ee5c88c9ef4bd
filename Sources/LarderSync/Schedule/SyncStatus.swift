internal import LarderFormat
public import LarderStore
public import LarderTransport

/// What the coordinator is about at one moment, as a plain value.
public struct SyncStatus: Hashable, Sendable {
    /// Whether the coordinator runs.
    public var isRunning: Bool
    /// The network, as its source says; offline until it has said anything.
    public var network: NetworkState
    /// The power, as its source says.
    public var power: PowerState
    /// Whether the host has forced the coordinator offline.
    public var isForcedOffline: Bool
    /// What may be done under these conditions.
    public var allowance: SyncAllowance
    /// Every filter, in the order they were added.
    public var filters: [FilterStatus]
}

/// How one filter is doing.
public struct FilterStatus: Hashable, Sendable {
    /// What is being done for it.
    public enum Activity: Hashable, Sendable {
        /// Nothing is due.
        case idle
        /// A run is due and waits.
        case waiting(for: Obstacle)
        /// A run is under way.
        case running(RunProgress)
    }

    /// What a run that is due waits for.
    public enum Obstacle: Hashable, Sendable {
        /// A network, or one that reaches the server.
        case network
        /// A network without restraint, or power: the filter's run is not urgent enough for what there is.
        case conditions
        /// Its turn: as many runs are under way as may be.
        case turn
        /// The time of the next try, in milliseconds since 1970-01-01 UTC.
        case retry(at: Int64)
        /// The end of a slow spell after token upon token was rejected, in milliseconds since 1970-01-01 UTC.
        case slowMode(until: Int64)
        /// The coordinator to run, or to take note of the filter.
        case coordinator
    }

    /// The canonical text of the filter.
    public var filter: String
    /// Its priority.
    public var priority: SyncPriority
    /// What is being done for it.
    public var activity: Activity
    /// How ready its content is; nil before its first run has begun.
    public var readiness: FilterReadiness?
    /// Whether its last finished run is longer ago than the policy has it.
    public var isOverdue: Bool
    /// Why its last run failed; nil once one has finished.
    public var lastError: String?
}

/// How far a run is.
public struct RunProgress: Hashable, Sendable {
    /// How it began.
    public var kind: SyncReport.Kind = .incremental
    /// Pages that arrived.
    public var pages = 0
    /// Changes on them.
    public var mutations = 0
    /// Full copies that were swapped in.
    public var fullCopies = 0
    /// Rows of full copies that arrived, those under way included.
    public var rows: Int { finishedRows + arriving.values.reduce(0) { $0 + $1.rows } }
    /// Bytes of full copies that arrived, those under way included.
    public var bytes: Int { finishedBytes + arriving.values.reduce(0) { $0 + $1.bytes } }
    /// Bytes that are still to come of the full copies under way; nil when the server does not say how long one is.
    public var bytesToGo: Int? {
        arriving.values.reduce(0) { (sum: Int?, copy) in
            // The length is the server's word: any number.
            guard let sum, let total = copy.totalBytes, total >= 0 else { return nil }
            let (next, isTooLarge) = sum.addingReportingOverflow(max(0, total - copy.bytes))
            return isTooLarge ? nil : next
        }
    }

    private struct Arriving: Hashable {
        var rows: Int
        var bytes: Int
        var totalBytes: Int?
    }

    private var finishedRows = 0
    private var finishedBytes = 0
    private var arriving: [ResourceKey: Arriving] = [:]

    /// Nothing yet.
    init() {}

    /// Counts what happened.
    mutating func count(_ event: SyncEvent) {
        switch event {
        case .began(_, let kind):
            self = RunProgress()
            self.kind = kind
        case .page(_, let mutations):
            pages += 1
            self.mutations += mutations
        case .fullCopy(let resource, let rows, let bytes, let totalBytes):
            arriving[resource] = Arriving(rows: rows, bytes: bytes, totalBytes: totalBytes)
        case .swapped(let resource, let rows, let bytes, _):
            arriving[resource] = nil
            finishedRows += rows
            finishedBytes += bytes
            fullCopies += 1
        case .lagging(let resource), .unknownGroup(let resource), .hidden(let resource): arriving[resource] = nil
        case .resourceFailed(let failure): arriving[failure.resource] = nil
        default: break
        }
    }
}

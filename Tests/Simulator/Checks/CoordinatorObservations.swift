// CoordinatorObservations: what a host knows about the coordinator: requested filters and reported runs.

internal import LarderSync

/// What a host knows of the coordinator from outside: its requests, and the reported events of runs.
struct CoordinatorObservations {
    /// The filters for which something was asked since their last run began.
    private(set) var requestedFilters: Set<String> = []
    /// The filters whose last run finished without a bootstrap: nothing holds back the next one.
    private(set) var isFree: Set<String> = []
    /// The filters that finished a run begun in quiet.
    private(set) var isInStep: Set<String> = []
    /// The filters whose last run began in quiet.
    private var begunInQuiet: Set<String> = []

    /// Whether a captive portal was met, and neither another network nor a look past it has come since.
    private(set) var knowsPortal = false
    /// The runs that were under way at the last look.
    private var running: Set<String> = []
    /// The last report of each filter, and how often what may run, or is wanted, has changed.
    private(set) var reports: [String: SyncReport] = [:]
    private(set) var changes = 0
    /// Whether the coordinator has heard that it is to stop.
    private(set) var isStopping = false

    /// Whether the coordinator is sure to know of it, too.
    private var isBehindPortal = false
    /// Whether the coordinator may not have heard yet that the network is another: a portal that it meets is that of the last.
    private var hasNetworkChange = false
    /// How many networks there were.
    private var networks = 0

    /// The network that a look past a portal is about when it begins now; nil while the coordinator may take it for the last.
    var network: Int? { hasNetworkChange ? nil : networks }

    mutating func networkChanged() {
        networks += 1
        knowsPortal = false
        isBehindPortal = false
        hasNetworkChange = true
    }

    /// The coordinator has handled every event it was sent.
    mutating func becameIdle() { hasNetworkChange = false }

    /// A look past the portal has found the server. One that began on an earlier network is about another portal.
    mutating func probedPortal(on network: Int?) {
        guard network == networks else { return }
        knowsPortal = false
        isBehindPortal = false
    }

    /// The coordinator has done all that it could do since it was asked to stop.
    mutating func stopHandled() { isStopping = true }

    /// What may run is another from now on.
    mutating func countChange() { changes += 1 }

    /// Notes which runs are under way.
    mutating func record(running now: Set<String>, most: Int) throws {
        if now == running { return }
        defer { running = now }
        if now.count > most { throw Violation(.oneRunAtATime, "\(now.count) runs are under way, \(most) may be") }
        guard let begun = now.subtracting(running).min() else { return }
        if isBehindPortal { throw Violation(.conditions, "a run of \(begun) is begun behind a portal") }
        if isStopping { throw Violation(.stopping, "a run of \(begun) is begun after the stop") }
    }

    /// What is in step by now does not count any more.
    mutating func reset() {
        isInStep = []
        begunInQuiet = []
    }

    mutating func addFilter(_ text: String) { requestedFilters.insert(text) }

    mutating func removeFilter(_ text: String) {
        countChange()
        requestedFilters.remove(text)
        isFree.remove(text)
        isInStep.remove(text)
    }

    /// Records an event of a run.
    mutating func handle(_ event: SyncEvent, isQuiet: Bool) {
        switch event {
        case .began(let text, _):
            requestedFilters.remove(text)
            isFree.remove(text)
            if isQuiet { begunInQuiet.insert(text) } else { begunInQuiet.remove(text) }
        case .finished(let report):
            reports[report.filter] = report
            if report.kind == .incremental { isFree.insert(report.filter) }
            if begunInQuiet.contains(report.filter) { isInStep.insert(report.filter) }
        case .failed(let text, _, _): isFree.remove(text)
        case .intercepted:
            knowsPortal = true
            isBehindPortal = !hasNetworkChange
        default: break
        }
    }

    /// Notes for whom a trigger asks for a run whatever else is the case.
    mutating func record(_ trigger: SyncTrigger, wanted: [ResourceFilter]) {
        switch trigger {
        case .launch, .push(nil): requestedFilters.formUnion(wanted.map(\.description))
        case .push(let filter?): if wanted.contains(filter) { requestedFilters.insert(filter.description) }
        default: break
        }
    }
}

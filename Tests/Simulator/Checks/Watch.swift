internal import LarderSync

/// What a host knows of the coordinator from outside: what was asked for, and what was told of the runs.
struct Watch {
    /// The filters for which something was asked since their last run began.
    private(set) var asked: Set<String> = []
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
    private var isNetworkNews = false
    /// How many networks there were.
    private var networks = 0

    /// The network that a look past a portal is about when it begins now; nil while the coordinator may take it for the last.
    var network: Int? { isNetworkNews ? nil : networks }

    mutating func hasOtherNetwork() {
        networks += 1
        knowsPortal = false
        isBehindPortal = false
        isNetworkNews = true
    }

    /// The coordinator has heard of all that was told.
    mutating func isAtRest() { isNetworkNews = false }

    /// A look past the portal has found the server. One that began on an earlier network is about another portal.
    mutating func hasLookedPast(on network: Int?) {
        guard network == networks else { return }
        knowsPortal = false
        isBehindPortal = false
    }

    /// The coordinator has done all that it could do since it was asked to stop.
    mutating func hasHeardOfStop() { isStopping = true }

    /// What may run is another from now on.
    mutating func isChanged() { changes += 1 }

    /// Notes which runs are under way.
    mutating func note(running now: Set<String>, most: Int) throws {
        if now == running { return }
        defer { running = now }
        if now.count > most { throw Violation(.singleFlight, "\(now.count) runs are under way, \(most) may be") }
        guard let begun = now.subtracting(running).min() else { return }
        if isBehindPortal { throw Violation(.conditions, "a run of \(begun) is begun behind a portal") }
        if isStopping { throw Violation(.stopping, "a run of \(begun) is begun after the stop") }
    }

    /// What is in step by now does not count any more.
    mutating func isBegunAnew() {
        isInStep = []
        begunInQuiet = []
    }

    mutating func isAdded(_ text: String) { asked.insert(text) }

    mutating func isRemoved(_ text: String) {
        isChanged()
        asked.remove(text)
        isFree.remove(text)
        isInStep.remove(text)
    }

    /// Notes what is told of a run.
    mutating func take(_ event: SyncEvent, isQuiet: Bool) {
        switch event {
        case .began(let text, _):
            asked.remove(text)
            isFree.remove(text)
            if isQuiet { begunInQuiet.insert(text) } else { begunInQuiet.remove(text) }
        case .finished(let report):
            reports[report.filter] = report
            if report.kind == .incremental { isFree.insert(report.filter) }
            if begunInQuiet.contains(report.filter) { isInStep.insert(report.filter) }
        case .failed(let text, _, _): isFree.remove(text)
        case .intercepted:
            knowsPortal = true
            isBehindPortal = !isNetworkNews
        default: break
        }
    }

    /// Notes for whom a trigger asks for a run whatever else is the case.
    mutating func note(_ trigger: SyncTrigger, wanted: [ResourceFilter]) {
        switch trigger {
        case .launch, .push(nil): asked.formUnion(wanted.map(\.description))
        case .push(let filter?): if wanted.contains(filter) { asked.insert(filter.description) }
        default: break
        }
    }
}

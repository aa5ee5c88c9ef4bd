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

    /// Whether a captive portal was met, and no other network has come since.
    private(set) var knowsPortal = false

    mutating func hasOtherNetwork() { knowsPortal = false }

    /// What is in step by now does not count any more.
    mutating func isBegunAnew() {
        isInStep = []
        begunInQuiet = []
    }

    mutating func isAdded(_ text: String) { asked.insert(text) }

    mutating func isRemoved(_ text: String) {
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
            if report.kind == .incremental { isFree.insert(report.filter) }
            if begunInQuiet.contains(report.filter) { isInStep.insert(report.filter) }
        case .failed(let text, _, _): isFree.remove(text)
        case .intercepted: knowsPortal = true
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

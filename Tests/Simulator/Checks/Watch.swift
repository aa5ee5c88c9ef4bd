internal import LarderFormat
internal import LarderSync
internal import LarderTransport

/// What a host knows of the coordinator from outside: what was asked for, what was told, what runs.
struct Watch {
    /// The filters for which something was asked since their last run began.
    private(set) var asked: Set<String> = []
    /// The filters whose runs are over and of whose end the coordinator has not heard.
    private(set) var ending: [String] = []
    /// Whether a captive portal was met, and nothing has told since that it is gone.
    private(set) var knowsPortal = false
    /// Whether a look showed a way past one, and no run has come to its end since.
    private var hasLookedThrough = false
    /// The filters whose runs under way the server has answered.
    private var answered: Set<String> = []
    /// The filters whose runs the coordinator calls off.
    private var cancelled: Set<String> = []
    private var network = NetworkState.offline
    /// The last probe sent since the network changed: only its answer is about this network.
    private var probe: Int?
    /// The filters whose last run finished without a bootstrap: nothing holds back the next one.
    private(set) var isFree: Set<String> = []
    /// The filters that finished a run begun in quiet.
    private(set) var isInStep: Set<String> = []
    /// How often somebody was told no.
    var refusals = 0

    func isEnding(_ text: String) -> Bool { ending.contains(text) }

    /// Whether the coordinator has the filter's run end.
    func isBeingEnded(_ text: String) -> Bool { cancelled.contains(text) }

    /// What is in step by now does not count any more.
    mutating func isBegunAnew() { isInStep = [] }

    mutating func isAdded(_ text: String) { asked.insert(text) }

    mutating func isRemoved(_ text: String) {
        asked.remove(text)
        isFree.remove(text)
        isInStep.remove(text)
    }

    mutating func isProbed(_ number: Int) { probe = number }

    mutating func isCancelled(_ text: String) { cancelled.insert(text) }

    mutating func isStarted(_ text: String) {
        asked.remove(text)
        answered.remove(text)
    }

    mutating func isOver(_ text: String, _ outcome: Result<SyncReport, SyncError>, isQuiet: Bool) {
        ending.append(text)
        isFree.remove(text)
        if case .success(let report) = outcome {
            if report.kind == .incremental { isFree.insert(text) }
            if isQuiet { isInStep.insert(text) }
        }
    }

    /// Notes what the coordinator hears.
    mutating func take(_ event: CoordinatorEvent, hasProbe: Bool) {
        switch event {
        case .network(let state):
            // Another network may have no portal; the same one has.
            if state != network {
                knowsPortal = false
                hasLookedThrough = false
                probe = nil
            }
            network = state
        case .probed(probe, isReachable: true):
            if knowsPortal { hasLookedThrough = true }
            knowsPortal = false
        case .answered(let text): answered.insert(text)
        case .ended(let text, let outcome):
            ending.removeAll { $0 == text }
            // What a run that was called off met is not looked at.
            let isCancelled = cancelled.remove(text) != nil
            switch outcome {
            case .success: hasLookedThrough = false
            case .failure(.incomplete) where !isCancelled && answered.contains(text): hasLookedThrough = false
            case .failure(.intercepted) where !isCancelled && hasProbe && !hasLookedThrough: knowsPortal = true
            case .failure: break
            }
        default: break
        }
    }

    /// Notes for whom a trigger asks for a run whatever else is the case.
    mutating func note(
        _ trigger: SyncTrigger, coordinator: CoordinatorMachine, wanted: [ResourceFilter], isStopping: Bool
    ) {
        if isStopping { return }
        switch trigger {
        case .launch, .push(nil): asked.formUnion(wanted.map(\.description))
        case .push(let filter?): if wanted.contains(filter) { asked.insert(filter.description) }
        default: break
        }
    }
}

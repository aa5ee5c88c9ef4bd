// ScheduleBench: the schedule's state machine with a clock, a timer and running filters, checked after every step.

import LarderFormat
import LarderStore
import LarderSync
import LarderTransport
import Testing

/// The pure machine with a clock, a timer and a count of runs: what the shell does, without doing it.
///
/// After every step it looks whether what must always hold does.
struct ScheduleBench {
    private(set) var machine: CoordinatorMachine
    private(set) var elapsed = Duration.zero
    /// Milliseconds since 1970-01-01 UTC; a test may set it.
    var now: Int64 = 1_700_000_000_000
    /// The filters whose runs are under way.
    private(set) var running: Set<String> = []
    /// The filters that are to be kept in step.
    private(set) var filters: Set<String> = []
    /// When the timer goes off.
    private(set) var alarm: Duration?
    /// The numbers of the probes that are not answered yet, in the order they were sent.
    private(set) var probes: [Int] = []
    private(set) var isStopped = false
    /// What did not hold.
    private(set) var violations: [String] = []
    let concurrentRuns: Int

    init(
        hasProbe: Bool = true, seed: UInt64 = 1, network: NetworkState = .online,
        policy change: (inout SyncPolicy) -> Void = { _ in }
    ) {
        var policy = SyncPolicy()
        policy.refreshJitter = 0
        change(&policy)
        concurrentRuns = policy.concurrentRuns
        machine = CoordinatorMachine(policy: policy, hasProbe: hasProbe, seed: seed)
        send(.network(network))
    }

    var reading: ClockReading { ClockReading(elapsed: elapsed, now: now) }

    /// Takes an event, and gives what the machine asks for.
    @discardableResult
    mutating func send(_ event: CoordinatorEvent) -> [CoordinatorEffect] {
        switch event {
        case .added(let filter, _, _): filters.insert(filter.description)
        case .removed(let text): filters.remove(text)
        case .ended(let text, _):
            guard running.remove(text) != nil else {
                violations.append("\(text) was to run, and does not")
                return []
            }
        case .timer: alarm = nil
        default: break
        }
        let effects = machine.step(event, at: reading)
        for effect in effects { record(effect) }
        check(effects)
        return effects
    }

    private mutating func record(_ effect: CoordinatorEffect) {
        switch effect {
        case .start(let text):
            if !running.insert(text).inserted { violations.append("\(text) is started twice") }
            if machine.allowance == .nothing { violations.append("\(text) is started where nothing may run") }
            if isStopped || machine.isStopping { violations.append("\(text) is started after the end") }
        case .cancel(let text):
            if !running.contains(text) { violations.append("\(text) is ended and does not run") }
        case .arm(let time):
            if let time, time <= elapsed { violations.append("the timer is set to the past") }
            alarm = time
        case .probe(let number): probes.append(number)
        case .stopped: isStopped = true
        case .refuse, .storeRunRecord, .report, .listen, .stopListening: break
        }
    }

    private mutating func check(_ effects: [CoordinatorEffect]) {
        if running.count > concurrentRuns { violations.append("\(running.count) runs at the same time") }
        if machine.armed != alarm { violations.append("the timer is not where it is thought to be") }
        if !machine.isLive(at: reading) { violations.append("what is due is forgotten") }
        if isStopped, !running.isEmpty { violations.append("stopped before the last run was over") }
    }
}

// MARK: - What a test does with it

extension ScheduleBench {
    /// Adds a filter as the store knows it.
    @discardableResult
    mutating func add(
        _ text: String, _ priority: SyncPriority = .normal, known change: (inout KnownFilter) -> Void = { _ in }
    ) throws -> [CoordinatorEffect] {
        var known = KnownFilter()
        change(&known)
        return send(.added(try ResourceFilter(text), priority, known))
    }

    /// Adds a filter and lets its first run finish.
    mutating func addSynced(_ text: String, _ priority: SyncPriority = .normal) throws {
        try add(text, priority)
        finish(text, .bootstrap)
    }

    @discardableResult
    mutating func finish(_ text: String, _ kind: SyncReport.Kind = .incremental) -> [CoordinatorEffect] {
        send(.ended(text, .success(SyncReport(filter: text, kind: kind))))
    }

    @discardableResult
    mutating func fail(_ text: String, _ error: SyncError = .ofServer()) -> [CoordinatorEffect] {
        send(.ended(text, .failure(error)))
    }

    @discardableResult
    mutating func trigger(_ trigger: SyncTrigger) -> [CoordinatorEffect] { send(.trigger(trigger)) }

    /// Answers the probe that has been under way for the longest time.
    @discardableResult
    mutating func answerProbe(_ isReachable: Bool) -> [CoordinatorEffect] {
        send(.probed(probes.removeFirst(), isReachable: isReachable))
    }

    /// Lets time pass; the timer goes off whenever it is due.
    @discardableResult
    mutating func advance(_ duration: Duration) -> [CoordinatorEffect] {
        let end = elapsed + duration
        var effects: [CoordinatorEffect] = []
        var count = 0
        while let alarm, alarm <= end {
            advance(to: alarm)
            effects += send(.timer)
            count += 1
            guard count < 100_000 else {
                violations.append("the timer goes off without end")
                break
            }
        }
        advance(to: end)
        return effects
    }

    /// Lets time pass without the timer, as on a device that sleeps.
    mutating func advance(to time: Duration) {
        now += Int64((time - elapsed) / .milliseconds(1))
        elapsed = time
    }
}

extension ScheduleBench {
    /// A run that came to its end without one resource, whose snapshot has just failed.
    func incomplete() -> SyncError {
        let failure = SnapshotFailure(kind: .transient, count: 1, failedAt: now, reason: "-")
        return .incomplete([ResourceFailure(ResourceKey("a", 1), failure)])
    }
}

extension SyncError {
    /// A server that is failing.
    static func ofServer(retryAfter: Int? = nil) -> SyncError {
        .unavailable(ServerProblem(status: 503, code: nil, message: ""), retryAfter: retryAfter)
    }

    /// A request the server refuses.
    static let ofRequest = SyncError.refused(ServerProblem(status: 422, code: "invalid_request", message: ""))
}

extension [CoordinatorEffect] {
    var started: [String] {
        compactMap { if case .start(let text) = $0 { text } else { nil } }
    }

    var cancelled: [String] {
        compactMap { if case .cancel(let text) = $0 { text } else { nil } }
    }

    var reported: [SyncEvent] {
        compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    var runRecords: [RunRecord] {
        compactMap { if case .storeRunRecord(_, let note) = $0 { note } else { nil } }
    }

    var refused: [(text: String, error: SyncError)] {
        compactMap { if case .refuse(let text, let error) = $0 { (text, error) } else { nil } }
    }

    var probes: Int {
        count { if case .probe = $0 { true } else { false } }
    }

    var isStopped: Bool {
        contains { if case .stopped = $0 { true } else { false } }
    }
}

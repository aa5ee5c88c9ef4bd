internal import LarderFormat
package import LarderTransport

/// The decisions about which filter is run when, as a pure step function: an event in, effects out.
///
/// It holds the runs that are wanted, under way and waited for. Whenever a run is wanted and the conditions allow it, a
/// run is under way or the timer is armed (``isLive(at:)``).
package struct CoordinatorMachine: Sendable {
    let policy: SyncPolicy
    let hasProbe: Bool
    var random: SplitMix64
    /// The schedules of the filters, in the order they were added.
    var schedules: [FilterSchedule] = []
    private(set) package var network = NetworkState.offline
    private(set) package var power = PowerState.normal
    private(set) package var isForcedOffline = false
    /// The state of a portal that responds in the server's place, until a probe reaches the server.
    var portal: Portal?
    /// The number of times a portal was found since a run last finished.
    var portalFailures = 0
    /// Whether the last probe reached the server, and no run has finished since. A portal that a run finds then
    /// concerns that run alone.
    var lastProbeSucceeded = false
    /// The time at which the timer fires.
    package internal(set) var armed: Duration?
    private(set) package var isStopping = false
    var effects: [CoordinatorEffect] = []
    /// The connection over which the server reports changes.
    var listening = Listening()

    /// The number of probes requested so far. A probe outlives a change of network, and its result is then about
    /// another portal.
    var probes = 0

    enum Portal {
        /// The next probe is sent at this time.
        case waiting(Duration)
        /// The probe of this number is under way.
        case probing(Int)
    }

    /// A coordinator without filters and network.
    ///
    /// - Parameters:
    ///   - hasProbe: whether ``CoordinatorEffect/probe(_:)`` is performed; without it a captive portal is a failure
    ///     like others.
    ///   - seed: the seed of the random numbers.
    package init(policy: SyncPolicy, hasProbe: Bool, seed: UInt64) {
        precondition(policy.isValid, "a part of the policy is out of its range")
        self.policy = policy
        self.hasProbe = hasProbe
        random = SplitMix64(state: seed)
    }

    /// Handles an event, and returns the effects to perform.
    package mutating func step(_ event: CoordinatorEvent, at reading: ClockReading) -> [CoordinatorEffect] {
        effects = []
        switch event {
        case .added(let filter, let priority, let known): add(filter, priority, known, reading)
        case .removed(let text): remove(text)
        case .trigger(let trigger): handle(trigger, reading)
        case .network(let state): handle(state, reading)
        case .power(let state): power = state
        case .forcedOffline(let isForced): setForcedOffline(isForced, reading)
        case .timer: armed = nil
        case .probed(let number, let isReachable): handleProbe(number, isReachable, reading)
        case .responded(let text):
            if let index = index(text) { schedules[index].hasResponse = true }
        case .rejected(let text): countRejection(text, reading)
        case .ended(let text, let outcome): handleEnd(text, outcome, reading)
        case .listening(let number): listening.hasOpened(number)
        case .changed(let text, let sequence): handleChange(text, sequence, reading)
        case .listeningEnded(let number, let error): handleEndOfListening(number, error, reading)
        case .stop: stop()
        }
        schedule(reading)
        return effects
    }

    /// The runs that network, power and host allow.
    package var allowance: SyncAllowance {
        if isForcedOffline || portal != nil { return .nothing }
        return SyncAllowance(network: network.level, power: power)
    }
}

// MARK: - Events

extension CoordinatorMachine {
    func index(_ text: String) -> Int? { schedules.firstIndex { $0.text == text } }

    private mutating func add(
        _ filter: ResourceFilter, _ priority: SyncPriority, _ known: KnownFilter, _ reading: ClockReading
    ) {
        if let index = index(filter.description) {
            schedules[index].priority = priority
            schedules[index].isRemoved = false
            return
        }
        var schedule = FilterSchedule(filter, priority, known, addedAt: reading.elapsed)
        // A slow phase after rejections continues across launches.
        schedule.resyncedAt = known.resyncedAt.map { reading.elapsed - reading.passed(since: $0) }
        if schedule.resyncs >= policy.resyncsBeforeSlow, let resyncedAt = known.resyncedAt {
            let wait = policy.slow.delay(
                afterFailures: schedule.resyncs - policy.resyncsBeforeSlow + 1, &random)
            let passed = reading.passed(since: resyncedAt)
            if passed < wait { schedule.slowUntil = reading.elapsed + wait - passed }
        }
        // The host waits for a filter without a token; one with a token is brought up to date in the background.
        schedule.request(known.hasToken ? .background : .urgent, at: reading)
        schedules.append(schedule)
    }

    private mutating func remove(_ text: String) {
        guard let index = index(text) else { return }
        if schedules[index].running == nil {
            schedules.remove(at: index)
        } else {
            schedules[index].isRemoved = true
            cancel(index)
        }
    }

    private mutating func handle(_ trigger: SyncTrigger, _ reading: ClockReading) {
        switch trigger {
        case .launch: requestAll(.background, reading)
        case .push(let filter): requestAll(.background, reading) { filter == nil || $0.filter == filter }
        case .opened(let resource):
            let age = policy.minimumAge
            requestAll(.urgent, reading) {
                $0.filter.matches(group: resource.group, id: resource.id)
                    && $0.running == nil && ($0.isOlder(than: age, at: reading) || $0.lastError != nil)
            }
        case .signedIn:
            listening.forgetRefusal(at: reading)
            for index in schedules.indices {
                if case .unauthorized = schedules[index].lastError { reset(index) }
                if case .credentials = schedules[index].lastError { reset(index) }
                if case .signedOut = schedules[index].lastError { reset(index) }
            }
            requestAll(.background, reading) { $0.lastError != nil }
        case .manual(let filter): requestManually(filter, reading)
        }
    }

    private mutating func requestAll(
        _ urgency: SyncUrgency, _ reading: ClockReading, where matches: (FilterSchedule) -> Bool = { _ in true }
    ) {
        for index in schedules.indices where matches(schedules[index]) {
            schedules[index].request(urgency, at: reading)
        }
    }

    /// Requests runs manually. A manual request does not wait for what may last long: it is refused without a network,
    /// or while a wait of the server lasts.
    private mutating func requestManually(_ filter: ResourceFilter?, _ reading: ClockReading) {
        for index in schedules.indices where filter == nil || schedules[index].filter == filter {
            let schedule = schedules[index]
            // The run under way fulfils the request, unless it is being cancelled.
            if schedule.running != nil, !schedule.isCancelled { continue }
            if allowance < .manual || isStopping {
                effects.append(.refuse(schedule.text, refusal))
                schedules[index].request(.background, at: reading)
            } else if let until = schedule.serverNotBefore, until > reading.elapsed, let error = schedule.lastError {
                effects.append(.refuse(schedule.text, error.waiting(until - reading.elapsed)))
            } else {
                schedules[index].request(.manual, at: reading)
            }
        }
    }

    var refusal: SyncError {
        if isStopping { return .cancelled }
        return portal == nil ? .offline : .intercepted(status: nil)
    }

    private mutating func handle(_ state: NetworkState, _ reading: ClockReading) {
        guard state != network else { return }
        let previous = allowance
        network = state
        // Another network may have no portal, or one of its own.
        portal = nil
        lastProbeSucceeded = false
        resumeOnline(from: previous, reading)
    }

    private mutating func setForcedOffline(_ isForced: Bool, _ reading: ClockReading) {
        let previous = allowance
        isForcedOffline = isForced
        if isForced {
            for index in schedules.indices { cancel(index) }
        } else {
            resumeOnline(from: previous, reading)
        }
    }

    /// Ends the waits after failures when the network returns, and requests the runs that are due.
    private mutating func resumeOnline(from previous: SyncAllowance, _ reading: ClockReading) {
        guard previous == .nothing, allowance > .nothing else { return }
        for index in schedules.indices {
            schedules[index].notBefore = nil
            schedules[index].failures = 0
            if schedules[index].isOlder(than: policy.minimumAge, at: reading) || schedules[index].lastError != nil {
                schedules[index].request(.background, at: reading)
            }
        }
    }

    private mutating func handleProbe(_ number: Int, _ isReachable: Bool, _ reading: ClockReading) {
        guard case .probing(number) = portal else { return }
        if isReachable {
            portal = nil
            lastProbeSucceeded = true
        } else {
            portalFailures = portalFailures.next
            portal = .waiting(probeTime(reading))
        }
    }

    mutating func probeTime(_ reading: ClockReading) -> Duration {
        reading.elapsed + policy.probe.delay(afterFailures: portalFailures, &random)
    }

    private mutating func stop() {
        guard !isStopping else { return }
        isStopping = true
        for index in schedules.indices { cancel(index) }
    }

    mutating func cancel(_ index: Int) {
        guard schedules[index].running != nil, !schedules[index].isCancelled else { return }
        schedules[index].isCancelled = true
        effects.append(.cancel(schedules[index].text))
    }

    private mutating func reset(_ index: Int) {
        schedules[index].notBefore = nil
        schedules[index].failures = 0
    }
}

extension SyncError {
    /// Returns the same error, with the rest of the wait that it reports.
    fileprivate func waiting(_ rest: Duration) -> SyncError {
        guard case .serverWait = self else { return self }
        return .serverWait(seconds: Int(clamping: (rest + .milliseconds(999)).components.seconds))
    }
}

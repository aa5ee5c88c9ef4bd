internal import LarderFormat
package import LarderTransport

/// Decides when which filter is run, as a pure step function: an event in, effects out.
///
/// It holds what is wanted, what is under way, and what is waited for. Whenever a run is wanted and the conditions allow
/// it, a run is under way or the timer is armed (``isLive(at:)``).
package struct CoordinatorMachine: Sendable {
    let policy: SyncPolicy
    let hasProbe: Bool
    var chance: Chance
    /// In the order they were added.
    var schedules: [FilterSchedule] = []
    private(set) package var network = NetworkState.offline
    private(set) package var power = PowerState.normal
    private(set) package var isForcedOffline = false
    /// Whether something answers in the server's place, until a look shows otherwise.
    var portal: Portal?
    /// The times a portal was met since a run last came to its end.
    var portalFailures = 0
    /// Whether the last look showed a way through, and no run has come to its end since: who is intercepted all the same
    /// is so alone.
    var hasLookedThrough = false
    /// When the timer goes off.
    package internal(set) var armed: Duration?
    private(set) package var isStopping = false
    var effects: [CoordinatorEffect] = []

    /// The probes asked for so far. A probe outlives a change of network, and its answer is then about another portal.
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
    ///   - hasProbe: whether ``CoordinatorEffect/probe`` is answered; without it a captive portal is a failure like others.
    ///   - seed: what chance is made of.
    package init(policy: SyncPolicy, hasProbe: Bool, seed: UInt64) {
        precondition(policy.isSound, "a part of the policy is out of its range")
        self.policy = policy
        self.hasProbe = hasProbe
        chance = Chance(state: seed)
    }

    /// Takes what happened, and says what to do.
    package mutating func step(_ event: CoordinatorEvent, at moment: Moment) -> [CoordinatorEffect] {
        effects = []
        switch event {
        case .added(let filter, let priority, let known): add(filter, priority, known, moment)
        case .removed(let text): remove(text)
        case .trigger(let trigger): take(trigger, moment)
        case .network(let state): take(state, moment)
        case .power(let state): power = state
        case .forcedOffline(let isForced): force(isForced, moment)
        case .timer: armed = nil
        case .probed(let number, let isReachable): look(number, isReachable, moment)
        case .answered(let text):
            if let index = index(text) { schedules[index].isAnswered = true }
        case .rejected(let text): countRejection(text, moment)
        case .ended(let text, let outcome): end(text, outcome, moment)
        case .stop: stop()
        }
        schedule(moment)
        return effects
    }

    /// What network and power allow.
    package var allowance: SyncAllowance {
        if isForcedOffline || portal != nil { return .nothing }
        return SyncAllowance(network: network.level, power: power)
    }
}

// MARK: - What happens

extension CoordinatorMachine {
    func index(_ text: String) -> Int? { schedules.firstIndex { $0.text == text } }

    private mutating func add(
        _ filter: ResourceFilter, _ priority: SyncPriority, _ known: KnownFilter, _ moment: Moment
    ) {
        if let index = index(filter.description) {
            schedules[index].priority = priority
            schedules[index].isRemoved = false
            return
        }
        var schedule = FilterSchedule(filter, priority, known, addedAt: moment.elapsed)
        // A loop of rejections does not begin anew with every launch.
        schedule.resyncedAt = known.resyncedAt.map { moment.elapsed - moment.passed(since: $0) }
        if schedule.resyncs >= policy.resyncsBeforeSlow, let resyncedAt = known.resyncedAt {
            let wait = policy.slow.delay(
                afterFailures: schedule.resyncs - policy.resyncsBeforeSlow + 1, &chance)
            let passed = moment.passed(since: resyncedAt)
            if passed < wait { schedule.slowUntil = moment.elapsed + wait - passed }
        }
        // What is added without a token was asked for; what has one is brought up to date behind.
        schedule.ask(known.hasToken ? .background : .asked, at: moment)
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

    private mutating func take(_ trigger: SyncTrigger, _ moment: Moment) {
        switch trigger {
        case .launch: askAll(.background, moment)
        case .push(let filter): askAll(.background, moment) { filter == nil || $0.filter == filter }
        case .opened(let resource):
            let age = policy.minimumAge
            askAll(.asked, moment) {
                $0.filter.matches(group: resource.group, id: resource.id)
                    && $0.running == nil && ($0.isOlder(than: age, at: moment) || $0.lastError != nil)
            }
        case .signedIn:
            for index in schedules.indices {
                if case .unauthorized = schedules[index].lastError { reset(index) }
                if case .credentials = schedules[index].lastError { reset(index) }
            }
            askAll(.background, moment) { $0.lastError != nil }
        case .manual(let filter): askByHand(filter, moment)
        }
    }

    private mutating func askAll(
        _ want: SyncWant, _ moment: Moment, where matches: (FilterSchedule) -> Bool = { _ in true }
    ) {
        for index in schedules.indices where matches(schedules[index]) { schedules[index].ask(want, at: moment) }
    }

    /// Who asks by hand does not wait for what may take long: without a network, or when the server wants to be left
    /// alone, the answer is no.
    private mutating func askByHand(_ filter: ResourceFilter?, _ moment: Moment) {
        for index in schedules.indices where filter == nil || schedules[index].filter == filter {
            let schedule = schedules[index]
            // The run under way is the answer, unless it is being ended.
            if schedule.running != nil, !schedule.isCancelled { continue }
            if allowance < .manual || isStopping {
                effects.append(.refuse(schedule.text, refusal))
                schedules[index].ask(.background, at: moment)
            } else if let until = schedule.serverNotBefore, until > moment.elapsed, let error = schedule.lastError {
                effects.append(.refuse(schedule.text, error.waiting(until - moment.elapsed)))
            } else {
                schedules[index].ask(.manual, at: moment)
            }
        }
    }

    var refusal: SyncError {
        if isStopping { return .cancelled }
        return portal == nil ? .offline : .intercepted(status: nil)
    }

    private mutating func take(_ state: NetworkState, _ moment: Moment) {
        guard state != network else { return }
        let was = allowance
        network = state
        // Another network may have no portal, or one of its own.
        portal = nil
        hasLookedThrough = false
        restored(from: was, moment)
    }

    private mutating func force(_ isForced: Bool, _ moment: Moment) {
        let was = allowance
        isForcedOffline = isForced
        if isForced {
            for index in schedules.indices { cancel(index) }
        } else {
            restored(from: was, moment)
        }
    }

    /// When the network returns, nobody waits any longer for having failed without it.
    private mutating func restored(from was: SyncAllowance, _ moment: Moment) {
        guard was == .nothing, allowance > .nothing else { return }
        for index in schedules.indices {
            schedules[index].notBefore = nil
            schedules[index].failures = 0
            if schedules[index].isOlder(than: policy.minimumAge, at: moment) || schedules[index].lastError != nil {
                schedules[index].ask(.background, at: moment)
            }
        }
    }

    private mutating func look(_ number: Int, _ isReachable: Bool, _ moment: Moment) {
        guard case .probing(number) = portal else { return }
        if isReachable {
            portal = nil
            hasLookedThrough = true
        } else {
            portalFailures = portalFailures.next
            portal = .waiting(lookAt(moment))
        }
    }

    mutating func lookAt(_ moment: Moment) -> Duration {
        moment.elapsed + policy.probe.delay(afterFailures: portalFailures, &chance)
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
    /// The same error, with what is left of the wait it tells of.
    fileprivate func waiting(_ rest: Duration) -> SyncError {
        guard case .serverWait = self else { return self }
        return .serverWait(seconds: Int(clamping: (rest + .milliseconds(999)).components.seconds))
    }
}

internal import LarderFormat
package import LarderTransport

/// The decisions about which filter is run when, as a pure step function: an event in, effects out.
///
/// It holds the runs that are wanted, under way and waited for. Whenever a run is wanted and the conditions allow it, a
/// run is under way or the timer is armed (``isLive(at:)``).
package struct CoordinatorMachine: Sendable {
    let policy: SyncPolicy
    let hasProbe: Bool
    var chance: Chance
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
    var hasLookedThrough = false
    /// The time at which the timer fires.
    package internal(set) var armed: Duration?
    private(set) package var isStopping = false
    var effects: [CoordinatorEffect] = []

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
        precondition(policy.isSound, "a part of the policy is out of its range")
        self.policy = policy
        self.hasProbe = hasProbe
        chance = Chance(state: seed)
    }

    /// Handles an event, and returns the effects to perform.
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
        _ filter: ResourceFilter, _ priority: SyncPriority, _ known: KnownFilter, _ moment: Moment
    ) {
        if let index = index(filter.description) {
            schedules[index].priority = priority
            schedules[index].isRemoved = false
            return
        }
        var schedule = FilterSchedule(filter, priority, known, addedAt: moment.elapsed)
        // A slow phase after rejections continues across launches.
        schedule.resyncedAt = known.resyncedAt.map { moment.elapsed - moment.passed(since: $0) }
        if schedule.resyncs >= policy.resyncsBeforeSlow, let resyncedAt = known.resyncedAt {
            let wait = policy.slow.delay(
                afterFailures: schedule.resyncs - policy.resyncsBeforeSlow + 1, &chance)
            let passed = moment.passed(since: resyncedAt)
            if passed < wait { schedule.slowUntil = moment.elapsed + wait - passed }
        }
        // The host waits for a filter without a token; one with a token is brought up to date in the background.
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

    /// Requests runs manually. A manual request does not wait for what may take long: it is refused without a network,
    /// or while a wait of the server lasts.
    private mutating func askByHand(_ filter: ResourceFilter?, _ moment: Moment) {
        for index in schedules.indices where filter == nil || schedules[index].filter == filter {
            let schedule = schedules[index]
            // The run under way fulfils the request, unless it is being cancelled.
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

    /// Ends the waits after failures when the network returns, and requests the runs that are due.
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
    /// Returns the same error, with the rest of the wait that it reports.
    fileprivate func waiting(_ rest: Duration) -> SyncError {
        guard case .serverWait = self else { return self }
        return .serverWait(seconds: Int(clamping: (rest + .milliseconds(999)).components.seconds))
    }
}

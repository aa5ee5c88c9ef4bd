package import LarderTransport

extension CoordinatorMachine {
    mutating func schedule(_ moment: Moment) {
        if isStopping {
            arm(nil)
            if schedules.allSatisfy({ $0.running == nil }) { effects.append(.stopped) }
            return
        }
        lookDue(moment)
        refresh(moment)
        if allowance < .manual { refuseWaiting(moment) }
        startDue(moment)
        arm(nextWake(moment))
    }

    private mutating func lookDue(_ moment: Moment) {
        guard let lookAt = nextLook, lookAt <= moment.elapsed else { return }
        probes += 1
        portal = .probing(probes)
        effects.append(.probe(probes))
    }

    /// The time of the next probe for a way past a portal. A probe is traffic, too: there is none while the host forces
    /// offline.
    private var nextLook: Duration? {
        guard !isForcedOffline, case .waiting(let time) = portal else { return nil }
        return time
    }

    /// Refuses the manual requests that wait for a turn: they do not wait for a network.
    private mutating func refuseWaiting(_ moment: Moment) {
        for index in schedules.indices where schedules[index].want == .manual {
            schedules[index].want = schedules[index].ownWant
            effects.append(.refuse(schedules[index].text, refusal))
        }
    }

    /// Requests the runs that are due by time, and reports overdue filters.
    private mutating func refresh(_ moment: Moment) {
        for index in schedules.indices where schedules[index].running == nil {
            let schedule = schedules[index]
            if let due = refreshAt(schedule), due <= moment.elapsed {
                schedules[index].ask(.background, at: moment)
            }
            if let due = schedule.missingDue, due <= moment.elapsed {
                schedules[index].missingDue = nil
                schedules[index].ask(schedule.ownWant, at: moment)
            }
            if let overdue = overdueAt(schedule, moment), overdue <= moment.elapsed {
                schedules[index].ask(.asked, at: moment)
                if !schedule.isOverdueReported {
                    schedules[index].isOverdueReported = true
                    effects.append(.report(.overdue(filter: schedule.text)))
                }
            }
        }
    }

    /// Returns the time at which the next run is due; nil when one is wanted already, or none is due by time.
    private func refreshAt(_ schedule: FilterSchedule) -> Duration? {
        guard schedule.want == nil, let interval = policy.refreshInterval else { return nil }
        return schedule.finishedAt.map { $0 + interval * (power == .normal ? 1 : policy.saverFactor) }
    }

    /// Returns the time at which the filter is overdue; nil when that was reported, or it was never synced.
    private func overdueAt(_ schedule: FilterSchedule, _ moment: Moment) -> Duration? {
        guard let syncedAt = schedule.syncedAt, !schedule.isOverdueReported else { return nil }
        // The age is at least what the monotonic clock has counted: by the wall clock, the last run may be in the
        // future.
        let counted = moment.elapsed - (schedule.finishedAt ?? schedule.addedAt)
        return moment.elapsed + policy.overdueAfter - max(counted, moment.passed(since: syncedAt))
    }

    private mutating func startDue(_ moment: Moment) {
        let allowance = allowance
        var free = policy.concurrentRuns - schedules.count { $0.running != nil }
        let due = schedules.indices.filter { canStart(schedules[$0], allowance, moment) }
            .sorted { precedes(schedules[$0], schedules[$1], moment) }
        for index in due where free > 0 {
            guard let want = schedules[index].want else { continue }
            free -= 1
            schedules[index].running = want
            schedules[index].isAnswered = false
            schedules[index].attemptedAt = moment.now
            schedules[index].want = nil
            effects.append(.start(schedules[index].text))
        }
    }

    private func canStart(_ schedule: FilterSchedule, _ allowance: SyncAllowance, _ moment: Moment) -> Bool {
        guard let want = schedule.want, schedule.running == nil, !schedule.isRemoved,
            allowance >= SyncAllowance(neededFor: want, schedule.priority)
        else { return false }
        return schedule.earliest(for: want).map { $0 <= moment.elapsed } ?? true
    }

    /// The wait after which priorities do not count. Where runs take long, filters that are due again and again would
    /// otherwise block others for ever.
    private static let longWait = Duration.seconds(3600)

    /// Whether a filter is run before another: manual requests first, then long waits, then by priority, then by
    /// urgency, then by the time waited.
    private func precedes(_ left: FilterSchedule, _ right: FilterSchedule, _ moment: Moment) -> Bool {
        guard let leftWant = left.want, let rightWant = right.want else { return left.want != nil }
        if (leftWant == .manual) != (rightWant == .manual) { return leftWant == .manual }
        let limit = moment.elapsed - Self.longWait
        if (left.wantedSince <= limit) != (right.wantedSince <= limit) { return left.wantedSince <= limit }
        if left.wantedSince <= limit, left.wantedSince != right.wantedSince {
            return left.wantedSince < right.wantedSince
        }
        if left.priority != right.priority { return left.priority > right.priority }
        if leftWant != rightWant { return leftWant > rightWant }
        return left.wantedSince < right.wantedSince
    }

    /// Returns the time at which a run or a probe is due that no other event announces.
    private func nextWake(_ moment: Moment) -> Duration? {
        var times: [Duration] = []
        if let lookAt = nextLook { times.append(lookAt) }
        let allowance = allowance
        for schedule in schedules where schedule.running == nil {
            if let due = refreshAt(schedule) { times.append(due) }
            if let due = schedule.missingDue { times.append(due) }
            if let overdue = overdueAt(schedule, moment) { times.append(overdue) }
            guard let want = schedule.want, allowance >= SyncAllowance(neededFor: want, schedule.priority),
                let earliest = schedule.earliest(for: want), earliest > moment.elapsed
            else { continue }
            times.append(earliest)
        }
        return times.min()
    }

    private mutating func arm(_ time: Duration?) {
        guard time != armed else { return }
        armed = time
        effects.append(.arm(time))
    }

    /// Whether every run that is wanted and allowed is under way, waits for one that is, or has the timer armed for it.
    package func isLive(at moment: Moment) -> Bool {
        if isStopping { return true }
        let allowance = allowance
        let isFull = schedules.count { $0.running != nil } >= policy.concurrentRuns
        for schedule in schedules where schedule.running == nil && !schedule.isRemoved {
            guard let want = schedule.want else {
                // A run that is not wanted now becomes due in time.
                if policy.refreshInterval != nil || schedule.missingDue != nil, armed == nil { return false }
                continue
            }
            guard allowance >= SyncAllowance(neededFor: want, schedule.priority) else { continue }
            let earliest = schedule.earliest(for: want)
            // The timer may be due, and not have fired yet.
            if let earliest, let armed, armed <= earliest { continue }
            if !isFull || earliest.map({ $0 > moment.elapsed }) == true { return false }
        }
        if let lookAt = nextLook { return armed.map { $0 <= lookAt } ?? false }
        return true
    }

    /// Whether nothing is under way, and nothing will be before `deadline` unless something happens.
    package func isSettled(before deadline: Duration) -> Bool {
        if schedules.contains(where: { $0.running != nil }) { return false }
        // A probe is under way, or will be.
        if portal != nil, !isForcedOffline, nextLook.map({ $0 < deadline }) ?? true { return false }
        let allowance = allowance
        return schedules.allSatisfy { schedule in
            if let due = schedule.missingDue, schedule.want == nil, due < deadline { return false }
            guard let want = schedule.want, allowance >= SyncAllowance(neededFor: want, schedule.priority) else {
                return true
            }
            return schedule.earliest(for: want).map { $0 >= deadline } ?? false
        }
    }
}

extension CoordinatorMachine {
    /// Whether a run of a filter is under way; nil for a filter that is not kept in step.
    func isRunning(_ text: String) -> Bool? { index(text).map { schedules[$0].running != nil } }

    /// Whether the run of a filter under way was requested manually.
    package func isByHand(_ text: String) -> Bool { index(text).map { schedules[$0].running == .manual } ?? false }

    /// Whether a filter is known to be overdue.
    func isOverdue(_ text: String) -> Bool { index(text).map { schedules[$0].isOverdueReported } ?? false }

    /// Returns the error of a filter's last run; nil once one has finished.
    func lastError(of text: String) -> SyncError? { index(text).flatMap { schedules[$0].lastError } }

    /// Returns the obstacle that a wanted run of a filter waits for; nil when none is wanted.
    func obstacle(of text: String, at moment: Moment) -> FilterStatus.Obstacle? {
        guard let index = index(text), let want = schedules[index].want else { return nil }
        let schedule = schedules[index]
        if allowance == .nothing { return .network }
        if allowance < SyncAllowance(neededFor: want, schedule.priority) { return .conditions }
        guard let earliest = schedule.earliest(for: want), earliest > moment.elapsed else { return .turn }
        let time = moment.date(of: earliest)
        if want != .manual, earliest == schedule.slowUntil { return .slowMode(until: time) }
        return .retry(at: time)
    }
}

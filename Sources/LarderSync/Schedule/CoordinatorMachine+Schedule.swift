package import LarderTransport

extension CoordinatorMachine {
    mutating func schedule(_ reading: ClockReading) {
        if isStopping {
            arm(nil)
            updateListening(reading)
            if schedules.allSatisfy({ $0.running == nil }) { effects.append(.stopped) }
            return
        }
        probeIfDue(reading)
        refresh(reading)
        if allowance < .manual { refuseWaiting(reading) }
        startDue(reading)
        updateListening(reading)
        arm(nextWake(reading))
    }

    private mutating func probeIfDue(_ reading: ClockReading) {
        guard let time = scheduledProbe, time <= reading.elapsed else { return }
        probes += 1
        portal = .probing(probes)
        effects.append(.probe(probes))
    }

    /// The time of the next probe for a way past a portal. A probe is traffic, too: there is none while the host forces
    /// offline.
    private var scheduledProbe: Duration? {
        guard !isForcedOffline, case .waiting(let time) = portal else { return nil }
        return time
    }

    /// Refuses the manual requests that wait for a turn: they do not wait for a network.
    private mutating func refuseWaiting(_ reading: ClockReading) {
        for index in schedules.indices where schedules[index].wanted == .manual {
            schedules[index].wanted = schedules[index].automaticUrgency
            effects.append(.refuse(schedules[index].text, refusal))
        }
    }

    /// Requests the runs that are due by time, and reports overdue filters.
    private mutating func refresh(_ reading: ClockReading) {
        for index in schedules.indices where schedules[index].running == nil {
            let schedule = schedules[index]
            if let due = refreshAt(schedule), due <= reading.elapsed {
                schedules[index].request(.background, at: reading)
            }
            if let due = schedule.missingDue, due <= reading.elapsed {
                schedules[index].missingDue = nil
                schedules[index].request(schedule.automaticUrgency, at: reading)
            }
            if let overdue = overdueAt(schedule, reading), overdue <= reading.elapsed {
                schedules[index].request(.urgent, at: reading)
                if !schedule.isOverdueReported {
                    schedules[index].isOverdueReported = true
                    effects.append(.report(.overdue(filter: schedule.text)))
                }
            }
        }
    }

    /// Returns the time at which the next run is due; nil when one is wanted already, or none is due by time.
    private func refreshAt(_ schedule: FilterSchedule) -> Duration? {
        guard schedule.wanted == nil, let interval = policy.refreshInterval else { return nil }
        let factor = schedule.refreshShare * Double(power == .normal ? 1 : policy.saverFactor)
        return schedule.finishedAt.map { $0 + interval * factor }
    }

    /// Returns the time at which the filter is overdue; nil when that was reported, or it was never synced.
    private func overdueAt(_ schedule: FilterSchedule, _ reading: ClockReading) -> Duration? {
        guard let syncedAt = schedule.syncedAt, !schedule.isOverdueReported else { return nil }
        // The age is at least what the monotonic clock has counted: by the wall clock, the last run may be in the
        // future.
        let counted = reading.elapsed - (schedule.finishedAt ?? schedule.addedAt)
        return reading.elapsed + policy.overdueAfter - max(counted, reading.passed(since: syncedAt))
    }

    private mutating func startDue(_ reading: ClockReading) {
        let allowance = allowance
        var free = policy.concurrentRuns - schedules.count { $0.running != nil }
        let due = schedules.indices.filter { canStart(schedules[$0], allowance, reading) }
            .sorted { precedes(schedules[$0], schedules[$1], reading) }
        for index in due where free > 0 {
            guard let urgency = schedules[index].wanted else { continue }
            free -= 1
            schedules[index].running = urgency
            schedules[index].hasResponse = false
            schedules[index].awaited = schedules[index].announced
            schedules[index].lastRunAt = reading.now
            schedules[index].wanted = nil
            effects.append(.start(schedules[index].text))
        }
    }

    private func canStart(_ schedule: FilterSchedule, _ allowance: SyncAllowance, _ reading: ClockReading) -> Bool {
        guard let urgency = schedule.wanted, schedule.running == nil, !schedule.isRemoved,
            allowance >= SyncAllowance(neededFor: urgency, schedule.priority)
        else { return false }
        return schedule.earliest(for: urgency).map { $0 <= reading.elapsed } ?? true
    }

    /// The wait after which priorities do not count. Where runs are long, filters that are due again and again would
    /// otherwise block others for ever.
    private static let longWait = Duration.seconds(3600)

    /// Whether a filter is run before another: manual requests first, then long waits, then by priority, then by
    /// urgency, then by the time waited.
    private func precedes(_ left: FilterSchedule, _ right: FilterSchedule, _ reading: ClockReading) -> Bool {
        guard let leftUrgency = left.wanted, let rightUrgency = right.wanted else { return left.wanted != nil }
        if (leftUrgency == .manual) != (rightUrgency == .manual) { return leftUrgency == .manual }
        let limit = reading.elapsed - Self.longWait
        if (left.wantedSince <= limit) != (right.wantedSince <= limit) { return left.wantedSince <= limit }
        if left.wantedSince <= limit, left.wantedSince != right.wantedSince {
            return left.wantedSince < right.wantedSince
        }
        if left.priority != right.priority { return left.priority > right.priority }
        if leftUrgency != rightUrgency { return leftUrgency > rightUrgency }
        return left.wantedSince < right.wantedSince
    }

    /// Returns the time at which a run or a probe is due that no other event announces.
    private func nextWake(_ reading: ClockReading) -> Duration? {
        var times: [Duration] = []
        if let time = scheduledProbe { times.append(time) }
        if let time = listening.scheduled { times.append(time) }
        let allowance = allowance
        for schedule in schedules where schedule.running == nil {
            if let due = refreshAt(schedule) { times.append(due) }
            if let due = schedule.missingDue { times.append(due) }
            if let overdue = overdueAt(schedule, reading) { times.append(overdue) }
            guard let urgency = schedule.wanted, allowance >= SyncAllowance(neededFor: urgency, schedule.priority),
                let earliest = schedule.earliest(for: urgency), earliest > reading.elapsed
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
    package func isLive(at reading: ClockReading) -> Bool {
        if isStopping { return true }
        if let time = listening.scheduled, armed.map({ $0 > time }) ?? true { return false }
        let allowance = allowance
        let isFull = schedules.count { $0.running != nil } >= policy.concurrentRuns
        for schedule in schedules where schedule.running == nil && !schedule.isRemoved {
            guard let urgency = schedule.wanted else {
                // A run that is not wanted now becomes due in time.
                if policy.refreshInterval != nil || schedule.missingDue != nil, armed == nil { return false }
                continue
            }
            guard allowance >= SyncAllowance(neededFor: urgency, schedule.priority) else { continue }
            let earliest = schedule.earliest(for: urgency)
            // The timer may be due, and not have fired yet.
            if let earliest, let armed, armed <= earliest { continue }
            if !isFull || earliest.map({ $0 > reading.elapsed }) == true { return false }
        }
        if let time = scheduledProbe { return armed.map { $0 <= time } ?? false }
        return true
    }

    /// Whether nothing is under way, and nothing will be before `deadline` unless something happens.
    package func isIdle(before deadline: Duration) -> Bool {
        if schedules.contains(where: { $0.running != nil }) { return false }
        // A probe is under way, or will be.
        if portal != nil, !isForcedOffline, scheduledProbe.map({ $0 < deadline }) ?? true { return false }
        let allowance = allowance
        return schedules.allSatisfy { schedule in
            if let due = schedule.missingDue, schedule.wanted == nil, due < deadline { return false }
            guard let urgency = schedule.wanted, allowance >= SyncAllowance(neededFor: urgency, schedule.priority)
            else {
                return true
            }
            return schedule.earliest(for: urgency).map { $0 >= deadline } ?? false
        }
    }
}

extension CoordinatorMachine {
    /// Whether a run of a filter is under way; nil for a filter that is not kept in step.
    func isRunning(_ text: String) -> Bool? { index(text).map { schedules[$0].running != nil } }

    /// Whether the run of a filter under way was requested manually.
    package func isManual(_ text: String) -> Bool { index(text).map { schedules[$0].running == .manual } ?? false }

    /// Whether a filter is known to be overdue.
    func isOverdue(_ text: String) -> Bool { index(text).map { schedules[$0].isOverdueReported } ?? false }

    /// Returns the error of a filter's last run; nil once one has finished.
    func lastError(of text: String) -> SyncError? { index(text).flatMap { schedules[$0].lastError } }

    /// Returns the reason that blocks a wanted run of a filter; nil when none is wanted.
    func blockedReason(of text: String, at reading: ClockReading) -> FilterStatus.BlockedReason? {
        guard let index = index(text), let urgency = schedules[index].wanted else { return nil }
        let schedule = schedules[index]
        if allowance == .nothing { return .network }
        if allowance < SyncAllowance(neededFor: urgency, schedule.priority) { return .conditions }
        guard let earliest = schedule.earliest(for: urgency), earliest > reading.elapsed else { return .turn }
        let time = reading.date(of: earliest)
        if urgency != .manual, earliest == schedule.slowUntil { return .slowMode(until: time) }
        return .retry(at: time)
    }
}

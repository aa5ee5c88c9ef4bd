internal import LarderFormat
internal import LarderStore
internal import LarderTransport

extension CoordinatorMachine {
    mutating func handleEnd(_ text: String, _ outcome: Result<SyncReport, SyncError>, _ reading: ClockReading) {
        guard let index = index(text), let urgency = schedules[index].running else {
            preconditionFailure("the end of a run that did not begin")
        }
        let isCancelled = schedules[index].isCancelled
        schedules[index].running = nil
        schedules[index].isCancelled = false
        switch outcome {
        case .success(let report): finish(index, report, reading)
        case .failure where isCancelled:
            // The coordinator cancelled the run, so it is still wanted.
            schedules[index].request(min(urgency, .urgent), at: reading)
        case .failure(.serverWait(let seconds)): handleServerWait(index, seconds, reading)
        case .failure(.incomplete(let failures)): endIncomplete(index, failures, reading)
        case .failure(let error): fail(index, error, urgency, reading)
        }
        if schedules[index].isRemoved { schedules.remove(at: index) }
    }

    private mutating func finish(_ index: Int, _ report: SyncReport, _ reading: ClockReading) {
        portalFailures = 0
        lastProbeSucceeded = false
        schedules[index].hasToken = true
        schedules[index].syncedAt = reading.now
        schedules[index].finishedAt = reading.elapsed
        drawRefreshShare(index)
        schedules[index].failures = 0
        schedules[index].notBefore = nil
        schedules[index].serverNotBefore = nil
        schedules[index].lastError = nil
        schedules[index].missingDue = nil
        schedules[index].isOverdueReported = false
        if !schedules[index].isList { noteSequence(index, report, reading) }
        if report.kind == .incremental {
            schedules[index].slowUntil = nil
            let isRecent = schedules[index].resyncedAt.map {
                reading.elapsed - $0 < .milliseconds(Transaction.resyncWindow)
            }
            if isRecent != true { schedules[index].resyncs = 0 }
        }
    }

    /// Handles a run that completed without some resources: the next one is due as after a run that finished, or when
    /// these are to be requested again.
    private mutating func endIncomplete(_ index: Int, _ failures: [ResourceFailure], _ reading: ClockReading) {
        // A bootstrap that is held back ends before any request.
        if schedules[index].hasResponse {
            portalFailures = 0
            lastProbeSucceeded = false
            schedules[index].failures = 0
        }
        schedules[index].lastError = .incomplete(failures)
        // The waits of these resources are their own: a run that fails later is tried again as after its first failure.
        schedules[index].notBefore = nil
        schedules[index].finishedAt = reading.elapsed
        drawRefreshShare(index)
        let longest = ResourceFailure.retryDelay(afterAttempts: .max)
        let first = failures.map { failure in
            let (wait, isTooLarge) = failure.retryAt.subtractingReportingOverflow(reading.now)
            // The wait is at least a second, so that no clock makes one run follow another at once.
            return isTooLarge ? longest : min(max(wait, 1000), longest)
        }.min()
        let wait = Duration.milliseconds(first ?? longest)
        schedules[index].missingDue = reading.elapsed + wait
        storeRunRecord(index, reading)
        effects.append(
            .report(
                .failed(
                    filter: schedules[index].text, reason: SyncError.incomplete(failures).description, retryIn: wait)))
    }

    /// Counts a rejected token. After too many in a row, automatic runs are slowed down, since every rejection costs a
    /// bootstrap.
    mutating func countRejection(_ text: String, _ reading: ClockReading) {
        guard let index = index(text) else { return }
        schedules[index].hasToken = false
        schedules[index].resyncs = schedules[index].resyncs.next
        schedules[index].resyncedAt = reading.elapsed
        let beyond = schedules[index].resyncs - policy.resyncsBeforeSlow
        guard beyond >= 0 else { return }
        let wait = policy.slow.delay(afterFailures: beyond + 1, &random)
        schedules[index].slowUntil = reading.elapsed + wait
        effects.append(
            .report(.slowed(filter: schedules[index].text, rejections: schedules[index].resyncs, wait: wait)))
    }

    private mutating func fail(_ index: Int, _ error: SyncError, _ urgency: SyncUrgency, _ reading: ClockReading) {
        schedules[index].lastError = error
        if hasProbe, error.isInterception, !lastProbeSucceeded {
            // A portal is in the way of every filter, so it is not a failure of this one.
            handlePortal(reading)
            schedules[index].request(min(urgency, .urgent), at: reading)
            storeRunRecord(index, reading)
            return
        }
        schedules[index].failures = schedules[index].failures.next
        let failures = schedules[index].failures
        let retry = error.isRetryable ? policy.retry : policy.refusedRetry
        let wait = retry.delay(afterFailures: failures, &random)
        schedules[index].notBefore = reading.elapsed + wait
        schedules[index].serverNotBefore = nil
        if let seconds = error.retryAfter { waitForServer(index, seconds, reading) }
        schedules[index].request(schedules[index].automaticUrgency, at: reading)
        storeRunRecord(index, reading)
        let next = schedules[index].earliest(for: .background) ?? reading.elapsed
        effects.append(
            .report(
                .failed(
                    filter: schedules[index].text, reason: error.description, retryIn: next - reading.elapsed)))
    }

    /// Schedules a run after the server's wait. Nothing was sent, so nothing has failed.
    private mutating func handleServerWait(_ index: Int, _ seconds: Int, _ reading: ClockReading) {
        schedules[index].lastError = .serverWait(seconds: seconds)
        waitForServer(index, seconds, reading)
        schedules[index].request(schedules[index].automaticUrgency, at: reading)
        storeRunRecord(index, reading)
    }

    /// Delays all runs of a filter by the server's wait, and automatic ones randomly by more.
    private mutating func waitForServer(_ index: Int, _ seconds: Int, _ reading: ClockReading) {
        let wait = min(.seconds(seconds), policy.maximumRetryAfter)
        let automatic = reading.elapsed + policy.retry.lengthened(wait, &random)
        schedules[index].serverNotBefore = reading.elapsed + wait
        schedules[index].notBefore = max(schedules[index].notBefore ?? automatic, automatic)
    }

    /// Draws the share of the interval after which a filter is due again. Clients that were in step together, as after a push
    /// to all, are not due together again and again.
    private mutating func drawRefreshShare(_ index: Int) {
        schedules[index].refreshShare = 1 + policy.refreshJitter * (2 * random.next() - 1)
    }

    private mutating func storeRunRecord(_ index: Int, _ reading: ClockReading) {
        let schedule = schedules[index]
        let next = schedule.missingDue ?? schedule.earliest(for: .background)
        effects.append(
            .storeRunRecord(
                schedule.text,
                RunRecord(
                    lastRunAt: schedule.lastRunAt, failures: schedule.failures,
                    lastError: schedule.lastError?.description, nextRunAt: next.map { reading.date(of: $0) })))
    }

    /// Whether a run was requested manually after the one that is being cancelled.
    func isRequestedAgain(_ text: String) -> Bool {
        index(text).map { schedules[$0].isCancelled && schedules[$0].wanted == .manual } ?? false
    }

    private mutating func handlePortal(_ reading: ClockReading) {
        guard portal == nil else { return }
        portalFailures = portalFailures.next
        portal = .waiting(probeTime(reading))
        effects.append(.report(.intercepted))
    }
}

extension Int {
    /// This number plus one, at most `Int.max`: a count from the store may have any value.
    var next: Int { self < .max ? self + 1 : self }
}

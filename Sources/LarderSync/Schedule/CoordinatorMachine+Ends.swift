internal import LarderFormat
internal import LarderStore
internal import LarderTransport

extension CoordinatorMachine {
    mutating func end(_ text: String, _ outcome: Result<SyncReport, SyncError>, _ moment: Moment) {
        guard let index = index(text), let was = schedules[index].running else {
            preconditionFailure("the end of a run that did not begin")
        }
        let isCancelled = schedules[index].isCancelled
        schedules[index].running = nil
        schedules[index].isCancelled = false
        switch outcome {
        case .success(let report): finish(index, report, moment)
        case .failure where isCancelled:
            // The coordinator cancelled the run, so it is still wanted.
            schedules[index].ask(min(was, .asked), at: moment)
        case .failure(.serverWait(let seconds)): wait(index, seconds, moment)
        case .failure(.incomplete(let failures)): endIncomplete(index, failures, moment)
        case .failure(let error): fail(index, error, was, moment)
        }
        if schedules[index].isRemoved { schedules.remove(at: index) }
    }

    private mutating func finish(_ index: Int, _ report: SyncReport, _ moment: Moment) {
        portalFailures = 0
        hasLookedThrough = false
        schedules[index].hasToken = true
        schedules[index].syncedAt = moment.now
        schedules[index].finishedAt = moment.elapsed
        schedules[index].failures = 0
        schedules[index].notBefore = nil
        schedules[index].serverNotBefore = nil
        schedules[index].lastError = nil
        schedules[index].missingDue = nil
        schedules[index].isOverdueReported = false
        if report.kind == .incremental {
            schedules[index].slowUntil = nil
            let isRecent = schedules[index].resyncedAt.map {
                moment.elapsed - $0 < .milliseconds(Transaction.resyncMemory)
            }
            if isRecent != true { schedules[index].resyncs = 0 }
        }
    }

    /// Handles a run that completed without some resources: the next one is due as after a run that finished, or when
    /// these are to be requested again.
    private mutating func endIncomplete(_ index: Int, _ failures: [ResourceFailure], _ moment: Moment) {
        // A bootstrap that is held back ends before any request.
        if schedules[index].isAnswered {
            portalFailures = 0
            hasLookedThrough = false
            schedules[index].failures = 0
        }
        schedules[index].lastError = .incomplete(failures)
        // The waits of these resources are their own: a run that fails later is tried again as after its first failure.
        schedules[index].notBefore = nil
        schedules[index].finishedAt = moment.elapsed
        let longest = ResourceFailure.wait(afterAttempts: .max)
        let first = failures.map { failure in
            let (wait, isTooLarge) = failure.retryAt.subtractingReportingOverflow(moment.now)
            // The wait is at least a second, so that no clock makes one run follow another at once.
            return isTooLarge ? longest : min(max(wait, 1000), longest)
        }.min()
        let wait = Duration.milliseconds(first ?? longest)
        schedules[index].missingDue = moment.elapsed + wait
        note(index, moment)
        effects.append(
            .report(
                .failed(
                    filter: schedules[index].text, reason: SyncError.incomplete(failures).description, retryIn: wait)))
    }

    /// Counts a rejected token. After too many in a row, automatic runs are slowed down, since every rejection costs a
    /// bootstrap.
    mutating func countRejection(_ text: String, _ moment: Moment) {
        guard let index = index(text) else { return }
        schedules[index].hasToken = false
        schedules[index].resyncs = schedules[index].resyncs.next
        schedules[index].resyncedAt = moment.elapsed
        let beyond = schedules[index].resyncs - policy.resyncsBeforeSlow
        guard beyond >= 0 else { return }
        let wait = policy.slow.delay(afterFailures: beyond + 1, &chance)
        schedules[index].slowUntil = moment.elapsed + wait
        effects.append(
            .report(.slowed(filter: schedules[index].text, rejections: schedules[index].resyncs, wait: wait)))
    }

    private mutating func fail(_ index: Int, _ error: SyncError, _ was: SyncWant, _ moment: Moment) {
        schedules[index].lastError = error
        if hasProbe, error.isInterception, !hasLookedThrough {
            // A portal is in the way of every filter, so it is not a failure of this one.
            meetPortal(moment)
            schedules[index].ask(min(was, .asked), at: moment)
            note(index, moment)
            return
        }
        schedules[index].failures = schedules[index].failures.next
        let failures = schedules[index].failures
        let retry = error.isRetryable ? policy.retry : policy.refusedRetry
        let wait = retry.delay(afterFailures: failures, &chance)
        schedules[index].notBefore = moment.elapsed + wait
        schedules[index].serverNotBefore = error.retryAfter.map {
            moment.elapsed + min(.seconds($0), policy.maximumRetryAfter)
        }
        schedules[index].ask(schedules[index].ownWant, at: moment)
        note(index, moment)
        let next = schedules[index].earliest(for: .background) ?? moment.elapsed
        effects.append(
            .report(
                .failed(
                    filter: schedules[index].text, reason: error.description, retryIn: next - moment.elapsed)))
    }

    /// Schedules a run after the server's wait. Nothing was sent, so nothing has failed.
    private mutating func wait(_ index: Int, _ seconds: Int, _ moment: Moment) {
        schedules[index].lastError = .serverWait(seconds: seconds)
        schedules[index].serverNotBefore = moment.elapsed + min(.seconds(seconds), policy.maximumRetryAfter)
        schedules[index].ask(schedules[index].ownWant, at: moment)
        note(index, moment)
    }

    private mutating func note(_ index: Int, _ moment: Moment) {
        let schedule = schedules[index]
        let next = schedule.missingDue ?? schedule.earliest(for: .background)
        effects.append(
            .note(
                schedule.text,
                AttemptNote(
                    attemptedAt: schedule.attemptedAt, failures: schedule.failures,
                    lastError: schedule.lastError?.description, nextAttemptAt: next.map { moment.date(of: $0) })))
    }

    /// Whether a run was requested manually after the one that is being cancelled.
    func isAskedForAgain(_ text: String) -> Bool {
        index(text).map { schedules[$0].isCancelled && schedules[$0].want == .manual } ?? false
    }

    private mutating func meetPortal(_ moment: Moment) {
        guard portal == nil else { return }
        portalFailures = portalFailures.next
        portal = .waiting(lookAt(moment))
        effects.append(.report(.intercepted))
    }
}

extension Int {
    /// This number plus one, at most `Int.max`: a count from the store may have any value.
    var next: Int { self < .max ? self + 1 : self }
}

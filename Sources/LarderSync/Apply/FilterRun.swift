package import LarderFormat
package import LarderStore

/// The part of a filter's stored state that one run depends on.
package struct FilterRun: Hashable, Sendable {
    package let canonicalText: String
    package let number: Int64
    let run: Int64
    let kind: SyncReport.Kind
    /// Whether this is a bootstrap after a rejected token.
    let isRejected: Bool
    let token: String?
    /// The server of the synced content when the run began, as the store knows it.
    let server: String?
    /// The timeline and the account of the content when the run began.
    let origin: ContentOrigin
    /// The timeline when the run began, and the sequence that the feed had reached by then.
    let applied: ServerPosition
    /// The time at which it began, in milliseconds since 1970-01-01 UTC.
    let beganAt: Int64
    /// The journal sequence that was next when it began: the run contains every write that the server accepted before.
    let journalAtBegin: Int64
    /// Whether the run was requested manually: snapshots that failed recently are then requested without a wait.
    let isManual: Bool

    /// Returns the end of the run, by which local writes are released.
    ///
    /// - Parameter bound: the sequence up to which it requested changes.
    package func end(bound: Int64) -> RunEnd {
        RunEnd(filter: number, bound: position(bound), journalAtBegin: journalAtBegin)
    }

    /// Returns the position of a sequence in the run's timeline.
    func position(_ sequence: Int64) -> ServerPosition { ServerPosition(applied.timeline, sequence) }
}

/// The reason a run becomes a bootstrap.
package enum Rejection: Error {
    /// The server rejects the token.
    case token
    /// The server's sequence is below the applied one: it was restored from a backup.
    case rolledBack
}

extension Transaction {
    /// The time within which a server counts as restored only once, in milliseconds.
    package static var rollbackInterval: Int64 { 3_600_000 }

    /// The time for which a rejected token counts although the server accepts the next one, in milliseconds. A server
    /// that rejects every other token costs a bootstrap each time.
    package static var resyncWindow: Int64 { 3_600_000 }

    /// Whether a token was rejected recently. After the clock was moved back, nothing is recent.
    private static func isRecent(_ resyncedAt: Int64?, _ now: Int64) -> Bool {
        guard let resyncedAt, resyncedAt <= now else { return false }
        let (passed, isTooLarge) = now.subtractingReportingOverflow(resyncedAt)
        return !isTooLarge && passed < resyncWindow
    }

    /// Begins a run of a filter: a bootstrap when the filter has no token of the present timeline, or an unfinished
    /// bootstrap.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - isManual: whether the run was requested manually.
    /// - Throws: ``SyncError/incomplete(_:)`` for an automatic bootstrap that completed without some resources, while
    ///   it is too early to request these again. It would fetch everything else again. ``StoreError/invalid(_:)`` for a
    ///   text beyond the limits.
    package mutating func beginRun(
        _ canonicalText: String, now: Int64, isManual: Bool = true
    ) throws -> FilterRun {
        let old = try filter(canonicalText)?.record
        let applied = try appliedPosition()
        if let old, let token = old.token, !old.isBootstrapping, old.timeline == applied.timeline,
            let number = try filter(canonicalText)?.number
        {
            return FilterRun(
                canonicalText: canonicalText, number: number, run: old.run, kind: .incremental, isRejected: false,
                token: token, server: try server(of: .sync), origin: try ContentOrigin(self), applied: applied,
                beganAt: now, journalAtBegin: try nextJournalSequence(), isManual: isManual)
        }
        if !isManual { try checkBootstrapDelay(canonicalText, now: now) }
        return try beginBootstrap(canonicalText, after: nil, now: now, isManual: isManual)
    }

    /// Throws while a bootstrap that completed without some resources must not begin again.
    private mutating func checkBootstrapDelay(_ canonicalText: String, now: Int64) throws {
        guard let (number, record) = try filter(canonicalText), record.isBootstrapping,
            let until = record.incompleteUntil,
            try record.timeline == appliedPosition().timeline,
            // A clock that was moved back delays nothing.
            now < until, until - now <= ResourceFailure.retryDelay(afterAttempts: .max)
        else { return }
        // The resources that the bootstrap went without are not due before `until`. Others are not missing: they were
        // skipped, or failed for another filter.
        let failures = try members(ofFilter: number).compactMap { resource, _ in
            try self.record(of: resource)?.failure.map { ResourceFailure(resource, $0) }
        }.filter { !$0.isSkipped && $0.retryAt >= until }
        // Nothing is missing any more when another filter has fetched it.
        if !failures.isEmpty { throw SyncError.incomplete(failures) }
    }

    /// Stores that a bootstrap completed without some resources, and the time until which it does not begin again
    /// automatically.
    ///
    /// - Parameter until: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError`` or ``EngineError`` when the
    ///   store fails.
    package mutating func delayBootstrap(_ run: FilterRun, until: Int64) throws {
        try checkCurrent(run)
        try updateFilter(run.canonicalText) { $0.incompleteUntil = until }
    }

    /// Discards the token, if there is one, and begins a bootstrap. The content that readers see stays.
    ///
    /// - Parameter rejection: the reason, where the server gave one.
    mutating func beginBootstrap(
        _ canonicalText: String, after rejection: Rejection?, now: Int64, isManual: Bool
    ) throws -> FilterRun {
        var run = FilterState(filter: canonicalText)
        var interrupted: Int64?
        let journalAtBegin = try nextJournalSequence()
        let applied = try appliedPosition()
        let number = try updateFilter(canonicalText) { record in
            // The resources that an unfinished bootstrap has finished count for its successor, except after a
            // rejection.
            if record.isBootstrapping, rejection == nil, record.timeline == applied.timeline {
                interrupted = record.run
            } else {
                // An interrupted bootstrap keeps its value: what it brought may be older than writes that were accepted
                // since.
                record.journalAtBegin = journalAtBegin
            }
            // The number always changes: the interrupted run may still be under way elsewhere, and has to notice.
            record.run += 1
            record.isBootstrapping = true
            record.lastRunAt = now
            record.incompleteUntil = nil
            // The stored content keeps its age: only the token is no longer valid.
            record.token = nil
            if record.timeline != applied.timeline {
                record.timeline = applied.timeline
                record.lastUntilSequence = nil
            }
            if rejection != nil {
                record.resyncs = record.resyncs == .max ? .max : record.resyncs + 1
                record.resyncedAt = now
            }
            run = record
        }
        if let interrupted { try carryOver(from: interrupted, to: run.run, ofFilter: number) }
        return FilterRun(
            canonicalText: canonicalText, number: number, run: run.run, kind: .bootstrap, isRejected: run.isRejected,
            token: nil, server: try server(of: .sync), origin: try ContentOrigin(self), applied: applied,
            beganAt: now, journalAtBegin: run.journalAtBegin, isManual: isManual)
    }

    /// Begins a bootstrap in place of a run; in a new timeline where the server was restored.
    ///
    /// - Throws: ``SyncError/laggingServer`` where it was already found restored within the last hour. Two servers then
    ///   respond, of which one lags, and each change between them would cost a bootstrap of everything.
    ///   ``SyncError/superseded`` when the run is no longer current.
    package mutating func replaceRejected(_ run: FilterRun, after rejection: Rejection, now: Int64) throws -> FilterRun
    {
        try checkCurrent(run)
        if rejection == .rolledBack {
            // A clock that was moved back delays nothing.
            if let last = try restoredAt(), last <= now,
                case (let passed, false) = now.subtractingReportingOverflow(last), passed < Self.rollbackInterval
            {
                throw SyncError.laggingServer
            }
            try beginTimeline(restoredAt: now)
        }
        return try beginBootstrap(run.canonicalText, after: rejection, now: now, isManual: run.isManual)
    }

    /// Stores the number of pages of a bootstrap that were applied.
    ///
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError`` or ``EngineError`` when the
    ///   store fails.
    package mutating func setPagesDone(_ number: Int, _ run: FilterRun) throws {
        try checkCurrent(run)
        try updateFilter(run.canonicalText) { $0.pagesDone = Int64(number) }
    }

    /// Counts the resources that one bootstrap finished for the next. Resources that it only listed do not count: they
    /// may be gone by now.
    private mutating func carryOver(from old: Int64, to new: Int64, ofFilter number: Int64) throws {
        for (resource, member) in try members(ofFilter: number) where member.finishedInRun == old {
            try putMember(
                ofFilter: number, resource, MemberRecord(listedInRun: member.listedInRun, finishedInRun: new))
        }
    }

    /// Throws ``SyncError/superseded`` unless the run is current.
    ///
    /// The filter may have been removed meanwhile, or run from another place that shares the store. The timeline may
    /// have ended, or the content may be of another server or account by now.
    ///
    /// - Throws: also `ContentSignedOut`, when the account was signed out meanwhile.
    func checkCurrent(_ run: FilterRun) throws {
        guard let (number, record) = try filter(run.canonicalText), number == run.number, record.run == run.run,
            record.token == run.token, try ContentOrigin(self) == run.origin, try server(of: .sync) == run.server
        else { throw SyncError.superseded }
    }

    /// Stores the token, in one commit with the end of the bootstrap and the sweep of resources that it did not list.
    ///
    /// The commit also releases local writes that the run has brought, as many as one commit should; for more there is
    /// ``LarderStore/Transaction/releaseOverlays(after:from:limit:)``.
    ///
    /// - Returns: the resources that were swept.
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError/invalid(_:)`` for a token
    ///   beyond the limits.
    package mutating func finishRun(
        _ run: FilterRun, token: String, untilSequence: Int64, rowsWritten: Int64, now: Int64
    ) throws -> [ResourceKey] {
        try checkCurrent(run)
        var (swept, sweptRows): ([ResourceKey], Int64) = ([], 0)
        if run.kind == .bootstrap {
            for (resource, member) in try members(ofFilter: run.number) where member.listedInRun != run.run {
                try removeMember(ofFilter: run.number, resource)
                if try !isMember(resource) {
                    sweptRows.addClamped(try record(of: resource)?.rowCount ?? 0)
                    try withdrawUnfiltered(resource)
                    swept.append(resource)
                }
            }
        }
        try advanceAppliedSequence(to: untilSequence)
        try updateFilter(run.canonicalText) { record in
            record.token = token
            record.tokenUpdatedAt = now
            record.lastUntilSequence = untilSequence
            record.isBootstrapping = false
            record.pagesDone = 0
            record.lastRunAt = run.beganAt
            record.failures = 0
            record.lastError = nil
            record.nextRunAt = nil
            record.runs.add(
                RecordedRuns(beganAt: run.beganAt, endedAt: now, rowsWritten: rowsWritten.clampedSum(sweptRows)))
            if run.kind == .incremental, !Self.isRecent(record.resyncedAt, now) { record.resyncs = 0 }
        }
        _ = try releaseOverlays(after: run.end(bound: untilSequence))
        return swept
    }
}

extension Transaction {
    /// Records that a run failed, and what it had written until then. A filter that was removed meanwhile is not made
    /// again, and another one with its text, added since, has no such run.
    ///
    /// - Throws: ``StoreError`` or ``EngineError`` when the store fails.
    package mutating func recordFailure(_ run: FilterRun, _ reason: String, rowsWritten: Int64, now: Int64) throws {
        guard try filter(run.canonicalText)?.number == run.number, let error = ErrorLine(reason) else { return }
        try updateFilter(run.canonicalText) { record in
            record.runs.add(
                RecordedRuns(
                    beganAt: run.beganAt, endedAt: now, rowsWritten: rowsWritten, error: error.text))
        }
    }

    /// Stores the outcome of a filter's last run. A filter that was removed meanwhile is not made again.
    ///
    /// - Throws: ``StoreError`` or ``EngineError`` when the store fails.
    package mutating func setRunRecord(_ run: RunRecord, ofFilter canonicalText: String) throws {
        guard try filter(canonicalText) != nil else { return }
        try updateFilter(canonicalText) { record in
            record.lastRunAt = run.lastRunAt ?? record.lastRunAt
            record.failures = Int64(run.failures)
            record.lastError = run.lastError
            record.nextRunAt = run.nextRunAt
        }
    }
}

package import LarderFormat
package import LarderStore

/// The part of a filter's stored state that one run goes by.
package struct FilterRun: Hashable, Sendable {
    package let canonicalText: String
    package let number: Int64
    let run: Int64
    let kind: SyncReport.Kind
    /// Whether this is a bootstrap after a rejected token.
    let isRejected: Bool
    let token: String?
    /// The server that was to be asked when it began, as the store knows it.
    let server: String?
    /// The timeline when it began, and how far the feed had come by then.
    let applied: ServerPosition
    /// When it began, in milliseconds since 1970-01-01 UTC.
    let beganAt: Int64
    /// The journal sequence that was next when it began: what the server accepted before is in what the run brings.
    let journalAtBegin: Int64
    /// Whether a person asked for it: snapshots that failed lately are then asked for without a wait.
    let isByHand: Bool

    /// What its end says of local writes.
    ///
    /// - Parameter bound: the sequence up to which it asked for changes.
    package func end(bound: Int64) -> RunEnd {
        RunEnd(filter: number, bound: position(bound), journalAtBegin: journalAtBegin)
    }

    /// A sequence in its timeline.
    func position(_ sequence: Int64) -> ServerPosition { ServerPosition(applied.timeline, sequence) }
}

/// Why a run goes over into a bootstrap.
package enum Rejection: Error {
    /// The server rejects the token.
    case token
    /// The server counts fewer changes than before: it was restored from a backup.
    case restored
}

extension Transaction {
    /// The time within which a server is believed to be restored once only, in milliseconds.
    package static var restorationInterval: Int64 { 3_600_000 }

    /// How long a rejected token counts against a server that takes the next one, in milliseconds: one that rejects every other
    /// token costs a bootstrap each time.
    package static var resyncMemory: Int64 { 3_600_000 }

    /// Whether a token was rejected a short time ago. A clock that was set back makes nothing recent.
    private static func isRecent(_ resyncedAt: Int64?, _ now: Int64) -> Bool {
        guard let resyncedAt, resyncedAt <= now else { return false }
        let (passed, isTooLarge) = now.subtractingReportingOverflow(resyncedAt)
        return !isTooLarge && passed < resyncMemory
    }

    /// Notes that a run of a filter begins and says how: a filter without a token of the present timeline, or with an
    /// unfinished bootstrap, is bootstrapped.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970-01-01 UTC.
    ///   - isByHand: whether a person asked for it.
    /// - Throws: ``SyncError/incomplete(_:)`` for a bootstrap that came to its end without some resources, while it is
    ///   too early to ask for these again: it would fetch everything else anew.
    package mutating func beginRun(
        _ canonicalText: String, now: Int64, isByHand: Bool = true
    ) throws -> FilterRun {
        let old = try filter(canonicalText)?.record
        let applied = try appliedPosition()
        if let old, let token = old.token, !old.isBootstrapping, old.timeline == applied.timeline,
            let number = try filter(canonicalText)?.number
        {
            return FilterRun(
                canonicalText: canonicalText, number: number, run: old.run, kind: .incremental, isRejected: false,
                token: token, server: try server(of: .sync), applied: applied, beganAt: now,
                journalAtBegin: try nextJournalSequence(), isByHand: isByHand)
        }
        if !isByHand { try checkHold(canonicalText, now: now) }
        return try beginBootstrap(canonicalText, after: nil, now: now, isByHand: isByHand)
    }

    /// Throws while a bootstrap that came to its end without some resources is not to begin anew.
    private mutating func checkHold(_ canonicalText: String, now: Int64) throws {
        guard let (number, record) = try filter(canonicalText), record.isBootstrapping, let until = record.heldUntil,
            try record.timeline == appliedPosition().timeline,
            // A clock that was set back holds nothing up.
            now < until, until - now <= ResourceFailure.wait(afterAttempts: .max)
        else { return }
        // What the bootstrap went without was not to be asked for sooner. Others are not missing: they were passed over,
        // or failed for another filter.
        let failures = try members(ofFilter: number).compactMap { resource, _ in
            try self.record(of: resource)?.failure.map { ResourceFailure(resource, $0) }
        }.filter { !$0.isPassedOver && $0.retryAt >= until }
        // Nothing is missing any more where another filter has brought it.
        if !failures.isEmpty { throw SyncError.incomplete(failures) }
    }

    /// Notes that a bootstrap came to its end without some resources, and until when it is not begun anew by itself.
    package mutating func hold(_ run: FilterRun, until: Int64) throws {
        try check(run)
        try updateFilter(run.canonicalText) { $0.heldUntil = until }
    }

    /// Discards the token, if there is one, and begins a bootstrap; what readers see stays.
    ///
    /// - Parameter rejection: why, where the server gave reason.
    mutating func beginBootstrap(
        _ canonicalText: String, after rejection: Rejection?, now: Int64, isByHand: Bool
    ) throws -> FilterRun {
        var run = FilterState(filter: canonicalText)
        var interrupted: Int64?
        let journalAtBegin = try nextJournalSequence()
        let applied = try appliedPosition()
        let number = try updateFilter(canonicalText) { record in
            // What an unfinished bootstrap has finished counts for the one that goes on in its place, but for a rejection.
            if record.isBootstrapping, rejection == nil, record.timeline == applied.timeline {
                interrupted = record.run
            } else {
                // What an interrupted one brought may be older than writes that were accepted since.
                record.journalAtBegin = journalAtBegin
            }
            // Always another number: the run that was interrupted may be going on elsewhere, and has to notice.
            record.run += 1
            record.isBootstrapping = true
            record.attemptedAt = now
            record.heldUntil = nil
            // How old what is here is stays: only the token is worth nothing any more.
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
            token: nil, server: try server(of: .sync), applied: applied, beganAt: now,
            journalAtBegin: run.journalAtBegin, isByHand: isByHand)
    }

    /// Begins a bootstrap in the place of a run; where the server was restored, in a new timeline.
    ///
    /// - Throws: ``SyncError/laggingServer`` where it was found restored within the last hour already: the answers come from
    ///   two servers then, of which one lags, and each change between them would cost a bootstrap of everything.
    package mutating func replaceRejected(_ run: FilterRun, after rejection: Rejection, now: Int64) throws -> FilterRun
    {
        try check(run)
        if rejection == .restored {
            // A clock that was set back holds nothing up.
            if let last = try restoredAt(), last <= now,
                case (let passed, false) = now.subtractingReportingOverflow(last), passed < Self.restorationInterval
            {
                throw SyncError.laggingServer
            }
            try beginTimeline(restoredAt: now)
        }
        return try beginBootstrap(run.canonicalText, after: rejection, now: now, isByHand: run.isByHand)
    }

    /// Notes how many pages of a bootstrap are in.
    package mutating func notePage(_ number: Int, _ run: FilterRun) throws {
        try check(run)
        try updateFilter(run.canonicalText) { $0.pagesDone = Int64(number) }
    }

    /// Lets what one bootstrap finished count for the next. What it only listed does not: it may be gone by now.
    private mutating func carryOver(from old: Int64, to new: Int64, ofFilter number: Int64) throws {
        for (resource, member) in try members(ofFilter: number) where member.finishedInRun == old {
            try putMember(
                ofFilter: number, resource, MemberRecord(listedInRun: member.listedInRun, finishedInRun: new))
        }
    }

    /// Throws ``SyncError/superseded`` unless the filter is still where the run has put it.
    ///
    /// It may have been removed meanwhile, or run from another place that shares the store; the timeline may be over, or the
    /// content be of another server by now.
    func check(_ run: FilterRun) throws {
        guard let (number, record) = try filter(run.canonicalText), number == run.number, record.run == run.run,
            record.token == run.token, try appliedPosition().timeline == run.applied.timeline,
            try server(of: .sync) == run.server
        else { throw SyncError.superseded }
    }

    /// Stores the token, in one commit with the end of the bootstrap and the sweep of what it did not list.
    ///
    /// Local writes that the run has brought are released with it, as many as one commit should; for more there is
    /// ``LarderStore/Transaction/settle(after:from:most:)``.
    ///
    /// - Returns: the resources that were swept.
    package mutating func finishRun(
        _ run: FilterRun, token: String, untilSequence: Int64, now: Int64
    ) throws -> [ResourceKey] {
        try check(run)
        var swept: [ResourceKey] = []
        if run.kind == .bootstrap {
            for (resource, member) in try members(ofFilter: run.number) where member.listedInRun != run.run {
                try removeMember(ofFilter: run.number, resource)
                if try !isMember(resource) {
                    try sweep(resource)
                    swept.append(resource)
                }
            }
        }
        try noteApplied(untilSequence)
        try updateFilter(run.canonicalText) { record in
            record.token = token
            record.tokenUpdatedAt = now
            record.lastUntilSequence = untilSequence
            record.isBootstrapping = false
            record.pagesDone = 0
            record.attemptedAt = run.beganAt
            record.failures = 0
            record.lastError = nil
            record.nextAttemptAt = nil
            if run.kind == .incremental, !Self.isRecent(record.resyncedAt, now) { record.resyncs = 0 }
        }
        _ = try settle(after: run.end(bound: untilSequence))
        return swept
    }
}

extension Transaction {
    /// Keeps with a filter how its last run went. A filter that was removed meanwhile stays so.
    package mutating func note(_ attempt: AttemptNote, ofFilter canonicalText: String) throws {
        guard try filter(canonicalText) != nil else { return }
        try updateFilter(canonicalText) { record in
            record.attemptedAt = attempt.attemptedAt ?? record.attemptedAt
            record.failures = Int64(attempt.failures)
            record.lastError = attempt.lastError
            record.nextAttemptAt = attempt.nextAttemptAt
        }
    }
}

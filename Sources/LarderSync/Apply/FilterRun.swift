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
    /// The bound of the last run that finished.
    let lastUntilSequence: Int64?
    /// The highest floor of what the bootstrap that goes on in this one had finished.
    let finishedFloor: Int64?
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
        RunEnd(filter: number, bound: bound, journalAtBegin: journalAtBegin, isAfterRejection: isRejected)
    }
}

/// Why a run goes over into a bootstrap that may lower floors.
package enum Rejection: Sendable {
    /// The server rejects the token.
    case token
    /// The server counts fewer changes than before.
    case setBack
}

extension Transaction {
    /// Notes that a run of a filter begins and says how: a filter without a token, or with an unfinished bootstrap, is
    /// bootstrapped.
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
        if let old, let token = old.token, !old.isBootstrapping, let number = try filter(canonicalText)?.number {
            return FilterRun(
                canonicalText: canonicalText, number: number, run: old.run, kind: .incremental, isRejected: false,
                token: token, lastUntilSequence: old.lastUntilSequence, finishedFloor: nil,
                beganAt: now, journalAtBegin: try nextJournalSequence(), isByHand: isByHand)
        }
        if !isByHand { try checkHold(canonicalText, now: now) }
        return try beginBootstrap(canonicalText, after: nil, now: now, isByHand: isByHand)
    }

    /// Throws while a bootstrap that came to its end without some resources is not to begin anew.
    private mutating func checkHold(_ canonicalText: String, now: Int64) throws {
        guard let (number, record) = try filter(canonicalText), record.isBootstrapping, let until = record.heldUntil,
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
    /// - Parameter rejection: why the server's word counts and not what is here, if so.
    mutating func beginBootstrap(
        _ canonicalText: String, after rejection: Rejection?, now: Int64, isByHand: Bool
    ) throws -> FilterRun {
        var run = FilterState(filter: canonicalText)
        var interrupted: Int64?
        let journalAtBegin = try nextJournalSequence()
        let number = try updateFilter(canonicalText) { record in
            // What an unfinished bootstrap has finished counts for the one that goes on in its place; a rejection begins
            // anew, and every floor may be lowered once more.
            if record.isBootstrapping, rejection == nil {
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
            if rejection != nil {
                record.isRejected = true
                record.resyncs = record.resyncs == .max ? .max : record.resyncs + 1
                record.resyncedAt = now
            }
            run = record
        }
        let finishedFloor = try interrupted.flatMap { try carryOver(from: $0, to: run.run, ofFilter: number) }
        return FilterRun(
            canonicalText: canonicalText, number: number, run: run.run, kind: .bootstrap, isRejected: run.isRejected,
            token: nil, lastUntilSequence: run.lastUntilSequence, finishedFloor: finishedFloor, beganAt: now,
            journalAtBegin: run.journalAtBegin, isByHand: isByHand)
    }

    /// Begins a bootstrap in the place of a run whose token, or whose count of changes, the server rejects.
    package mutating func replaceRejected(_ run: FilterRun, after rejection: Rejection, now: Int64) throws -> FilterRun
    {
        try check(run)
        return try beginBootstrap(run.canonicalText, after: rejection, now: now, isByHand: run.isByHand)
    }

    /// Notes how many pages of a bootstrap are in.
    package mutating func notePage(_ number: Int, _ run: FilterRun) throws {
        try check(run)
        try updateFilter(run.canonicalText) { $0.pagesDone = Int64(number) }
    }

    /// Lets what one bootstrap finished count for the next. What it only listed does not: it may be gone by now.
    ///
    /// - Returns: the highest floor of what it finished; nil when it finished nothing.
    mutating func carryOver(from old: Int64, to new: Int64, ofFilter number: Int64) throws -> Int64? {
        var highest: Int64?
        for (resource, member) in try members(ofFilter: number) where member.finishedInRun == old {
            try putMember(
                ofFilter: number, resource, MemberRecord(listedInRun: member.listedInRun, finishedInRun: new))
            let floor = try record(of: resource)?.floor ?? 0
            highest = max(highest ?? floor, floor)
        }
        return highest
    }

    /// Throws ``SyncError/superseded`` unless the filter is still where the run has put it.
    ///
    /// It may have been removed meanwhile, or run from another place that shares the store.
    func check(_ run: FilterRun) throws {
        guard let (number, record) = try filter(run.canonicalText), number == run.number, record.run == run.run,
            record.token == run.token
        else { throw SyncError.superseded }
    }

    /// Stores the token, in one commit with the end of the bootstrap and the sweep of what it did not list.
    ///
    /// Local writes that the run has brought are released with it, as many as one commit should; for more there is
    /// ``LarderStore/Transaction/settle(after:from:most:)``.
    ///
    /// - Parameter covered: after a rejected token, every resource known that the filter covers.
    /// - Returns: the resources that were swept.
    package mutating func finishRun(
        _ run: FilterRun, token: String, untilSequence: Int64, now: Int64, covered: [ResourceKey]
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
        if run.isRejected { try lowerTombstones(covered, to: untilSequence) }
        try updateFilter(run.canonicalText) { record in
            record.token = token
            record.tokenUpdatedAt = now
            record.lastUntilSequence = untilSequence
            record.isBootstrapping = false
            record.isRejected = false
            record.pagesDone = 0
            record.attemptedAt = run.beganAt
            record.failures = 0
            record.lastError = nil
            record.nextAttemptAt = nil
            if run.kind == .incremental { record.resyncs = 0 }
        }
        _ = try settle(after: run.end(bound: untilSequence))
        return swept
    }

    /// After a rejected token, lets tombstones of the filter's resources hear of changes above the run's bound again.
    ///
    /// The server may have been restored from a backup, and its count of changes with it.
    private mutating func lowerTombstones(_ resources: [ResourceKey], to bound: Int64) throws {
        for resource in resources {
            guard let record = try record(of: resource), record.floor > bound, record.liveGeneration == nil,
                try !isMember(resource)
            else { continue }
            try update(resource) { $0.floor = bound }
        }
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

extension ReadView {
    /// Every resource known that `filter` covers, when `run` follows a rejected token; else none.
    package borrowing func resources(coveredBy filter: ResourceFilter, after run: FilterRun) throws -> [ResourceKey] {
        guard run.isRejected else { return [] }
        return try resources().map(\.key).filter { filter.matches(group: $0.group, id: $0.id) }
    }
}

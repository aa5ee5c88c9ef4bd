internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Handling of requests that have ended.
extension DeliveryMachine {
    mutating func handleTryResult(_ answer: TryResult, of key: UUIDBytes, _ reading: ClockReading) {
        guard activeTries.remove(key) != nil else { return }
        defer { isOfEarlierSession = false }
        isOfEarlierSession = earlierTries.remove(key) != nil
        let members = entries.touched.map { entries[$0] }.filter { $0.delivery.state == .sending && $0.tryKey == key }
        guard let first = members.first else { return }
        // Not reset when a send is recorded: that record is small, and says little about the space of the store.
        storageFailures = 0
        switch answer {
        case .whole(let answer) where first.delivery.batch != nil: handleBatchResult(answer, members.map(\.id), reading)
        case .whole(let answer): handleResult(answer, of: first.id, reading)
        case .members(let heads):
            for member in members {
                guard let index = index(member.id) else { continue }
                removeFromBatch(index, isExclusive: heads[member.id] == nil)
                handleResult(heads[member.id].map { .head($0) } ?? .none, of: member.id, reading)
            }
            endRefusals()
        }
    }

    private mutating func handleResult(_ answer: SendResult, of id: UUIDBytes, _ reading: ClockReading) {
        // An entry is gone if it was rejected together with a member before it.
        guard let index = index(id) else { return }
        switch answer {
        case .notSent: wait(index, nil, status: nil, reason: "the server could not be reached", reading)
        case .deferred(let rest): deferSend(index, rest, reading)
        case .unreadable(let head): wait(index, head.retryAfter, status: head.status, reading)
        case .unsendable(let reason): markFailed(index, status: nil, reason)
        case .none:
            update(index) { $0.isInDoubt = true }
            wait(index, nil, status: nil, reason: "the server did not respond", reading)
        case .head(let head):
            update(index) {
                $0.lastStatus = head.status
                if head.leavesDoubt { $0.isInDoubt = true }
            }
            applyVerdict(verdict(head, index), head, index, reading)
        }
    }

    private func verdict(_ head: ResponseSummary, _ index: Int) -> Verdict {
        let delivery = entries[index].delivery
        // The server performed no send that never left, or whose response counted as no attempt and left no doubt.
        let mayBeKnown = delivery.isInDoubt || delivery.attempts > 0
        return policy.outcomes.verdict(
            for: head.facts(entries[index].method, tries: mayBeKnown ? max(delivery.tries, 2) : 1))
    }

    private mutating func applyVerdict(
        _ verdict: Verdict, _ head: ResponseSummary, _ index: Int, _ reading: ClockReading
    ) {
        if verdict != .pause { credentialRefusals = 0 }
        recordServerState(verdict, head, index, reading)
        switch verdict {
        case .accepted:
            accept(index)
            reviveAfterAcceptance(reading)
        case .retry(let after) where head.isThrottling:
            beginServerWait(after, reading)
            wait(index, after, status: head.status, reading)
        case .wait(let after): wait(index, after, status: head.status, reading)
        case .retry(let after):
            // Too many requests is no failure of this entry, even where something else than the server says so.
            if head.isStillPerforming || head.status == 429 { return wait(index, after, status: head.status, reading) }
            countAttempt(index, head, after, reading)
        case .pause:
            update(index) {
                $0.state = .pending
                $0.dueAt = nil
            }
            handleUnauthorized(entries[index].account, reading)
        case .rejected:
            reject(index, .status(head.status))
        case .conflict where policy.resolvesConflicts:
            update(index) {
                $0.state = .conflicted
                $0.dueAt = nil
            }
            report(.conflicted(entries[index].id, status: head.status))
            step.effects.append(.resolve(entries[index].id))
        case .conflict:
            reject(index, .conflict(head.status))
        }
    }

    private mutating func countAttempt(
        _ index: Int, _ head: ResponseSummary, _ after: Duration?, _ reading: ClockReading
    ) {
        update(index) { $0.attempts = $0.attempts.incremented }
        if entries[index].delivery.attempts < entries[index].mostAttempts {
            return wait(index, after, status: head.status, reading)
        }
        markFailed(index, status: head.status, "the server answered \(head.status), for the last time that was allowed")
        scheduleRevival(index, after, reading)
    }

    /// Makes an entry a dead letter whose overlay stays, until it is revived.
    private mutating func markFailed(_ index: Int, status: Int?, _ reason: String) {
        entries[index].due = nil
        dissolveBatch(of: index)
        update(index) {
            $0.state = .failed
            $0.failures = $0.failures.incremented
            $0.dueAt = nil
            $0.lastError = reason
        }
        report(.failed(entries[index].id, status: status))
    }

    private mutating func wait(
        _ index: Int, _ after: Duration?, status: Int?, reason: String? = nil, _ reading: ClockReading
    ) {
        let requested = cappedWait(after)
        let wait = max(delay(afterFailures: entries[index].delivery.failures.incremented), requested ?? .zero)
        entries[index].due = reading.elapsed + wait
        entries[index].notBefore = requested.map { reading.elapsed + $0 }
        let until = reading.date(of: reading.elapsed + wait)
        update(index) {
            $0.state = .waiting
            $0.failures = $0.failures.incremented
            $0.dueAt = until
            $0.lastError = reason ?? status.map { "the server answered \($0)" }
        }
        report(.waiting(entries[index].id, until: until, status: status))
    }
}

// MARK: - Ends

extension DeliveryMachine {
    mutating func accept(_ index: Int) {
        let id = entries[index].id
        remove(index, .accept(id))
        report(.accepted(id))
    }

    mutating func reject(_ index: Int, _ reason: RejectionReason) {
        let (id, sequence) = (entries[index].id, entries[index].sequence)
        rejected.insert(id)
        remove(index, .reject(id, entries[index].delivery, reason: reason))
        report(.rejected(id, reason))
        rejectDependents(of: id, at: sequence)
    }

    /// Rejects the entries that come after an entry that was refused or discarded, and those that come after them.
    mutating func rejectDependents(of id: UUIDBytes, at sequence: Int64) {
        while entries.hasDependents,
            let index = entries.firstIndex(where: { $0.sequence > sequence && $0.after.contains(id) })
        {
            dissolveBatch(of: index)
            reject(index, .after(id))
        }
    }
}

// MARK: - Batches

extension DeliveryMachine {
    private mutating func handleBatchResult(_ answer: SendResult, _ members: [UUIDBytes], _ reading: ClockReading) {
        // One of the members is the cause; sending each alone shows which one.
        if case .unsendable = answer { return sendAlone(members) { _ in } }
        if case .unreadable(let head) = answer { return handleUnreadableBatch(head, members, reading) }
        // Success without outcomes says nothing about any member, and the outbox does not report it as a head.
        if case .head(let head) = answer, let verdict = finalVerdict(head) {
            return sendAlone(members) { delivery in
                delivery.lastStatus = head.status
                if verdict != .rejected { delivery.isInDoubt = true }
            }
        }
        for id in members { handleResult(answer, of: id, reading) }
        align(members)
    }

    /// Ends a batch whose members are sent individually from now on.
    private mutating func sendAlone(_ members: [UUIDBytes], _ change: (inout OutboxDelivery) -> Void) {
        for id in members {
            guard let index = index(id) else { continue }
            removeFromBatch(index, isExclusive: true)
            update(index) {
                $0.state = .pending
                change(&$0)
            }
        }
    }

    /// Returns the verdict that ends a batch as such, so that its members are sent individually; nil for none.
    private func finalVerdict(_ head: ResponseSummary) -> Verdict? {
        let verdict = policy.outcomes.verdict(for: head.facts("POST", tries: 1))
        return switch verdict {
        case .retry, .wait, .pause: nil
        case .accepted, .rejected, .conflict: verdict
        }
    }

    /// Handles success that says nothing about the members. The batch is sent once more, and then its members are left
    /// to the host, since the server may have them, and would perform them again under another key.
    private mutating func handleUnreadableBatch(
        _ head: ResponseSummary, _ members: [UUIDBytes], _ reading: ClockReading
    ) {
        let indices = members.compactMap { index($0) }
        for index in indices {
            update(index) {
                $0.isInDoubt = true
                $0.lastStatus = head.status
                $0.attempts = $0.attempts.incremented
            }
        }
        let isOver = indices.contains {
            entries[$0].delivery.attempts >= min(entries[$0].mostAttempts, Self.unreadableBatchLimit)
        }
        guard isOver else {
            for index in indices { wait(index, head.retryAfter, status: head.status, reading) }
            return align(members)
        }
        hasUnreadableBatch = true
        for index in indices {
            markUnresolved(index)
            update(index) { $0.lastError = "the batch was answered with \(head.status) \(Self.withoutOutcomes)" }
        }
    }

    /// The end of the last error of an entry whose batch got success without outcomes.
    private static let withoutOutcomes = "and without outcomes"

    /// Whether such a response left an entry unresolved, and the host has not decided on it yet.
    static func isFromUnreadableBatch(_ delivery: OutboxDelivery) -> Bool {
        delivery.state == .unresolved && delivery.lastError?.hasSuffix(withoutOutcomes) == true
    }

    /// The number of responses of success without outcomes before the members are left to the host.
    private static let unreadableBatchLimit = 2

    /// Makes waiting members of a batch wait for the same time, with the same jitter, as the batch is sent again whole.
    private mutating func align(_ members: [UUIDBytes]) {
        let waiting = members.compactMap { index($0) }.filter {
            entries[$0].delivery.state == .waiting && entries[$0].delivery.batch != nil
        }
        guard let due = waiting.compactMap({ entries[$0].due }).max(),
            let dueAt = waiting.compactMap({ entries[$0].delivery.dueAt }).max()
        else { return }
        for index in waiting {
            entries[index].due = due
            update(index) { $0.dueAt = dueAt }
        }
    }

    /// Dissolves the batch of an entry that leaves it: the rest of the batch would be another request.
    mutating func dissolveBatch(of index: Int) {
        guard let batch = entries[index].delivery.batch else { return }
        for other in entries.touched where entries[other].delivery.batch == batch {
            removeFromBatch(other, isExclusive: true)
        }
    }

    /// Removes an entry from its batch.
    ///
    /// - Parameter isExclusive: whether it is never sent in a batch again.
    mutating func removeFromBatch(_ index: Int, isExclusive: Bool) {
        update(index) {
            $0.batch = nil
            $0.isUnbatched = $0.isUnbatched || isExclusive
        }
    }
}

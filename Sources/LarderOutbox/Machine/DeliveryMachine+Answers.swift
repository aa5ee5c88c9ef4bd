internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Handling of requests that have ended.
extension DeliveryMachine {
    mutating func take(_ answer: FlightAnswer, of key: UUIDBytes, _ moment: Moment) {
        guard flights.remove(key) != nil else { return }
        defer { isOfEarlierSession = false }
        isOfEarlierSession = earlierFlights.remove(key) != nil
        let members = entries.filter { $0.delivery.state == .sending && $0.flightKey == key }
        guard let first = members.first else { return }
        // Not reset when a send is recorded: that record is small, and says little about the space of the store.
        storageFailures = 0
        switch answer {
        case .whole(let answer) where first.delivery.batch != nil: takeBatch(answer, members.map(\.id), moment)
        case .whole(let answer): take(answer, of: first.id, moment)
        case .members(let heads):
            for member in members {
                guard let index = index(member.id) else { continue }
                leaveBatch(index, isAlone: heads[member.id] == nil)
                take(heads[member.id].map { .head($0) } ?? .none, of: member.id, moment)
            }
            endRefusals()
        }
    }

    private mutating func take(_ answer: Answer, of id: UUIDBytes, _ moment: Moment) {
        // An entry is gone if it was rejected together with a member before it.
        guard let index = index(id) else { return }
        switch answer {
        case .notSent: wait(index, nil, moment)
        case .heldBack(let rest): holdBack(index, rest, moment)
        case .unreadable(let head): wait(index, head.retryAfter, moment)
        case .unsendable(let reason): giveUp(index, status: nil, reason)
        case .none:
            update(index) { $0.isInDoubt = true }
            wait(index, nil, moment)
        case .head(let head):
            update(index) {
                $0.lastStatus = head.status
                if head.leavesDoubt { $0.isInDoubt = true }
            }
            take(verdict(head, index), head, index, moment)
        }
    }

    private func verdict(_ head: AnswerHead, _ index: Int) -> Verdict {
        let delivery = entries[index].delivery
        // A send that never left, or whose response did not count as an attempt, performed nothing.
        let mayBeKnown = delivery.isInDoubt || delivery.attempts > 0
        return policy.outcomes.verdict(
            for: head.facts(entries[index].method, tries: mayBeKnown ? max(delivery.tries, 2) : 1))
    }

    private mutating func take(_ verdict: Verdict, _ head: AnswerHead, _ index: Int, _ moment: Moment) {
        if verdict != .pause { refusals = 0 }
        note(verdict, head, index, moment)
        switch verdict {
        case .accepted:
            accept(index)
            reviveAfterAcceptance(moment)
        case .retry(let after) where head.isThrottling:
            leaveServerAlone(after, moment)
            wait(index, after, moment)
        case .wait(let after): wait(index, after, moment)
        case .retry(let after):
            // Too many requests is no failure of this entry, even where something else than the server says so.
            if head.isStillPerforming || head.status == 429 { return wait(index, after, moment) }
            countAttempt(index, head, after, moment)
        case .pause:
            update(index) {
                $0.state = .pending
                $0.dueAt = nil
            }
            refuse(entries[index].account, moment)
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

    private mutating func countAttempt(_ index: Int, _ head: AnswerHead, _ after: Duration?, _ moment: Moment) {
        update(index) { $0.attempts = $0.attempts.incremented }
        if entries[index].delivery.attempts < entries[index].mostAttempts { return wait(index, after, moment) }
        giveUp(index, status: head.status, "the server answered \(head.status), for the last time that was allowed")
        putOff(index, after, moment)
    }

    /// Makes an entry a dead letter whose overlay stays, until it is revived.
    private mutating func giveUp(_ index: Int, status: Int?, _ reason: String) {
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

    mutating func wait(_ index: Int, _ after: Duration?, _ moment: Moment) {
        let asked = granted(after)
        let wait = max(delay(afterFailures: entries[index].delivery.failures.incremented), asked ?? .zero)
        entries[index].due = moment.elapsed + wait
        entries[index].notBefore = asked.map { moment.elapsed + $0 }
        let until = moment.date(of: moment.elapsed + wait)
        update(index) {
            $0.state = .waiting
            $0.failures = $0.failures.incremented
            $0.dueAt = until
        }
        let delivery = entries[index].delivery
        report(.waiting(entries[index].id, until: until, status: delivery.lastStatus))
    }
}

// MARK: - Ends

extension DeliveryMachine {
    mutating func accept(_ index: Int) {
        let id = entries[index].id
        leave(index, .accept(id))
        report(.accepted(id))
    }

    mutating func reject(_ index: Int, _ reason: RejectionReason) {
        let (id, sequence) = (entries[index].id, entries[index].sequence)
        rejected.insert(id)
        leave(index, .reject(id, entries[index].delivery, reason: reason))
        report(.rejected(id, reason))
        takeFollowers(of: id, at: sequence)
    }

    /// Rejects the entries that come after an entry that was refused or discarded, and those that come after them.
    mutating func takeFollowers(of id: UUIDBytes, at sequence: Int64) {
        while let index = entries.firstIndex(where: { $0.sequence > sequence && $0.after.contains(id) }) {
            dissolveBatch(of: index)
            reject(index, .after(id))
        }
    }
}

// MARK: - Batches

extension DeliveryMachine {
    private mutating func takeBatch(_ answer: Answer, _ members: [UUIDBytes], _ moment: Moment) {
        // One of the members is the cause; sending each alone shows which one.
        if case .unsendable = answer { return sendAlone(members) { _ in } }
        if case .unreadable(let head) = answer { return takeUnreadable(head, members, moment) }
        // Success without outcomes says nothing about any member, and the outbox does not report it as a head.
        if case .head(let head) = answer, let verdict = finalVerdict(head) {
            return sendAlone(members) { delivery in
                delivery.lastStatus = head.status
                if verdict != .rejected { delivery.isInDoubt = true }
            }
        }
        for id in members { take(answer, of: id, moment) }
        align(members)
    }

    /// Ends a batch whose members are sent individually from now on.
    private mutating func sendAlone(_ members: [UUIDBytes], _ change: (inout OutboxDelivery) -> Void) {
        for id in members {
            guard let index = index(id) else { continue }
            leaveBatch(index, isAlone: true)
            update(index) {
                $0.state = .pending
                change(&$0)
            }
        }
    }

    /// Returns the verdict that ends a batch as such, so that its members are sent individually; nil for none.
    private func finalVerdict(_ head: AnswerHead) -> Verdict? {
        let verdict = policy.outcomes.verdict(for: head.facts("POST", tries: 1))
        return switch verdict {
        case .retry, .wait, .pause: nil
        case .accepted, .rejected, .conflict: verdict
        }
    }

    /// Handles success that says nothing about the members. The batch is sent once more, and then its members are left
    /// to the host, since the server may have them, and would perform them again under another key.
    private mutating func takeUnreadable(_ head: AnswerHead, _ members: [UUIDBytes], _ moment: Moment) {
        let indices = members.compactMap { index($0) }
        for index in indices {
            update(index) {
                $0.isInDoubt = true
                $0.lastStatus = head.status
                $0.attempts = $0.attempts.incremented
            }
        }
        let isOver = indices.contains {
            entries[$0].delivery.attempts >= min(entries[$0].mostAttempts, Self.looksAtUnreadable)
        }
        guard isOver else {
            for index in indices { wait(index, head.retryAfter, moment) }
            return align(members)
        }
        isBatchUnread = true
        for index in indices {
            leaveToHost(index)
            update(index) { $0.lastError = "the batch was answered with \(head.status) \(Self.withoutOutcomes)" }
        }
    }

    /// The end of the last error of an entry whose batch got success without outcomes.
    private static let withoutOutcomes = "and without outcomes"

    /// Whether such a response left an entry unresolved, and the host has not decided on it yet.
    static func isLeftUnread(_ delivery: OutboxDelivery) -> Bool {
        delivery.state == .unresolved && delivery.lastError?.hasSuffix(withoutOutcomes) == true
    }

    /// The number of responses of success without outcomes before the members are left to the host.
    private static let looksAtUnreadable = 2

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
        for other in entries.indices where entries[other].delivery.batch == batch { leaveBatch(other, isAlone: true) }
    }

    mutating func leaveBatch(_ index: Int, isAlone: Bool) {
        update(index) {
            $0.batch = nil
            $0.isAlone = $0.isAlone || isAlone
        }
    }
}

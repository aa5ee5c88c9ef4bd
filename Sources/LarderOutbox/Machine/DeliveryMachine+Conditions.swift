internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Changes of conditions, and commands of the app.
extension DeliveryMachine {
    mutating func takeCondition(_ event: DeliveryEvent, _ moment: Moment) {
        switch event {
        case .network(let isUsable):
            // A network found at the start has not returned: waits and counts survive a restart.
            if isUsable, network == false { haste = .everything }
            network = isUsable
        case .foreground: haste = haste ?? .serversFault
        case .session(let gate): take(gate)
        case .signInFailed: noteSignInFailed(moment)
        case .unauthorized(let account): refuse(account, moment)
        default: break
        }
    }

    /// Makes waiting entries due, as far as the server did not request more time, and revives failed ones.
    mutating func hasten(_ moment: Moment) {
        guard let haste else { return }
        self.haste = nil
        refusalWait = nil
        if case .waiting = signIn { signIn = .idle }
        for index in entries.indices where entries[index].delivery.state == .waiting {
            let due = max(moment.elapsed, entries[index].notBefore ?? moment.elapsed)
            entries[index].due = min(due, entries[index].due ?? due)
            // Members of a batch have equal counts of failures, which have to stay equal.
            update(index) { $0.failures = 0 }
        }
        for index in entries.indices where entries[index].delivery.state == .failed {
            if haste == .everything || isServersFault(index) { makePending(index) }
        }
    }

    mutating func take(_ gate: SessionGate) {
        if case .expired = gate, gate == self.gate { return }
        if !SessionGate.signedIn(self.gate.account).admits(gate.account) { refusals = 0 }
        self.gate = gate
        signIn = .idle
        earlierFlights = flights
    }

    private mutating func noteSignInFailed(_ moment: Moment) {
        guard case .expired = gate else { return }
        refusals = refusals.incremented
        signIn = .waiting(moment.elapsed + delay(afterFailures: refusals))
    }

    /// Handles the server's refusal of an account's credentials.
    mutating func refuse(_ account: String?, _ moment: Moment) {
        // Another account may have signed in since the request was sent, or the same one again.
        guard gate == .signedIn(account), !isOfEarlierSession else { return }
        gate = .expired(account)
        refusals = refusals.incremented
        // An account that signs in and is refused again must not loop without a wait.
        signIn = refusals > 1 ? .waiting(moment.elapsed + delay(afterFailures: refusals - 1)) : .idle
        report(.signInExpired(account: account))
    }

    /// Begins nothing for a while, because a step could not be stored.
    mutating func hold(_ moment: Moment) {
        storageFailures = storageFailures.incremented
        heldUntil = moment.elapsed + delay(afterFailures: storageFailures)
        report(.storageFailed)
    }

    mutating func revive(_ ids: [UUIDBytes], _ moment: Moment) {
        if case .waiting = signIn { signIn = .idle }
        refusalWait = nil
        for id in ids {
            guard let index = index(id) else { continue }
            switch entries[index].delivery.state {
            case .failed:
                endServerWait(moment)
                makePending(index)
            case .waiting:
                endServerWait(moment)
                let batch = entries[index].delivery.batch
                for other in entries.indices
                where other == index || (batch != nil && entries[other].delivery.batch == batch) {
                    entries[other].due = moment.elapsed
                    entries[other].notBefore = nil
                    // Stored too, because the app may retry while no outbox runs.
                    update(other) {
                        $0.failures = 0
                        $0.dueAt = moment.now
                    }
                }
            case .conflicted: update(index) { $0.state = .pending }
            case .pending, .sending, .unresolved, .rejected: break
            }
        }
    }

    mutating func makePending(_ index: Int) {
        entries[index].due = nil
        entries[index].notBefore = nil
        update(index) {
            $0.state = .pending
            $0.attempts = 0
            $0.failures = 0
            $0.dueAt = nil
        }
    }

    mutating func discard(_ id: UUIDBytes, outcome: String) {
        guard let index = index(id), entries[index].delivery.state != .sending else { return }
        dissolveBatch(of: index)
        let sequence = entries[index].sequence
        leave(index, .remove(id, outcome: outcome))
        report(.removed(id, outcome: outcome))
        takeFollowers(of: id, at: sequence)
    }

    mutating func decide(_ id: UUIDBytes, _ decision: Decision) {
        guard let index = index(id), entries[index].delivery.state == .unresolved else { return }
        switch decision {
        case .sendAgain:
            makePending(index)
            // The time of the server's memory of the key counts from the next try.
            update(index) {
                $0.isInDoubt = false
                $0.firstTriedAt = nil
            }
        case .accepted: accept(index)
        case .rejected: reject(index, .host)
        }
    }

    mutating func noteRemoteUnknown(_ id: UUIDBytes, _ reason: String) {
        guard let index = index(id), entries[index].delivery.state == .conflicted else { return }
        update(index) { $0.lastError = "asked what it holds, the server answered with \(reason)" }
    }

    mutating func stop() {
        guard !isStopping else { return }
        isStopping = true
        for key in flights.inOrder { step.effects.append(.cancel(key)) }
    }

    /// Returns the wait after so many failures in a row.
    mutating func delay(afterFailures failures: Int) -> Duration {
        policy.retry.delay(afterFailures: failures, &chance)
    }
}

extension SessionGate {
    /// The account, even with an expired login; nil also where no account is signed in.
    var account: String? {
        switch self {
        case .signedIn(let account), .expired(let account): account
        case .signedOut: nil
        }
    }
}

extension Int {
    /// One more, or the same where that would overflow.
    var incremented: Int { self == .max ? self : self + 1 }
}

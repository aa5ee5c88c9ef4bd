internal import LarderFormat
internal import LarderStore
internal import LarderTransport

// Changes of conditions, and commands of the app.
extension DeliveryMachine {
    mutating func handleCondition(_ event: DeliveryEvent, _ reading: ClockReading) {
        switch event {
        case .network(let isUsable):
            // A network found at the start has not returned: waits and counts survive a restart.
            if isUsable, network == false { retryScope = .allFailures }
            network = isUsable
        case .foreground: retryScope = retryScope ?? .serverFailures
        case .session(let authentication): setAuthentication(authentication)
        case .signInFailed: recordSignInFailed(reading)
        case .unauthorized(let account): handleUnauthorized(account, reading)
        default: break
        }
    }

    /// Makes waiting entries due, as far as the server did not request more time, and revives failed ones.
    mutating func expediteRetries(_ reading: ClockReading) {
        guard let retryScope else { return }
        self.retryScope = nil
        refusalWait = nil
        if case .waiting = signIn { signIn = .idle }
        for index in entries.touched where entries[index].delivery.state == .waiting {
            let due = max(reading.elapsed, entries[index].notBefore ?? reading.elapsed)
            entries[index].due = min(due, entries[index].due ?? due)
            // Members of a batch have equal counts of failures, which have to stay equal.
            update(index) { $0.failures = 0 }
        }
        for index in entries.touched where entries[index].delivery.state == .failed {
            if retryScope == .allFailures || isServerFailure(index) { makePending(index) }
        }
    }

    mutating func setAuthentication(_ authentication: AuthenticationState) {
        if case .expired = authentication, authentication == self.authentication { return }
        if !AuthenticationState.signedIn(self.authentication.account).allows(authentication.account) {
            credentialRefusals = 0
        }
        self.authentication = authentication
        signIn = .idle
        earlierTries = activeTries
    }

    private mutating func recordSignInFailed(_ reading: ClockReading) {
        guard case .expired = authentication else { return }
        credentialRefusals = credentialRefusals.incremented
        signIn = .waiting(reading.elapsed + delay(afterFailures: credentialRefusals))
    }

    /// Handles the server's refusal of an account's credentials.
    mutating func handleUnauthorized(_ account: String?, _ reading: ClockReading) {
        // Another account may have signed in since the request was sent, or the same one again.
        guard authentication == .signedIn(account), !isOfEarlierSession else { return }
        authentication = .expired(account)
        credentialRefusals = credentialRefusals.incremented
        // An account that signs in and is refused again must not loop without a wait.
        signIn =
            credentialRefusals > 1 ? .waiting(reading.elapsed + delay(afterFailures: credentialRefusals - 1)) : .idle
        report(.signInExpired(account: account))
    }

    /// Begins nothing for a while, because a step could not be stored.
    mutating func pauseAfterStorageFailure(_ reading: ClockReading) {
        storageFailures = storageFailures.incremented
        storageRetryTime = reading.elapsed + delay(afterFailures: storageFailures)
        report(.storageFailed)
    }

    mutating func revive(_ ids: [UUIDBytes], _ reading: ClockReading) {
        if case .waiting = signIn { signIn = .idle }
        refusalWait = nil
        for id in ids {
            guard let index = index(id) else { continue }
            switch entries[index].delivery.state {
            case .failed:
                endServerWait(reading)
                makePending(index)
            case .waiting:
                endServerWait(reading)
                let batch = entries[index].delivery.batch
                for other in entries.touched
                where other == index || (batch != nil && entries[other].delivery.batch == batch) {
                    entries[other].due = reading.elapsed
                    entries[other].notBefore = nil
                    // Stored too, because the app may retry while no outbox runs.
                    update(other) {
                        $0.failures = 0
                        $0.dueAt = reading.now
                    }
                }
            case .conflicted: update(index) { $0.state = .pending }
            // It may have been deferred by a wait that another sender recorded.
            case .pending: endServerWait(reading)
            case .sending, .unresolved, .rejected: break
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
        remove(index, .remove(id, outcome: outcome))
        report(.removed(id, outcome: outcome))
        rejectDependents(of: id, at: sequence)
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

    mutating func recordRemoteUnknown(_ id: UUIDBytes, _ reason: String) {
        guard let index = index(id), entries[index].delivery.state == .conflicted else { return }
        update(index) { $0.lastError = "asked what it holds, the server answered with \(reason)" }
    }

    mutating func stop() {
        guard !isStopping else { return }
        isStopping = true
        for key in activeTries.inOrder { step.effects.append(.cancel(key)) }
    }

    /// Returns the wait after so many failures in a row.
    mutating func delay(afterFailures failures: Int) -> Duration {
        policy.retry.delay(afterFailures: failures, &random)
    }
}

extension AuthenticationState {
    /// The account, even with an expired login; nil also where no account is signed in.
    package var account: String? {
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

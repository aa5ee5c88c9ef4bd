package import LarderFormat
package import LarderStore
package import LarderTransport

/// Decides when the points of one account's buffer are uploaded, by a pure step function: an event in, a change and
/// effects out.
///
/// One request is under way at a time: the oldest points first, as many as fit, at once when there is a network. Points
/// that got no response are sent again unchanged, under their key. All that matters after a crash is in the ring's
/// ``BufferUpload``. Whenever points may be sent, a request is under way or the timer is armed (``isLive(at:)``).
package struct UploadMachine: Hashable, Sendable {
    let policy: BufferPolicy
    /// The account of the ring.
    package let account: String?
    private var chance: Chance
    /// The upload as it is stored, once the step's change is.
    package private(set) var upload = BufferUpload()
    private var oldest: [Int64] = []
    /// Whether ``upload`` and ``oldest`` are as in the store.
    private var isLoaded = false
    private var network: Bool?
    private var gate: SessionGate
    /// Whether a request is under way.
    package private(set) var isSending = false
    /// When the next try is due, by the monotonic clock; nil: now.
    private var due: Duration?
    /// The end of the wait that the server requested.
    private var notBefore: Duration?
    private var heldUntil: Duration?
    private var storageFailures = 0
    /// The number of times in a row that the server has refused the credentials.
    private var refusals = 0
    private var armed: Duration?

    /// A machine that knows nothing of its ring and the network.
    ///
    /// - Parameter seed: the seed of the random numbers.
    package init(policy: BufferPolicy, account: String?, gate: SessionGate, seed: UInt64) {
        precondition(policy.isSound, "a part of the policy is out of its range")
        self.policy = policy
        self.account = account
        self.gate = gate
        chance = Chance(state: seed)
    }

    /// Handles an event, and returns the change and the effects.
    ///
    /// - Parameter freshKey: a random UUID that was never given before: the key of an upload that begins.
    package mutating func step(_ event: UploadEvent, at moment: Moment, freshKey: UUIDBytes) -> UploadStep {
        var step = UploadStep()
        if case .ring(let stored, let found, let rest) = event {
            load(stored, found, rest, moment)
            leaveServerAlone(rest, moment)
        }
        let before = upload
        switch event {
        case .ring: break
        case .network(let isUsable): take(isUsable: isUsable, moment)
        case .foreground: hasten(moment)
        case .session(let gate): self.gate = gate
        case .timer: armed = nil
        case .answered(let answer): step.change = take(answer, moment, &step)
        case .storageFailed: hold(moment)
        }
        if let until = heldUntil, until <= moment.elapsed { heldUntil = nil }
        if step.change == nil {
            begin(moment, freshKey, &step.effects)
            if upload != before { step.change = .update(from: before, to: upload) }
        }
        arm(&step.effects)
        return step
    }

    /// Whether the ring has to be read before anything can be sent, and may be read now.
    package var needsRing: Bool { !isLoaded && !isSending && heldUntil == nil }

    /// Whether everything that may be sent is scheduled. True between the removal of points and the next read of the
    /// ring.
    package func isLive(at moment: Moment) -> Bool {
        guard let wake = nextWake else { return isSending || !isLoaded || !maySend || !hasPoints }
        return armed.map { $0 <= wake } ?? false
    }
}

// MARK: - Schedule

extension UploadMachine {
    private var hasPoints: Bool { upload.flight != nil || !oldest.isEmpty }

    private var maySend: Bool {
        guard network == true, case .signedIn = gate else { return false }
        return gate.admits(account)
    }

    private var nextWake: Duration? {
        guard maySend, !isSending else { return nil }
        if let heldUntil { return heldUntil }
        return isLoaded && hasPoints ? due : nil
    }

    private mutating func begin(_ moment: Moment, _ freshKey: UUIDBytes, _ effects: inout [UploadEffect]) {
        guard maySend, !isSending, isLoaded, heldUntil == nil, due.map({ $0 <= moment.elapsed }) ?? true else { return }
        if upload.flight == nil {
            guard let first = oldest.first else { return }
            let last = first <= upload.aloneThrough ? first : oldest.prefix(policy.mostPoints).last ?? first
            upload.flight = BufferUpload.Flight(sequences: first...last, key: freshKey)
            upload.tries = 0
        }
        guard let flight = upload.flight else { return }
        upload.tries = upload.tries.incremented
        upload.dueAt = nil
        (due, notBefore) = (nil, nil)
        isSending = true
        effects.append(.send(flight))
    }

    private mutating func arm(_ effects: inout [UploadEffect]) {
        let time = nextWake
        guard time != armed else { return }
        armed = time
        effects.append(.arm(time))
    }
}

// MARK: - Conditions

extension UploadMachine {
    private mutating func load(_ stored: BufferUpload, _ found: [Int64], _ rest: Duration?, _ moment: Moment) {
        if !isLoaded, due == nil, let dueAt = stored.dueAt {
            let wait = moment.wait(until: dueAt)
            // Only a server requests a wait longer than that between tries, and its wait is stored elsewhere: the wall
            // clock was set back.
            if wait <= max(policy.retry.limit, rest ?? .zero) { due = moment.elapsed + wait }
        }
        upload = stored
        oldest = found
        isLoaded = true
    }

    private mutating func take(isUsable: Bool, _ moment: Moment) {
        let was = network
        network = isUsable
        // A network found at the start has not returned: waits survive a restart.
        if isUsable, was == false { hasten(moment) }
    }

    /// Waits for as long as the server requested, here or elsewhere.
    private mutating func leaveServerAlone(_ rest: Duration?, _ moment: Moment) {
        guard let rest, rest > .zero else { return }
        // The longest wait counts from the first read: each appended point leads to another.
        let known = notBefore.flatMap { $0 > moment.elapsed ? $0 : nil }
        let until = known ?? moment.elapsed + min(rest, policy.longestRetryAfter)
        notBefore = until
        due = max(due ?? until, until)
    }

    /// Makes the next try due, as far as the server did not request more time.
    private mutating func hasten(_ moment: Moment) {
        guard let waited = due else { return }
        due = min(waited, max(moment.elapsed, notBefore ?? moment.elapsed))
        upload.failures = 0
    }

    private mutating func hold(_ moment: Moment) {
        isSending = false
        isLoaded = false
        storageFailures = storageFailures.incremented
        heldUntil = moment.elapsed + delay(afterFailures: storageFailures)
    }

    private mutating func delay(afterFailures failures: Int) -> Duration {
        policy.retry.delay(afterFailures: failures, &chance)
    }
}

// MARK: - Responses

extension UploadMachine {
    /// - Returns: the change that removes points, if the response does.
    private mutating func take(
        _ answer: Answer, _ moment: Moment, _ step: inout UploadStep
    ) -> UploadChange? {
        guard isSending else { return nil }
        isSending = false
        // The ring was discarded meanwhile.
        guard let flight = upload.flight else { return nil }
        storageFailures = 0
        if case .heldBack(let rest) = answer {
            leaveServerAlone(rest, moment)
            upload.dueAt = due.map { moment.date(of: $0) }
            return nil
        }
        guard case .head(let head) = answer else {
            wait(nil, moment)
            return nil
        }
        let verdict = policy.outcomes.verdict(for: head.facts("POST", tries: upload.tries))
        if verdict != .pause { refusals = 0 }
        switch verdict {
        case .accepted: return finish(flight, refused: false)
        case .rejected where BufferPolicy.refusesContent(head.status):
            if oldest.count(where: flight.sequences.contains) <= 1 { return finish(flight, refused: true) }
            // One of the points is the cause, and the others must not be discarded with it.
            upload.aloneThrough = flight.sequences.upperBound
            (upload.flight, upload.tries, upload.failures) = (nil, 0, 0)
        case .retry(let after), .wait(let after):
            let wait = wait(after, moment)
            // Where the server states no time, the wait of this machine is that of all senders.
            if head.isThrottling { step.serverWait = .note(wait) }
        case .rejected, .conflict: wait(head.retryAfter, moment)
        case .pause: refuse(moment, &step.effects)
        }
        return nil
    }

    private mutating func refuse(_ moment: Moment, _ effects: inout [UploadEffect]) {
        refusals = refusals.incremented
        // An account that signs in and is refused again must not loop without a wait.
        if refusals > 1 { due = moment.elapsed + delay(afterFailures: refusals - 1) }
        // Another account may have signed in since the request was sent.
        guard maySend else { return }
        gate = .expired(account)
        effects.append(.expired)
    }

    private mutating func finish(_ flight: BufferUpload.Flight, refused: Bool) -> UploadChange {
        let old = upload
        upload = BufferUpload()
        if old.aloneThrough > flight.sequences.upperBound { upload.aloneThrough = old.aloneThrough }
        // The remaining points are known when the ring has been read again.
        isLoaded = false
        return .acknowledge(from: old, to: upload, refused: refused)
    }

    @discardableResult
    private mutating func wait(_ after: Duration?, _ moment: Moment) -> Duration {
        let asked = after.map { min(max($0, .zero), policy.longestRetryAfter) }
        upload.failures = upload.failures.incremented
        let wait = max(delay(afterFailures: upload.failures), asked ?? .zero)
        due = moment.elapsed + wait
        notBefore = asked.map { moment.elapsed + $0 }
        upload.dueAt = moment.date(of: moment.elapsed + wait)
        return wait
    }
}

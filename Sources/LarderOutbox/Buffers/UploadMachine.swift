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
    private var random: SplitMix64
    /// The upload as it is stored, once the step's change is.
    package private(set) var upload = BufferUpload()
    private var oldest: [Int64] = []
    /// Whether ``upload`` and ``oldest`` are as in the store.
    private var isLoaded = false
    private var network: Bool?
    private var authentication: AuthenticationState
    /// Whether a request is under way.
    package private(set) var isSending = false
    /// When the next try is due, by the monotonic clock; nil: now.
    private var due: Duration?
    /// The end of the wait that the server requested.
    private var notBefore: Duration?
    private var storageRetryTime: Duration?
    private var storageFailures = 0
    /// The number of times in a row that the server has refused the credentials.
    private var credentialRefusals = 0
    private var armed: Duration?

    /// A machine that knows nothing of its ring and the network.
    ///
    /// - Parameter seed: the seed of the random numbers.
    package init(policy: BufferPolicy, account: String?, authentication: AuthenticationState, seed: UInt64) {
        precondition(policy.isValid, "a part of the policy is out of its range")
        self.policy = policy
        self.account = account
        self.authentication = authentication
        random = SplitMix64(state: seed)
    }

    /// Handles an event, and returns the change and the effects.
    ///
    /// - Parameter freshKey: a random UUID that was never given before: the key of an upload that begins.
    package mutating func step(_ event: UploadEvent, at reading: ClockReading, freshKey: UUIDBytes) -> UploadStep {
        var step = UploadStep()
        if case .ring(let stored, let found, let rest) = event {
            load(stored, found, rest, reading)
            beginServerWait(rest, reading)
        }
        let before = upload
        switch event {
        case .ring: break
        case .network(let isUsable): updateNetwork(isUsable: isUsable, reading)
        case .foreground: expediteRetries(reading)
        case .session(let authentication): self.authentication = authentication
        case .timer: armed = nil
        case .uploadEnded(let answer): step.change = handleResult(answer, reading, &step)
        case .storageFailed: pauseAfterStorageFailure(reading)
        }
        if let until = storageRetryTime, until <= reading.elapsed { storageRetryTime = nil }
        if step.change == nil {
            begin(reading, freshKey, &step.effects)
            if upload != before { step.change = .update(from: before, to: upload) }
        }
        arm(&step.effects)
        return step
    }

    /// Whether the ring has to be read before anything can be sent, and may be read now.
    package var needsRing: Bool { !isLoaded && !isSending && storageRetryTime == nil }

    /// Whether everything that may be sent is scheduled. True between the removal of points and the next read of the
    /// ring.
    package func isLive(at reading: ClockReading) -> Bool {
        guard let wake = nextWake else { return isSending || !isLoaded || !maySend || !hasPoints }
        return armed.map { $0 <= wake } ?? false
    }
}

// MARK: - Schedule

extension UploadMachine {
    private var hasPoints: Bool { upload.batch != nil || !oldest.isEmpty }

    private var maySend: Bool {
        guard network == true, case .signedIn = authentication else { return false }
        return authentication.allows(account)
    }

    private var nextWake: Duration? {
        guard maySend, !isSending else { return nil }
        if let storageRetryTime { return storageRetryTime }
        return isLoaded && hasPoints ? due : nil
    }

    private mutating func begin(_ reading: ClockReading, _ freshKey: UUIDBytes, _ effects: inout [UploadEffect]) {
        guard maySend, !isSending, isLoaded, storageRetryTime == nil, due.map({ $0 <= reading.elapsed }) ?? true else {
            return
        }
        if upload.batch == nil {
            guard let first = oldest.first else { return }
            let last = first <= upload.unbatchedThrough ? first : oldest.prefix(policy.mostPoints).last ?? first
            upload.batch = BufferUpload.Batch(sequences: first...last, key: freshKey)
            upload.tries = 0
        }
        guard let batch = upload.batch else { return }
        upload.tries = upload.tries.incremented
        upload.dueAt = nil
        (due, notBefore) = (nil, nil)
        isSending = true
        effects.append(.send(batch))
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
    private mutating func load(_ stored: BufferUpload, _ found: [Int64], _ rest: Duration?, _ reading: ClockReading) {
        if !isLoaded, due == nil, let dueAt = stored.dueAt {
            let wait = reading.wait(until: dueAt)
            // Only a server requests a wait longer than that between tries, and its wait is stored elsewhere: the wall
            // clock was moved back.
            if wait <= max(policy.retry.limit, rest ?? .zero) { due = reading.elapsed + wait }
        }
        upload = stored
        oldest = found
        isLoaded = true
    }

    private mutating func updateNetwork(isUsable: Bool, _ reading: ClockReading) {
        let was = network
        network = isUsable
        // A network found at the start has not returned: waits survive a restart.
        if isUsable, was == false { expediteRetries(reading) }
    }

    /// Waits for as long as the server requested, here or elsewhere.
    private mutating func beginServerWait(_ rest: Duration?, _ reading: ClockReading) {
        guard let rest, rest > .zero else { return }
        // The longest wait counts from the first read: each appended point leads to another.
        let known = notBefore.flatMap { $0 > reading.elapsed ? $0 : nil }
        let wait = min(rest, policy.longestRetryAfter)
        let until = known ?? reading.elapsed + policy.retry.lengthened(wait, &random)
        notBefore = until
        due = max(due ?? until, until)
    }

    /// Makes the next try due, as far as the server did not request more time.
    private mutating func expediteRetries(_ reading: ClockReading) {
        guard let waited = due else { return }
        due = min(waited, max(reading.elapsed, notBefore ?? reading.elapsed))
        upload.failures = 0
    }

    private mutating func pauseAfterStorageFailure(_ reading: ClockReading) {
        isSending = false
        isLoaded = false
        storageFailures = storageFailures.incremented
        storageRetryTime = reading.elapsed + delay(afterFailures: storageFailures)
    }

    private mutating func delay(afterFailures failures: Int) -> Duration {
        policy.retry.delay(afterFailures: failures, &random)
    }
}

// MARK: - Responses

extension UploadMachine {
    /// - Returns: the change that removes points, if the response does.
    private mutating func handleResult(
        _ answer: SendResult, _ reading: ClockReading, _ step: inout UploadStep
    ) -> UploadChange? {
        guard isSending else { return nil }
        isSending = false
        // The ring was discarded meanwhile.
        guard let batch = upload.batch else { return nil }
        storageFailures = 0
        if case .deferred(let rest) = answer {
            beginServerWait(rest, reading)
            upload.dueAt = due.map { reading.date(of: $0) }
            return nil
        }
        guard case .head(let head) = answer else {
            wait(nil, reading)
            return nil
        }
        let verdict = policy.outcomes.verdict(for: head.facts("POST", tries: upload.tries))
        if verdict != .pause { credentialRefusals = 0 }
        switch verdict {
        case .accepted: return finish(batch, refused: false)
        case .rejected where BufferPolicy.refusesContent(head.status):
            if oldest.count(where: batch.sequences.contains) <= 1 { return finish(batch, refused: true) }
            // One of the points is the cause, and the others must not be discarded with it.
            upload.unbatchedThrough = batch.sequences.upperBound
            (upload.batch, upload.tries, upload.failures) = (nil, 0, 0)
        case .retry(let after), .wait(let after):
            let wait = wait(after, reading)
            // The wait of this machine is that of all senders only where the server states no time.
            if head.isThrottling { step.serverWait = .begin(requestedWait(after) ?? wait) }
        case .rejected, .conflict: wait(head.retryAfter, reading)
        case .pause: handleUnauthorized(reading, &step.effects)
        }
        return nil
    }

    private mutating func handleUnauthorized(_ reading: ClockReading, _ effects: inout [UploadEffect]) {
        credentialRefusals = credentialRefusals.incremented
        // An account that signs in and is refused again must not loop without a wait.
        if credentialRefusals > 1 { due = reading.elapsed + delay(afterFailures: credentialRefusals - 1) }
        // Another account may have signed in since the request was sent.
        guard maySend else { return }
        authentication = .expired(account)
        effects.append(.expired)
    }

    private mutating func finish(_ batch: BufferUpload.Batch, refused: Bool) -> UploadChange {
        let old = upload
        upload = BufferUpload()
        if old.unbatchedThrough > batch.sequences.upperBound { upload.unbatchedThrough = old.unbatchedThrough }
        // The remaining points are known when the ring has been read again.
        isLoaded = false
        return .acknowledge(from: old, to: upload, refused: refused)
    }

    @discardableResult
    private mutating func wait(_ after: Duration?, _ reading: ClockReading) -> Duration {
        let requested = requestedWait(after).map { policy.retry.lengthened($0, &random) }
        upload.failures = upload.failures.incremented
        let wait = max(delay(afterFailures: upload.failures), requested ?? .zero)
        due = reading.elapsed + wait
        notBefore = requested.map { reading.elapsed + $0 }
        upload.dueAt = reading.date(of: reading.elapsed + wait)
        return wait
    }

    private func requestedWait(_ after: Duration?) -> Duration? {
        after.map { min(max($0, .zero), policy.longestRetryAfter) }
    }
}

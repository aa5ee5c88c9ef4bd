package import LarderFormat
package import LarderStore
package import LarderTransport

/// Decides which write is sent when and what responses mean, by a pure step function: event in, changes and effects
/// out.
///
/// See docs/internals/outbox.md. The machine holds the entries in the order of their sequences, the authentication
/// state, and the requests under way. All that matters after a crash is in the deliveries it changes: a machine that is
/// loaded from them continues where the last one ended. Whenever an entry is due and may be sent, requests are under
/// way or the timer is armed (``isLive(at:)``).
package struct DeliveryMachine: Hashable, Sendable {
    let policy: OutboxPolicy
    var random: SplitMix64
    /// In the order of their sequences.
    package internal(set) var entries: EntryList = []
    /// Whether there is a network to reach the server.
    package var isOnline: Bool { network ?? false }
    /// As ``isOnline``; nil until it is known.
    package internal(set) var network: Bool?
    /// The authentication state.
    package internal(set) var authentication: AuthenticationState
    /// The progress of signing in again.
    package internal(set) var signIn = SignIn.idle
    /// The number of refused credentials and failed sign-ins since the last response that did not refuse them.
    package internal(set) var credentialRefusals = 0
    /// The requests under way: single entries by their identities, and batches by their keys.
    package internal(set) var activeTries: Set<UUIDBytes> = []
    /// The ``activeTries`` that began before the last change of the session: a refusal of theirs may be out of date.
    package internal(set) var earlierTries: Set<UUIDBytes> = []
    /// The rejected entries of the table: entries that come after one of them are rejected too.
    package internal(set) var rejected: Set<UUIDBytes> = []
    /// The end of the wait that the server requested; may have passed.
    package internal(set) var serverWait: Duration?
    /// The number of waits in a row that the server requested.
    package internal(set) var throttles = 0
    /// Whether entries that failed because of the server before the start are still to be tried once more.
    package internal(set) var isAtStart = true
    /// Whether a batch got success without outcomes: no other is formed.
    package internal(set) var hasUnreadableBatch = false
    /// Whether the last response did not come from the API.
    package internal(set) var isIntercepted = false
    /// The lanes in which writes were refused since the last acceptance.
    package internal(set) var refusedLanes: Set<String> = []
    /// The end of the pause after the server refused writes about too many things in a row; may have passed.
    package internal(set) var refusalWait: Duration?
    /// The time until which nothing begins, because the store could not save a change.
    package internal(set) var storageRetryTime: Duration?
    package internal(set) var storageFailures = 0
    /// The entries to retry as soon as the store can keep the results; nil for none.
    package internal(set) var retryScope: RetryScope?
    /// Whether this machine is the one that sends. If not, entries in state `sending` are another's, not abandoned.
    var isOwner = true
    /// The time that the timer is armed for.
    package internal(set) var armed: Duration?
    package internal(set) var isStopping = false
    /// Whether the response being handled is that of one of ``earlierTries``.
    var isOfEarlierSession = false
    var step = DeliveryStep()

    /// The entries to retry besides those that wait.
    package enum RetryScope: Hashable, Sendable {
        /// The host has come to the foreground: entries that failed because of the server.
        case serverFailures
        /// The network has returned: all failed entries.
        case allFailures
    }

    /// The progress of signing in again.
    package enum SignIn: Hashable, Sendable {
        /// No request to sign in is under way.
        case idle
        /// The host was asked to sign in.
        case requested
        /// The host is asked at this time.
        case waiting(Duration)
    }

    /// A machine without entries and network.
    ///
    /// - Parameter seed: the seed of the random numbers.
    package init(policy: OutboxPolicy, authentication: AuthenticationState = .signedIn(nil), seed: UInt64) {
        precondition(policy.isValid, "a part of the policy is out of its range")
        self.policy = policy
        self.authentication = authentication
        random = SplitMix64(state: seed)
    }

    /// Handles one event, as a step of several does.
    package mutating func step(
        _ event: DeliveryEvent, at reading: ClockReading, freshKey: UUIDBytes
    ) -> DeliveryStep {
        step([event], at: reading, freshKey: freshKey)
    }

    /// Handles events, and what was seen since the last step (``applyTableChanges(_:at:)``), and returns the changes and
    /// effects: what begins next is decided once, after all of them.
    ///
    /// - Parameter freshKey: a random UUID that was never given before; used when a batch is formed.
    package mutating func step(
        _ events: [DeliveryEvent], at reading: ClockReading, freshKey: UUIDBytes
    ) -> DeliveryStep {
        for event in events { handle(event, reading) }
        schedule(reading, freshKey)
        defer { step = DeliveryStep() }
        return step
    }

    private mutating func handle(_ event: DeliveryEvent, _ reading: ClockReading) {
        switch event {
        case .tableChanged: break
        case .network, .foreground, .session, .signInFailed, .unauthorized: handleCondition(event, reading)
        case .timer: armed = nil
        case .tryEnded(let key, let answer): handleTryResult(answer, of: key, reading)
        case .throttled(let after): beginServerWait(after, reading)
        case .storageFailed: pauseAfterStorageFailure(reading)
        case .revive(let id): revive([id], reading)
        case .reviveAll: revive(entries.map(\.id), reading)
        case .discard(let id, let outcome): discard(id, outcome: outcome)
        case .decide(let id, let decision): decide(id, decision)
        case .remoteUnknown(let id, let reason): recordRemoteUnknown(id, reason)
        case .stop: stop()
        }
    }

    /// As ``step(_:at:freshKey:)``, when another process has signed the account out; authentication states in the events
    /// are ignored.
    mutating func step(
        _ events: [DeliveryEvent], signedOutAt reading: ClockReading, freshKey: UUIDBytes
    ) -> DeliveryStep {
        setAuthentication(.signedOut)
        let events = events.filter { if case .session = $0 { false } else { true } }
        return step(events, at: reading, freshKey: freshKey)
    }

    /// Returns the index of an entry, or nil.
    func index(_ id: UUIDBytes) -> Int? { entries.index(of: id) }

    /// Changes the delivery of an entry, and adds the change to the step.
    mutating func update(_ index: Int, _ change: (inout OutboxDelivery) -> Void) {
        let old = entries[index].delivery
        change(&entries[index].delivery)
        let (id, new) = (entries[index].id, entries[index].delivery)
        guard new != old else { return }
        // An entry has one change in a transaction, so that the expected delivery is the stored one.
        if let position = step.changes.firstIndex(where: { $0.id == id }) {
            guard case .update(_, let first, _) = step.changes[position] else {
                preconditionFailure("an entry that left is changed")
            }
            step.changes[position] = .update(id, from: first, to: new)
        } else {
            step.changes.append(.update(id, from: old, to: new))
        }
    }

    /// Removes an entry; `change` replaces the changes that this step made to it.
    mutating func remove(_ index: Int, _ change: DeliveryChange) {
        step.changes.removeAll { $0.id == change.id }
        step.changes.append(change)
        entries.remove(at: index)
    }

    mutating func report(_ event: OutboxEvent) { step.effects.append(.report(event)) }
}

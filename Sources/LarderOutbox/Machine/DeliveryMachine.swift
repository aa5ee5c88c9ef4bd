package import LarderFormat
package import LarderStore
package import LarderTransport

/// Decides which write is sent when and what its answer means, as a pure step function: an event in, changes and effects out.
///
/// docs/internals/outbox.md. It holds the entries in the order of their sequences, who is signed in, and what is under way. All that
/// matters after a crash lies in the deliveries it changes: a machine that is loaded from them goes on where the last one
/// ended. Whenever an entry is due and may be sent, requests are under way or the timer is armed (``isLive(at:)``).
package struct DeliveryMachine: Hashable, Sendable {
    let policy: OutboxPolicy
    var chance: Chance
    /// In the order of their sequences.
    package internal(set) var entries: [LaneEntry] = []
    /// Whether the server can be asked at all.
    package var isOnline: Bool { network ?? false }
    /// As ``isOnline``; nil until it is known.
    package internal(set) var network: Bool?
    /// Who is signed in.
    package internal(set) var gate: SessionGate
    /// How far signing in again is.
    package internal(set) var signIn = SignIn.idle
    /// How often credentials were refused since something was last accepted under them.
    package internal(set) var refusals = 0
    /// The requests under way: entries by themselves, and batches by their keys.
    package internal(set) var flights: Set<UUIDBytes> = []
    /// Those of them that began before the last change of the session: a refusal of theirs may be out of date.
    package internal(set) var earlierFlights: Set<UUIDBytes> = []
    /// The dead letters of the table: what comes after one of them goes with it.
    package internal(set) var rejected: Set<UUIDBytes> = []
    /// Until when the server is left alone because it asked for that; may have passed.
    package internal(set) var serverWait: Duration?
    /// How often in a row the server answered that it gets too many requests.
    package internal(set) var throttles = 0
    /// Whether what failed through the server's fault before the start is still to be tried once more.
    package internal(set) var isAtStart = true
    /// Whether a batch was answered with success and no outcomes: no other is formed.
    package internal(set) var isBatchUnread = false
    /// Whether the last answer was not the API's.
    package internal(set) var isIntercepted = false
    /// The lanes of which writes were refused since the last acceptance.
    package internal(set) var refusedLanes: Set<String> = []
    /// Until when nothing is sent because the server refused writes about too many things in a row; may have passed.
    package internal(set) var refusalWait: Duration?
    /// Until when nothing is begun, because the store could not keep what happened.
    package internal(set) var heldUntil: Duration?
    package internal(set) var storageFailures = 0
    /// The entries to retry as soon as the store can keep the results; nil for none.
    package internal(set) var haste: Haste?
    /// Whether it is the one that sends; if not, what is being sent is another's and not given up.
    var isOwner = true
    /// When the timer goes off.
    package internal(set) var armed: Duration?
    package internal(set) var isStopping = false
    /// Whether the answer that is being taken is one of ``earlierFlights``.
    var isOfEarlierSession = false
    var step = DeliveryStep()

    /// The entries to retry besides those that wait.
    package enum Haste: Hashable, Sendable {
        /// The host has come to the foreground: what has failed through the server's fault.
        case serversFault
        /// The network has returned: what has failed.
        case everything
    }

    /// How far signing in again is.
    package enum SignIn: Hashable, Sendable {
        /// Nobody is asked.
        case idle
        /// The host is asked.
        case asked
        /// The host is asked at that time.
        case waiting(Duration)
    }

    /// A machine without entries and network.
    ///
    /// - Parameter seed: what chance is made of.
    package init(policy: OutboxPolicy, gate: SessionGate = .signedIn(nil), seed: UInt64) {
        precondition(policy.isSound, "a part of the policy is out of its range")
        self.policy = policy
        self.gate = gate
        chance = Chance(state: seed)
    }

    /// Handles an event and what was seen since the last step (``see(_:at:)``), and returns the changes and effects.
    ///
    /// - Parameter freshKey: a random UUID that was never given before; used when a batch is put together.
    package mutating func step(
        _ event: DeliveryEvent, at moment: Moment, freshKey: UUIDBytes
    ) -> DeliveryStep {
        switch event {
        case .look: break
        case .network, .foreground, .session, .signInFailed, .unauthorized: takeCondition(event, moment)
        case .timer: armed = nil
        case .answered(let key, let answer): take(answer, of: key, moment)
        case .throttled(let after): leaveServerAlone(after, moment)
        case .storageFailed: hold(moment)
        case .revive(let id): revive([id], moment)
        case .reviveAll: revive(entries.map(\.id), moment)
        case .discard(let id, let outcome): discard(id, outcome: outcome)
        case .decide(let id, let decision): decide(id, decision)
        case .remoteUnknown(let id, let reason): noteRemoteUnknown(id, reason)
        case .stop: stop()
        }
        schedule(moment, freshKey)
        defer { step = DeliveryStep() }
        return step
    }

    /// As ``step(_:at:freshKey:)``, while another process has signed the account out, whatever the event says of that.
    mutating func step(_ event: DeliveryEvent, signedOutAt moment: Moment, freshKey: UUIDBytes) -> DeliveryStep {
        take(.signedOut)
        if case .session = event { return step(.look, at: moment, freshKey: freshKey) }
        return step(event, at: moment, freshKey: freshKey)
    }

    /// The place of an entry, or nil.
    func index(_ id: UUIDBytes) -> Int? { entries.firstIndex { $0.id == id } }

    /// Changes the delivery of an entry, and has it stored.
    mutating func update(_ index: Int, _ change: (inout OutboxDelivery) -> Void) {
        let old = entries[index].delivery
        change(&entries[index].delivery)
        let (id, new) = (entries[index].id, entries[index].delivery)
        guard new != old else { return }
        // One entry is changed once in a transaction, so that what is expected is what was stored before it.
        if let place = step.changes.firstIndex(where: { $0.id == id }) {
            guard case .update(_, let first, _) = step.changes[place] else {
                preconditionFailure("an entry that left is changed")
            }
            step.changes[place] = .update(id, from: first, to: new)
        } else {
            step.changes.append(.update(id, from: old, to: new))
        }
    }

    /// Removes an entry; `change` replaces what this step was to change of it.
    mutating func leave(_ index: Int, _ change: DeliveryChange) {
        step.changes.removeAll { $0.id == change.id }
        step.changes.append(change)
        entries.remove(at: index)
    }

    mutating func report(_ event: OutboxEvent) { step.effects.append(.report(event)) }
}

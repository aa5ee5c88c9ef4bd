package import LarderFormat
internal import LarderStore
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
    var network: Bool?
    /// Who is signed in.
    package internal(set) var gate: SessionGate
    /// How far signing in again is.
    var signIn = SignIn.idle
    /// How often credentials were refused since something was last accepted under them.
    var refusals = 0
    /// Until when nothing is begun, because the store could not keep what happened.
    package internal(set) var heldUntil: Duration?
    var storageFailures = 0
    /// When the timer goes off.
    package internal(set) var armed: Duration?
    package internal(set) var isStopping = false
    var step = DeliveryStep()

    /// How far signing in again is.
    enum SignIn: Hashable {
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

    /// Takes what happened, and says what to do.
    ///
    /// - Parameter freshKey: a random UUID that was never given before; used when a batch is put together.
    package mutating func step(
        _ event: DeliveryEvent, at moment: Moment, freshKey: UUIDBytes
    ) -> DeliveryStep {
        switch event {
        case .loaded(let entries): load(entries, moment)
        case .enqueued(let entries): add(entries)
        case .replaced(let id, let entry): replace(id, entry)
        case .removed(let ids): entries.removeAll { ids.contains($0.id) }
        case .network(let isUsable): take(isUsable: isUsable, moment)
        case .foreground: hasten(moment)
        case .session(let gate): take(gate)
        case .signInFailed: noteSignInFailed(moment)
        case .timer: armed = nil
        case .answered(let key, let answer): take(answer, of: key, moment)
        case .storageFailed: hold(moment)
        case .revive(let id): revive([id], moment)
        case .reviveAll: revive(entries.map(\.id), moment)
        case .discard(let id, let outcome): discard(id, outcome: outcome)
        case .decide(let id, let decision): decide(id, decision)
        case .stop: stop()
        }
        schedule(moment, freshKey)
        defer { step = DeliveryStep() }
        return step
    }

    /// The place of an entry, or nil.
    func index(_ id: UUIDBytes) -> Int? { entries.firstIndex { $0.id == id } }

    /// The requests under way: entries by themselves, and batches by their keys.
    package var flights: Set<UUIDBytes> {
        Set(entries.lazy.filter { $0.delivery.state == .sending }.map { $0.delivery.batch ?? $0.id })
    }

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

    /// The delivery of an entry as it is stored before this step; forgets what this step was to change of it.
    mutating func takeStored(_ index: Int) -> OutboxDelivery {
        let id = entries[index].id
        guard let place = step.changes.firstIndex(where: { $0.id == id }) else { return entries[index].delivery }
        return step.changes.remove(at: place).expected
    }

    mutating func report(_ event: OutboxEvent) { step.effects.append(.report(event)) }
}

// MARK: - Entries

extension DeliveryMachine {
    /// Takes the table for the truth. A send that was under way when a process died may have arrived.
    private mutating func load(_ loaded: [LaneEntry], _ moment: Moment) {
        entries = loaded.filter { $0.delivery.state != .rejected }.sorted { $0.sequence < $1.sequence }
        for index in entries.indices {
            switch entries[index].delivery.state {
            case .sending:
                update(index) {
                    $0.state = .waiting
                    $0.isInDoubt = true
                    $0.dueAt = moment.now
                }
                entries[index].due = moment.elapsed
            case .waiting:
                let wait = Moment(elapsed: .zero, now: entries[index].delivery.dueAt ?? moment.now)
                    .passed(since: moment.now)
                // A clock that was set back must not keep an entry for longer than any wait takes.
                entries[index].due = moment.elapsed + min(wait, max(policy.retry.limit, policy.longestRetryAfter))
            case .conflicted: step.effects.append(.resolve(entries[index].id))
            case .pending, .failed, .unresolved, .rejected: break
            }
        }
    }

    private mutating func add(_ added: [LaneEntry]) {
        let known = Set(entries.map(\.id))
        entries += added.filter { !known.contains($0.id) }
        entries.sort { $0.sequence < $1.sequence }
    }

    /// What came after the one comes after the other.
    private mutating func replace(_ id: UUIDBytes, _ entry: LaneEntry) {
        entries.removeAll { $0.id == id }
        for index in entries.indices {
            entries[index].after = entries[index].after.map { $0 == id ? entry.id : $0 }
        }
        add([entry])
    }
}

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
    /// The requests under way since before the session was last told: what they are refused for may be over.
    package internal(set) var earlierFlights: Set<UUIDBytes> = []
    /// Entries that were refused or given up: what is enqueued after one of them, and is not known yet, goes with it.
    package internal(set) var refused: Set<UUIDBytes> = []
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
    /// Until when nothing is begun, because the store could not keep what happened.
    package internal(set) var heldUntil: Duration?
    package internal(set) var storageFailures = 0
    /// Whether the last step asked the host to sign in.
    var isJustAsked = false
    /// Whether an answer was taken in the last step, so that the next event tells whether it could be stored.
    package internal(set) var isAnswerUnconfirmed = false
    /// Whether entries that were being sent before the machine was loaded are still to be taken for unanswered.
    package internal(set) var isUnrecovered = false
    /// The requests that are not: their answers are still waited for. Empty once the others were recovered.
    var underWay: Set<UUIDBytes> = []
    /// Whether it is the one that sends; if not, what is being sent is another's and not given up.
    var isOwner = true
    /// When the timer goes off.
    package internal(set) var armed: Duration?
    package internal(set) var isStopping = false
    var hasStopped = false
    /// Whether the answer that is being taken is one of ``earlierFlights``.
    var isOfEarlierSession = false
    var step = DeliveryStep()

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

    /// Takes what happened, and says what to do.
    ///
    /// - Parameter freshKey: a random UUID that was never given before; used when a batch is put together.
    package mutating func step(
        _ event: DeliveryEvent, at moment: Moment, freshKey: UUIDBytes
    ) -> DeliveryStep {
        confirm(event)
        switch event {
        case .loaded(let entries, let serverWait, let underWay): load(entries, serverWait, underWay, moment)
        case .enqueued(let entries): add(entries, moment)
        case .replaced(let id, let entry): replace(id, entry, moment)
        case .amended(let id, let isBatchable):
            if let index = index(id) { entries[index].isBatchable = isBatchable }
        case .removed(let ids): remove(ids)
        case .network, .foreground, .session, .signInFailed, .unauthorized: takeCondition(event, moment)
        case .timer: armed = nil
        case .answered(let key, let answer): take(answer, of: key, moment)
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

    /// The store has room again once it has kept an answer; that a send could be recorded says little, as it is small.
    private mutating func confirm(_ event: DeliveryEvent) {
        let isStored =
            switch event {
            case .loaded, .storageFailed: false
            default: true
            }
        if isAnswerUnconfirmed, isStored { storageFailures = 0 }
        // An answer that could not be stored comes again, and is still one of them.
        if isStored, !earlierFlights.isEmpty { earlierFlights.formIntersection(flights) }
        isAnswerUnconfirmed = false
        if isStored { isJustAsked = false }
    }

    /// The place of an entry, or nil.
    func index(_ id: UUIDBytes) -> Int? { entries.firstIndex { $0.id == id } }

    /// The requests under way: entries by themselves, and batches by their keys.
    package var flights: Set<UUIDBytes> {
        let sending = Set(entries.lazy.filter { $0.delivery.state == .sending }.map { $0.delivery.batch ?? $0.id })
        return isUnrecovered ? sending.intersection(underWay) : sending
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
    /// Takes the table for the truth.
    private mutating func load(
        _ loaded: [LaneEntry], _ rest: Duration?, _ underWay: Set<UUIDBytes>, _ moment: Moment
    ) {
        restoreServerWait(rest, moment)
        let known = Dictionary(
            uniqueKeysWithValues: entries.compactMap { entry in entry.firstTried.map { (entry.id, $0) } })
        entries = loaded.filter { $0.delivery.state != .rejected }.sorted { $0.sequence < $1.sequence }
        isUnrecovered = true
        self.underWay = underWay
        // A host of short runs would form a batch at each start, and leave its members unresolved each time.
        isBatchUnread = isBatchUnread || entries.contains { Self.isLeftUnread($0.delivery) }
        earlierFlights.formIntersection(underWay)
        forgetUnperformed()
        // A write is durable before the machine hears of it; what it comes after may have been refused in between. What is there was
        // refused by nobody, even if a step that was not stored said so.
        refused.formUnion(loaded.lazy.filter { $0.delivery.state == .rejected }.map(\.id))
        refused.subtract(entries.lazy.map(\.id))
        for index in entries.indices {
            restoreAge(index, known, moment)
            switch entries[index].delivery.state {
            case .waiting: restoreWait(index, moment)
            case .failed: restoreRevival(index, moment)
            case .conflicted: step.effects.append(.resolve(entries[index].id))
            case .pending, .sending, .unresolved, .rejected: break
            }
        }
    }

    private mutating func restoreWait(_ index: Int, _ moment: Moment) {
        let delivery = entries[index].delivery
        let dueAt = delivery.dueAt ?? moment.now
        let rest = Moment(elapsed: .zero, now: dueAt).passed(since: moment.now)
        // A clock that was set back does not say how much has passed. Waiting anew from each start, a host of short runs would never send.
        let isUndated = delivery.lastTriedAt.map { $0 > moment.now } ?? false
        let wait = isUndated ? .zero : min(rest, max(policy.retry.limit, policy.longestRetryAfter))
        entries[index].due = moment.elapsed + wait
        // Only a server asks for that long.
        entries[index].notBefore = wait > policy.retry.limit ? entries[index].due : nil
    }

    /// A send that was under way when a process died, or when its answer could not be stored, may have arrived.
    mutating func recover(_ moment: Moment) {
        guard isUnrecovered else { return }
        let given = flights
        isUnrecovered = false
        underWay = []
        for index in entries.indices where isOwner && entries[index].delivery.state == .sending {
            if given.contains(entries[index].delivery.batch ?? entries[index].id) { continue }
            update(index) {
                $0.state = .waiting
                $0.isInDoubt = true
                $0.dueAt = moment.now
            }
            entries[index].due = moment.elapsed
        }
        parkUndated()
        takeRefused()
    }

    private mutating func add(_ added: [LaneEntry], _ moment: Moment) {
        let known = Set(entries.map(\.id))
        for var entry in added where !known.contains(entry.id) {
            entry.restoreAge(moment)
            entries.append(entry)
        }
        entries.sort { $0.sequence < $1.sequence }
        if !isUnrecovered { takeRefused() }
    }

    /// Takes what comes after an entry that was refused before this one was known.
    private mutating func takeRefused() {
        while let index = entries.firstIndex(where: { entry in
            entry.delivery.state != .sending && entry.after.contains(where: refused.contains)
        }),
            let cause = entries[index].after.first(where: refused.contains)
        {
            dissolveBatch(of: index)
            reject(index, .after(cause))
        }
    }

    private mutating func remove(_ ids: [UUIDBytes]) {
        for id in ids {
            guard let index = index(id) else { continue }
            if entries[index].delivery.state != .sending { dissolveBatch(of: index) }
            // What this step was to change of it is nobody's any more.
            step.changes.removeAll { $0.id == id }
            entries.remove(at: index)
        }
    }

    /// What came after the one comes after the other.
    private mutating func replace(_ id: UUIDBytes, _ entry: LaneEntry, _ moment: Moment) {
        remove([id])
        refused.remove(id)
        for index in entries.indices {
            entries[index].after = entries[index].after.map { $0 == id ? entry.id : $0 }
        }
        add([entry], moment)
    }
}

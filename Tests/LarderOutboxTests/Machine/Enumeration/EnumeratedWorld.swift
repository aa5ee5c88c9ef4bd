// EnumeratedWorld: a delivery machine, its store, its open requests and the server, in one state.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport

/// A machine, the store it writes to, the requests in flight and the server, at one point in time.
///
/// The store is a model of what `LarderStore` promises of the outbox: a transaction shows what has changed, and is stored whole or not.
struct EnumeratedWorld {
    /// What the store holds of an entry.
    enum Slot: Hashable {
        case absent
        case stored(OutboxDelivery)
        case accepted
        case removed
    }

    let configuration: Configuration
    var machine: DeliveryMachine
    var slots: [Slot]
    var after: [[Int]]
    /// Changed by others, and not seen by the machine; nil: it has seen nothing.
    var unseen: Set<Int>? = []
    /// What could not be stored, and is taken again when the timer goes off.
    var unstored: [DeliveryEvent] = []
    var openAttempts: [DeliveryTry] = []
    /// Requests that were given up and may still arrive, by entry.
    var late: [Int] = []
    var applied: Set<Int> = []
    /// When the server first performed it, in milliseconds.
    var appliedAt: [Int: Int64] = [:]
    var refused: Set<Int> = []
    var elapsed = Duration.zero
    /// By how much the clock that may jump is ahead, in milliseconds.
    var wallOffset: Int64 = 0
    /// Until when the server wants to be left alone, as it said, and as it is stored.
    var serverWaitEnd: Duration?
    var storedWait: Duration?
    var timer: Duration?
    var isUp = false
    var account: String?
    var isSignedIn = true
    var isSignInRequested = false

    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    init(_ configuration: Configuration) {
        self.configuration = configuration
        account = configuration.accounts.first ?? nil
        machine = DeliveryMachine(policy: configuration.policy, authentication: .signedIn(account), seed: 0)
        slots = configuration.entries.map { _ in .absent }
        after = configuration.entries.map(\.after)
    }

    /// What a clock shows that is always right.
    var serverNow: Int64 { 1_000_000 + elapsed.components.seconds * 1000 }
    var now: Int64 { serverNow + wallOffset }
    var reading: ClockReading { ClockReading(elapsed: elapsed, now: now) }

    func delivery(_ place: Int) -> OutboxDelivery? {
        if case .stored(let delivery) = slots[place] { delivery } else { nil }
    }

    func entry(_ place: Int) -> LaneEntry {
        let spec = configuration.entries[place]
        return LaneEntry(
            id: Configuration.id(place), lane: spec.lane, sequence: configuration.sequence(place),
            account: spec.account, entity: spec.entity, after: after[place].map(Configuration.id),
            mostAttempts: configuration.policy.mostAttempts, delivery: delivery(place) ?? OutboxDelivery())
    }

    /// A key for a batch that nothing bears.
    var freshKey: UUIDBytes {
        var used = Set(openAttempts.map(\.key))
        for place in slots.indices { if let batch = delivery(place)?.batch { used.insert(batch) } }
        var low: UInt64 = 1
        while used.contains(UUIDBytes(high: 1, low: low)) { low += 1 }
        return UUIDBytes(high: 1, low: low)
    }
}

// MARK: - Steps

extension EnumeratedWorld {
    /// Whether the store could not keep what happened, and is not asked yet to keep more.
    var isHeld: Bool { machine.storageRetryTime.map { $0 > elapsed } ?? false }

    /// What may come of an event: its changes are stored or not. Then an answer is taken again, and a fact is one all the same.
    ///
    /// A death between the commit and what follows it is a death right after, of a request that does not arrive.
    func react(_ event: DeliveryEvent, isCalm: Bool) throws -> [EnumeratedWorld] {
        var (world, failed) = (self, self)
        let isAnswer = if case .tryEnded = event { true } else { false }
        if isAnswer { failed.unstored.append(event) }
        if isHeld, isAnswer { return [failed] }
        if isHeld, event.isFact {
            try failed.stepWithoutStore([event])
            return [failed]
        }
        let unseenPlaces = slots.indices.filter { delivery($0) != nil && unseen?.contains($0) ?? true }
        world.machine.applyTableChanges(
            TableChanges(
                unseenPlaces.map(entry), changed: unseen.map { Set($0.map(Configuration.id)) },
                serverWait: unseen == nil ? storedWait.map { $0 - elapsed } : nil), at: reading)
        world.unseen = []
        let step = world.machine.step(event, at: reading, freshKey: freshKey)
        try world.commit(step.changes)
        switch step.serverWait {
        case .begin(let wait): world.storedWait = elapsed + wait
        case .end: world.storedWait = nil
        case nil: break
        }
        try world.perform(step.effects)
        if isCalm || step.changes.isEmpty || !configuration.eventOptions.contains(.storage) { return [world] }
        try failed.stepWithoutStore([.storageFailed] + (event.isFact ? [event] : []))
        return [world, failed]
    }

    /// The machine takes what is so whether anything can be stored or not.
    private mutating func stepWithoutStore(_ events: [DeliveryEvent]) throws {
        for event in events {
            let step = machine.step(event, at: reading, freshKey: freshKey)
            guard step.changes.isEmpty else { throw Violation(description: "changes while nothing can be stored") }
            try perform(step.effects)
        }
    }

    /// The timer goes off: what could not be stored comes first.
    func wake(isCalm: Bool) throws -> [EnumeratedWorld] {
        var world = self
        world.elapsed = max(elapsed, timer ?? elapsed)
        world.timer = nil
        world.unstored = []
        var worlds = [world]
        for event in unstored { worlds = try worlds.flatMap { try $0.react(event, isCalm: isCalm) } }
        return try worlds.flatMap { $0.isHeld ? [$0] : try $0.react(.timer, isCalm: isCalm) }
    }

    /// The process dies, and the next one begins.
    func crash() throws -> [EnumeratedWorld] {
        try abandoned().flatMap { (world) throws -> [EnumeratedWorld] in
            var world = world
            world.machine = DeliveryMachine(
                policy: configuration.policy, authentication: isSignedIn ? .signedIn(account) : .signedOut, seed: 0)
            world.timer = nil
            world.isSignInRequested = false
            (world.unseen, world.unstored) = (nil, [])
            let isUp = isUp
            return try world.react(.tableChanged, isCalm: false)
                .flatMap { (world) throws -> [EnumeratedWorld] in
                    try world.react(.network(isUsable: isUp), isCalm: false)
                }
        }
    }

    /// The requests in the air given up: each may have arrived, or not, or arrives later.
    private func abandoned() -> [EnumeratedWorld] {
        var base = self
        let places = openAttempts.flatMap { $0.entries.map(Configuration.place) }
        base.openAttempts = []
        if places.isEmpty { return [base] }
        if configuration.eventOptions.contains(.late) {
            base.late = Set(base.late + places).sorted()
            return [base]
        }
        return (0..<(1 << places.count)).map { mask in
            var world = base
            for (bit, place) in places.enumerated() where mask >> bit & 1 == 1 { _ = world.arrive(place) }
            return world
        }
    }

    /// A request reaches the server, which performs it unless it has refused it or remembers it.
    ///
    /// - Returns: false where it was refused.
    mutating func arrive(_ place: Int) -> Bool {
        if refused.contains(place) { return false }
        applied.insert(place)
        appliedAt[place] = appliedAt[place] ?? serverNow
        return true
    }
}

// MARK: - The store

extension EnumeratedWorld {
    /// Makes the changes of a step.
    private mutating func commit(_ changes: [DeliveryChange]) throws {
        guard Set(changes.map(\.id)).count == changes.count else {
            throw Violation(description: "an entry is changed twice in a transaction")
        }
        for change in changes {
            let place = Configuration.place(change.id)
            switch change {
            case .update(_, let old, let new):
                guard delivery(place) == old else { throw Violation(description: "another delivery was seen") }
                if new.state == .rejected { throw Violation(description: "refused without a reason") }
                slots[place] = .stored(new)
            case .accept:
                guard applied.contains(place) else {
                    throw Violation(description: "\(place) is taken for accepted, and the server does not have it")
                }
                slots[place] = .accepted
            case .reject(_, var old, let reason):
                try check(reason, of: place)
                old.state = .rejected
                old.dueAt = nil
                old.batch = nil
                slots[place] = .stored(old)
            case .remove: slots[place] = .removed
            }
        }
    }

    private func check(_ reason: RejectionReason, of place: Int) throws {
        let isTrue =
            switch reason {
            case .status: refused.contains(place)
            case .after(let id): isGivenUp(Configuration.place(id)) && after[place].contains(Configuration.place(id))
            case .conflict: !applied.contains(place)
            case .host: true
            }
        guard isTrue else { throw Violation(description: "\(place) is refused, but not because \(reason)") }
    }

    private func isGivenUp(_ place: Int) -> Bool {
        switch slots[place] {
        case .removed: true
        case .stored(let delivery): delivery.state == .rejected
        case .absent, .accepted: false
        }
    }

    private mutating func perform(_ effects: [DeliveryEffect]) throws {
        for effect in effects {
            switch effect {
            case .send(let attempt):
                try checkSend(attempt)
                openAttempts.append(attempt)
                openAttempts.sort { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
            case .arm(let time): timer = time
            case .signIn(let account):
                guard !isSignInRequested else { throw Violation(description: "asked twice to sign in") }
                guard account == self.account else { throw Violation(description: "asked to sign in as another") }
                isSignInRequested = true
            case .cancel, .resolve, .report: break
            }
        }
    }
}

extension DeliveryEvent {
    fileprivate var isFact: Bool {
        switch self {
        case .network, .foreground, .session, .signInFailed: true
        default: false
        }
    }
}

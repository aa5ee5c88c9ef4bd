// MachineFixture: a delivery machine with a table of stored entries and a clock that is advanced by hand.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

/// A machine, a table that keeps what it stores, and a clock that is set by hand.
struct MachineFixture {
    var machine: DeliveryMachine
    var stored: [UUIDBytes: LaneEntry] = [:]
    /// How entries left, by word.
    var outcomes: [UUIDBytes: String] = [:]
    var reasons: [UUIDBytes: RejectionReason] = [:]
    var elapsed = Duration.zero
    /// By how much the clock that may jump is wrong, in milliseconds.
    var wallOffset: Int64 = 0
    /// The server's wait as it is stored.
    var serverWait: ServerWait?
    /// What the last event led to.
    var effects: [DeliveryEffect] = []
    private var hasJustBegun = false
    private let policy: OutboxPolicy
    private var sequence: Int64 = 0
    private var keys: UInt64 = 0

    init(policy: OutboxPolicy = .plain, gate: AuthenticationState = .signedIn(nil), isOnline: Bool = true) {
        self.policy = policy
        machine = DeliveryMachine(policy: policy, authentication: gate, seed: 1)
        handle(.network(isUsable: isOnline))
    }

    var reading: ClockReading {
        ClockReading(elapsed: elapsed, now: 1_800_000_000_000 + elapsed.milliseconds + wallOffset)
    }

    /// The requests that the last event began.
    var attempts: [DeliveryTry] {
        effects.compactMap { if case .send(let attempt) = $0 { attempt } else { nil } }
    }

    /// The entries whose sending the last event began.
    var sent: [UUIDBytes] { attempts.flatMap(\.entries) }

    /// The wait until the timer goes off, in seconds.
    var armed: Double? { machine.armed.map { ($0 - elapsed) / .seconds(1) } }

    func state(_ id: UUIDBytes) -> OutboxDelivery.State? { stored[id]?.delivery.state }

    /// The machine sees the table and takes an event, and what it changes is stored.
    mutating func handle(_ event: DeliveryEvent) { handle([event]) }

    /// The machine sees the table and takes events together, and what it changes is stored.
    mutating func handle(_ events: [DeliveryEvent]) {
        let step = Self.step(&machine, events, self)
        keys += 1
        for change in step.changes { store(change) }
        switch step.serverWait {
        case .begin(let wait):
            guard wait.milliseconds > serverWait?.remaining(at: reading.now) ?? 0 else { break }
            serverWait = ServerWait(until: reading.now + wait.milliseconds, recordedAt: reading.now)
        case .end: serverWait = nil
        case nil: break
        }
        effects = step.effects
        #expect(machine.isLive(at: reading), "after \(events)")
    }

    /// The machine takes an event, and what it changes cannot be stored.
    mutating func handleUnstored(_ event: DeliveryEvent) {
        var discarded = machine
        let step = Self.step(&discarded, [event], self)
        #expect(!step.changes.isEmpty)
        let failed = machine.step(.storageFailed, at: reading, freshKey: UUIDBytes(high: 7, low: keys))
        #expect(failed.changes.isEmpty)
        effects = failed.effects
    }

    private static func step(_ machine: inout DeliveryMachine, _ events: [DeliveryEvent], _ fixture: MachineFixture)
        -> DeliveryStep
    {
        let rest = fixture.serverWait.map { Duration.milliseconds($0.remaining(at: fixture.reading.now)) }
        let changes = TableChanges(
            Array(fixture.stored.values), changed: nil, serverWait: fixture.hasJustBegun ? rest : nil)
        machine.applyTableChanges(changes, at: fixture.reading)
        return machine.step(events, at: fixture.reading, freshKey: UUIDBytes(high: 7, low: fixture.keys))
    }

    private mutating func store(_ change: DeliveryChange) {
        #expect(stored[change.id] != nil, "what is changed is not stored")
        switch change {
        case .update(let id, let old, let new):
            #expect(stored[id]?.delivery == old, "what is changed is not what was stored")
            stored[id]?.delivery = new
        case .accept(let id): remove(id, "accepted")
        case .reject(let id, _, let reason):
            stored[id]?.delivery.state = .rejected
            outcomes[id] = "rejected"
            reasons[id] = reason
        case .remove(let id, let outcome): remove(id, outcome)
        }
    }

    private mutating func remove(_ id: UUIDBytes, _ outcome: String) {
        stored[id] = nil
        outcomes[id] = outcome
    }

    /// Appends an entry, and has the machine look.
    @discardableResult
    mutating func enqueue(
        _ lane: String = "a", entity: String? = nil, after: [UUIDBytes] = [], account: String? = nil,
        attempts: Int? = nil, method: String = "POST"
    ) -> UUIDBytes {
        sequence += 1
        let entry = LaneEntry(
            id: UUIDBytes(high: 1, low: UInt64(sequence)), lane: lane, sequence: sequence, account: account,
            entity: entity, after: after, mostAttempts: attempts ?? policy.mostAttempts, method: method)
        stored[entry.id] = entry
        handle(.tableChanged)
        return entry.id
    }

    mutating func answer(_ id: UUIDBytes, _ status: Int, retryAfter: Duration? = nil) {
        handle(.tryEnded(id, .whole(.head(ResponseSummary(status, retryAfter: retryAfter)))))
    }

    mutating func answer(_ id: UUIDBytes, _ answer: SendResult) { handle(.tryEnded(id, .whole(answer))) }

    /// Has an entry use up its attempts.
    mutating func fail(_ id: UUIDBytes) {
        while state(id) != .failed {
            answer(id, 500)
            if state(id) == .waiting { wait() }
        }
    }

    mutating func advanceClock(_ time: Duration) {
        elapsed += time
        handle(.timer)
    }

    /// Lets the time pass that the timer is armed for.
    mutating func wait() {
        elapsed = machine.armed ?? elapsed
        handle(.timer)
    }

    /// Ends the process and begins another, which finds what is stored.
    mutating func restart(isOnline: Bool = true) {
        machine = DeliveryMachine(policy: policy, authentication: machine.authentication, seed: 2)
        hasJustBegun = true
        handle(.tableChanged)
        hasJustBegun = false
        let sent = effects
        handle(.network(isUsable: isOnline))
        effects = sent + effects
    }
}

extension OutboxPolicy {
    /// The standard policy without random jitter.
    static let plain: OutboxPolicy = {
        var policy = OutboxPolicy()
        policy.retry.jitter = 0
        policy.revival.jitter = 0
        return policy
    }()
}

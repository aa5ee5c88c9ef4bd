internal import LarderEngine
internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting
internal import LarderTransport

// Who writes, and what the machine makes of it: a second shell beside the asynchronous one. The commits are the shipped
// ones.
extension Simulator {
    /// Somebody writes to a row that is in step, and returns when that is durable.
    func write(_ seed: UInt64) throws {
        guard let store, !isStopping else { return }
        var generator = SeededGenerator(seed: seed)
        guard let write = draw(&generator) else { return }
        let draft = write.draft(
            account: Writers.account, attempts: scenario.delivery.mostAttempts, at: wall)
        let prepared = PreparedWrite(draft: draft, effects: [write.effect], bounds: scenario.delivery.bounds)
        do {
            _ = try store.writeBlocking(durability: .relaxed) { transaction in try transaction.enqueue(prepared) }
        } catch OutboxError.afterRejected {
            return note("  refused: it comes after a dead letter")
        } catch {
            throw Violation(.store, "\(error)")
        }
        writers.writes[write.id] = write
        writers.order.append(write.id)
        note("  \(write.note): \(write.method) \(write.resource) \(write.row) in \(write.lane), \(write.fate)")
        try look()
        // The shell hears of it as everybody does who observes the store.
        writers.lastNews = max(writers.lastNews, now + Int64(writers.chances.below(4)))
        agenda.add(
            at: writers.lastNews, .news, "hears of \(write.note)"
        ) { [unowned self] in try tellWriters(.look) }
    }

    private func draw(_ generator: inout SeededGenerator) -> SimulatedWrite? {
        let visible = checker.state.rows.keys.filter { checker.state.isMember($0) }.sorted()
        guard let resource = generator.pick(visible) else { return nil }
        let id = ModelServer.ResourceID(resource)
        let rows = checker.state.rows[resource]?.keys.sorted() ?? []
        let isKnown = generator.below(5) > 0
        let row = (isKnown ? generator.pick(rows) : nil) ?? server.anyRow(of: id, using: &generator)
        let number = writers.nextWrite
        writers.nextWrite += 1
        let note = "w\(number)"
        let change: ModelServer.WriteChange =
            switch generator.below(10) {
            case ..<5: .put(ModelServer.payload(of: row, in: id.group, note: note))
            case ..<8: .note(note)
            default: .delete
            }
        let about = "\(id) \(row)"
        let lanes: [(String, String?)] = [(about, about), (about, about), ("global", about), ("global", nil)]
        let (lane, entity) = lanes[generator.below(4)]
        let open = writers.order.filter { writers.ends[$0] != .accepted }
        let after = generator.below(6) == 0 ? generator.pick(open) : nil
        return SimulatedWrite(
            id: UUIDBytes(high: 2, low: UInt64(number)), number: number, change: change, resource: id, row: row,
            lane: lane, entity: entity, after: after.map { [$0] } ?? [],
            fate: [.performed, .performed, .performed, .performed, .performed, .performed, .refused, .conflict][
                generator.below(8)], stubbornness: generator.below(3) == 0 ? generator.below(9) : 0,
            isSequenceReported: generator.below(2) == 0 || isServerLate)
    }

    /// Whether old answers may come after newer ones. Then nobody could tell that a run which began after the acceptance
    /// does not bring the write, unless the server has reported its sequence.
    private var isServerLate: Bool {
        let faults = scenario.faults
        return faults.lagging > 0 || faults[.repeated] > 0 || faults[.mixedUp] > 0
    }

    /// Begins with the outbox as it lies in the store.
    func launchWriters() throws {
        guard scenario.hasWriters else { return }
        writers.machine = DeliveryMachine(
            policy: scenario.delivery, gate: .signedIn(Writers.account), seed: scenario.seed &+ processes)
        try tellWriters(.look)
        // What the host was asked before the process died it is not asked again: it looks.
        for entry in writers.machine?.entries ?? [] where entry.delivery.state == .unresolved { decide(entry.id) }
        try tellWriters(.network(isUsable: link.level != .offline))
    }

    /// Gives the machine an event, stores what it changes, and does what it asks for.
    func tellWriters(_ event: DeliveryEvent, _ accepted: [UUIDBytes: AcceptedAnswer] = [:]) throws {
        guard let machine = writers.machine, store != nil else { return }
        let isHeld = machine.heldUntil.map { $0 > moment.elapsed } ?? false
        if event == .timer {
            let unstored = writers.unstored
            writers.unstored = []
            for (event, accepted) in unstored { try tellWriters(event, accepted) }
            guard let machine = writers.machine, machine.heldUntil.map({ $0 <= moment.elapsed }) ?? true else { return }
        }
        let isAnswer = if case .answered = event { true } else { false }
        if isHeld, isAnswer { return writers.unstored.append((event, accepted)) }
        if isHeld, event.isFact { return try stepAside([event]) }
        guard let (stored, step) = try storeStep(event, accepted) else {
            if isAnswer { writers.unstored.append((event, accepted)) }
            return try stepAside([.storageFailed] + (event.isFact ? [event] : []))
        }
        writers.machine = stored
        noteAsked(event)
        for change in step.changes { try take(change) }
        // What was to be committed before it, of whatever else writes, is now.
        try look()
        if !isQuiet, !step.changes.isEmpty, writers.chances.below(200) == 0 {
            note("  dies before it does what it has stored")
            return try die(relaunchAfter: Int64(writers.chances.below(3_000)))
        }
        for effect in step.effects { try perform(effect) }
    }

    /// The machine takes what is so whether anything can be stored or not.
    private func stepAside(_ events: [DeliveryEvent]) throws {
        for event in events {
            let key = writers.freshKey()
            for effect in writers.machine?.step(event, at: moment, freshKey: key).effects ?? [] { try perform(effect) }
        }
    }

    /// Has the machine see the table and take an event, in the transaction that stores what it changes; nil when the disk is full.
    private func storeStep(
        _ event: DeliveryEvent, _ accepted: [UUIDBytes: AcceptedAnswer]
    ) throws -> (DeliveryMachine, DeliveryStep)? {
        struct Full: Error {}
        guard let store, let before = writers.machine else { return nil }
        let (time, moment, key, version) = (wall, moment, writers.freshKey(), writers.version)
        let isFull = !isQuiet && writers.chances.below(150) == 0
        do {
            return try store.writeBlocking(durability: .relaxed) { transaction in
                let found = try transaction.outboxNews(since: version)
                let wait = try version == nil ? transaction.serverWait(of: Writers.server, at: time) : nil
                var machine = before
                machine.see(
                    TableNews(
                        found.entries.map { LaneEntry($0) }, changed: found.changed,
                        serverWait: wait.map { .milliseconds($0.remaining(at: time)) }), at: moment)
                let step = machine.step(event, at: moment, freshKey: key)
                if isFull, !step.changes.isEmpty { throw Full() }
                try transaction.apply(step.serverWait, of: Writers.server, at: time)
                try transaction.apply(step.changes, answers: accepted, at: time)
                writers.version = transaction.outboxVersion
                return (machine, step)
            }
        } catch is Full {
            note("  the disk is full")
            return nil
        } catch {
            throw Violation(.outbox, "\(error)")
        }
    }

    /// Remembers what the client hears the server ask for.
    private func noteAsked(_ event: DeliveryEvent) {
        guard case .answered(_, let answer) = event else { return }
        var heads: [AnswerHead] = []
        switch answer {
        case .whole(.head(let head)): heads = [head]
        case .members(let members): heads = Array(members.values)
        case .whole: break
        }
        for head in heads where head.isThrottling {
            guard let asked = head.retryAfter else { continue }
            writers.askedUntil = max(writers.askedUntil ?? 0, now + asked.milliseconds)
        }
    }

    private func take(_ change: DeliveryChange) throws {
        guard let write = writers.writes[change.id] else { throw Violation(.outbox, "a write that nobody made") }
        switch change {
        case .update(_, _, let new): note("  \(write.note) is \(new.state)")
        case .accept:
            note("  \(write.note) is accepted")
            guard desk.hasDone(write.id) else { throw Violation(.onceOnly, "\(write.note) is accepted, not performed") }
            try end(write, .accepted)
            if let sequence = desk.sequences[write.id] {
                writers.seen[write.key] = max(sequence, writers.seen[write.key] ?? 0)
            }
        case .reject(_, _, let reason):
            note("  \(write.note) is rejected: \(reason)")
            try end(write, .rejected)
        case .remove: throw Violation(.outbox, "\(write.note) is given up by nobody")
        }
    }

    private func end(_ write: SimulatedWrite, _ end: Writers.End) throws {
        if writers.ends[write.id] != nil { throw Violation(.outbox, "\(write.note) ends twice") }
        writers.ends[write.id] = end
    }
}

extension DeliveryEvent {
    /// Whether it is so whatever can be stored.
    fileprivate var isFact: Bool {
        switch self {
        case .network, .foreground, .session, .signInFailed: true
        default: false
        }
    }
}

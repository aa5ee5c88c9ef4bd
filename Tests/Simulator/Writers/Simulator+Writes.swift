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
        ) { [unowned self] in try hear(write.id) }
    }

    private func hear(_ id: UUIDBytes) throws {
        guard let store else { return }
        let entry = try working { try store.read { view in try view.outboxEntry(id) } }
        if let entry { try tellWriters(.enqueued([LaneEntry(entry)])) }
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
        try reloadWriters()
        // What the host was asked before the process died it is not asked again: it looks.
        for entry in writers.machine?.entries ?? [] where entry.delivery.state == .unresolved { decide(entry.id) }
        try tellWriters(.network(isUsable: link.level != .offline))
    }

    /// Makes the machine anew from the table; what is under way is given up.
    private func reloadWriters() throws {
        guard let store else { return }
        writers.epoch += 1
        writers.needsReload = false
        agenda.remove { if case .write = $0 { true } else { false } }
        let time = wall
        let (entries, rest) = try working {
            try store.read { view in
                (
                    try view.outboxEntries().map { LaneEntry($0) },
                    try view.serverWait(of: Writers.server, at: time)?.remaining(at: time)
                )
            }
        }
        guard let step = stepWriters(.loaded(entries, serverWait: rest.map { .milliseconds($0) })) else { return }
        guard try commit(step, [:], isReload: true) else {
            writers.needsReload = true
            for effect in stepWriters(.storageFailed)?.effects ?? [] { try perform(effect) }
            return
        }
        for effect in step.effects { try perform(effect) }
    }

    private func stepWriters(_ event: DeliveryEvent) -> DeliveryStep? {
        let key = writers.freshKey()
        return writers.machine?.step(event, at: moment, freshKey: key)
    }

    /// Gives the machine an event, stores what it changes, and does what it asks for.
    func tellWriters(_ event: DeliveryEvent, _ accepted: [UUIDBytes: AcceptedAnswer] = [:]) throws {
        guard writers.machine != nil, store != nil else { return }
        if writers.needsReload { try reloadWriters() }
        guard let step = stepWriters(event) else { return }
        noteAsked(event)
        guard try commit(step, accepted, isReload: false) else {
            for effect in stepWriters(.storageFailed)?.effects ?? [] { try perform(effect) }
            return try reloadWriters()
        }
        if !isQuiet, !step.changes.isEmpty, writers.chances.below(200) == 0 {
            note("  dies before it does what it has stored")
            return try die(relaunchAfter: Int64(writers.chances.below(3_000)))
        }
        for effect in step.effects { try perform(effect) }
    }

    /// Stores the changes of a step; false when the disk is full.
    private func commit(
        _ step: DeliveryStep, _ accepted: [UUIDBytes: AcceptedAnswer], isReload: Bool
    ) throws -> Bool {
        let (changes, wait) = (step.changes, step.serverWait)
        guard let store, !changes.isEmpty || wait != nil else { return true }
        if !isQuiet, writers.chances.below(150) == 0 {
            note("  the disk is full")
            return false
        }
        let time = wall
        do {
            _ = try store.writeBlocking(durability: .relaxed) { transaction in
                try transaction.apply(wait, of: Writers.server, at: time)
                return try transaction.apply(changes, answers: accepted, at: time)
            }
        } catch {
            throw Violation(.outbox, "\(error)")
        }
        for change in changes { try take(change) }
        try look()
        return true
    }

    /// Remembers what the client hears the server ask for.
    private func noteAsked(_ event: DeliveryEvent) {
        guard case .answered(let key, let answer) = event, writers.machine?.flights.contains(key) == false else {
            return
        }
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

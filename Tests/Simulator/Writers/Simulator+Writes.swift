// Simulator+Writes: enqueues, edits and merges writes.

internal import LarderEngine
internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting
internal import LarderTransport

// Who writes.
extension Simulator {
    /// Somebody writes to a row that is in step, and returns when that is durable.
    func write(_ seed: UInt64) throws {
        guard store != nil, !isStopping else { return }
        var generator = SeededGenerator(seed: seed)
        if let write = draw(&generator) { try enqueue(write, merging: nil) }
    }

    /// Somebody writes to a row once more that has a write pending; the two may become one.
    func rewrite(_ seed: UInt64) throws {
        guard store != nil, !isStopping else { return }
        var generator = SeededGenerator(seed: seed)
        guard let older = drawPending(&generator) else { return }
        let number = writers.nextWrite
        writers.nextWrite += 1
        var write = SimulatedWrite(
            id: UUIDBytes(high: 2, low: UInt64(number)), number: number, change: older.change, note: older.note,
            resource: older.resource, row: older.row, lane: older.lane, entity: older.entity, after: older.after,
            fate: older.fate, refusalCount: older.refusalCount, isSequenceReported: older.isSequenceReported)
        write.amend(note: "w\(number)")
        let coalescing: Coalescing = older.method == "PUT" ? .replaces : .mergesPatch
        try enqueue(write, merging: generator.below(4) > 0 ? coalescing : nil)
    }

    /// Somebody edits a write, and waits until that is stored or refused.
    func edit(_ seed: UInt64) {
        guard let process, let outbox = process.outbox, !isStopping else { return }
        var generator = SeededGenerator(seed: seed)
        guard let write = drawPending(&generator), writers.edits[write.id] == nil else { return }
        var edited = write
        edited.amend(note: "\(write.note)e")
        writers.edits[write.id] = edited
        log("  \(write.note) is to be \(edited.note)")
        process.call { [unowned self, unowned process, edited] in
            let isDone: Bool
            do {
                try await outbox.edit(edited.id, body: .bytes(edited.body), effects: [edited.effect])
                isDone = true
            } catch {
                isDone = false
            }
            if process.life.isOver { return }
            // The look at the commit has made it what it is.
            let isPending = writers.edits[edited.id]?.note == edited.note
            if isPending { writers.edits[edited.id] = nil }
            if isPending != isDone { return }
            recordingViolation { throw Violation(.outbox, "the edit \(edited.note) is \(isDone ? "not " : "")stored") }
        }
    }

    /// A write that may still be changed, as far as anybody can see.
    private func drawPending(_ generator: inout SeededGenerator) -> SimulatedWrite? {
        let pending = writers.order.filter { writers.ends[$0] == nil && writers.writes[$0]?.change != .delete }
        return generator.pick(pending).flatMap { writers.writes[$0] }
    }

    private func enqueue(_ write: SimulatedWrite, merging coalescing: Coalescing?) throws {
        guard let store, let account = try signedInAccount() else { return }
        let draft = write.draft(
            account: account, attempts: scenario.delivery.mostAttempts, at: wall)
        var prepared = PreparedWrite(draft: draft, effects: [write.effect], bounds: scenario.delivery.bounds)
        prepared.coalescing = coalescing
        let enqueued: Enqueued
        // Each commit is looked at by itself.
        while try commitNext() {}
        let isFull = failCommits(of: store)
        do {
            defer { store.failCommits(with: nil) }
            enqueued = try store.writeBlocking(durability: .relaxed) { [prepared] transaction in
                try transaction.enqueue(prepared)
            }
        } catch OutboxError.afterRejected {
            return log("  refused: it comes after a dead letter")
        } catch OutboxError.notSignedIn where scenario.hasSession {
            return log("  refused: nobody is signed in")
        } catch is EngineError where isFull {
            return try checkStore()
        } catch {
            throw Violation(.store, "\(error)")
        }
        if case .coalesced(let id) = enqueued {
            guard let older = writers.writes[id], writers.ends[id] == nil, older.method == write.method,
                older.key == write.key
            else { throw Violation(.outbox, "\(write.note) is merged into \(id)") }
            log("  \(write.note) is merged into \(older.note)")
            writers.writes[id]?.amend(with: write)
        } else {
            writers.writes[write.id] = write
            writers.order.append(write.id)
            log("  \(write.note): \(write.method) \(write.resource) \(write.row) in \(write.lane), \(write.fate)")
        }
        try checkStore()
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
            case ..<8: .setNote(note)
            default: .delete
            }
        let about = "\(id) \(row)"
        let lanes: [(String, String?)] = [(about, about), (about, about), ("global", about), ("global", nil)]
        let (lane, entity) = lanes[generator.below(4)]
        let open = writers.order.filter { writers.ends[$0] == nil || writers.ends[$0] == .rejected }
        let after = generator.below(6) == 0 ? generator.pick(open) : nil
        return SimulatedWrite(
            id: UUIDBytes(high: 2, low: UInt64(number)), number: number, change: change, note: note, resource: id,
            row: row, lane: lane, entity: entity, after: after.map { [$0] } ?? [],
            fate: [.performed, .performed, .performed, .performed, .performed, .performed, .refused, .conflict][
                generator.below(8)], refusalCount: generator.below(3) == 0 ? generator.below(9) : 0,
            isSequenceReported: generator.below(2) == 0 || isServerLate)
    }

    /// Whether old answers may come after newer ones. Then no client could know that a run which began after the
    /// acceptance does not bring the write, unless the server has reported its sequence.
    private var isServerLate: Bool {
        let faults = scenario.faults
        return faults.lagging > 0 || faults[.repeated] > 0 || faults[.mixedUp] > 0
    }

    /// What the host was asked before the process died it is not asked again: it looks.
    func resolveOpenConflicts() throws {
        guard let store, scenario.hasWriters else { return }
        let entries = try working { try store.read { view in try view.outboxEntries() } }
        for entry in entries where entry.delivery.state == .unresolved { decide(entry.id) }
    }
}

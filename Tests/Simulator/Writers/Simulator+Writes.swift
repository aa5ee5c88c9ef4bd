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
        guard let store, !isStopping else { return }
        var generator = SeededGenerator(seed: seed)
        guard let write = draw(&generator) else { return }
        let draft = write.draft(
            account: Writers.account, attempts: scenario.delivery.mostAttempts, at: wall)
        let prepared = PreparedWrite(draft: draft, effects: [write.effect], bounds: scenario.delivery.bounds)
        // Each commit is looked at by itself.
        while try commitNext() {}
        let isFull = failCommits(of: store)
        do {
            defer { store.failCommits(with: nil) }
            _ = try store.writeBlocking(durability: .relaxed) { transaction in try transaction.enqueue(prepared) }
        } catch OutboxError.afterRejected {
            return note("  refused: it comes after a dead letter")
        } catch is EngineError where isFull {
            return try look()
        } catch {
            throw Violation(.store, "\(error)")
        }
        writers.writes[write.id] = write
        writers.order.append(write.id)
        note("  \(write.note): \(write.method) \(write.resource) \(write.row) in \(write.lane), \(write.fate)")
        try look()
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

    /// What the host was asked before the process died it is not asked again: it looks.
    func decideWhatIsUnresolved() throws {
        guard let store, scenario.hasWriters else { return }
        let entries = try working { try store.read { view in try view.outboxEntries() } }
        for entry in entries where entry.delivery.state == .unresolved { decide(entry.id) }
    }
}

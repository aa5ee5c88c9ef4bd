// Proves that a running outbox finds entries that others add at positions it has already read.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A running outbox` {
    private func enqueueRefused(_ world: OutboxWorld, _ outbox: Outbox) async throws -> OutboxEntry {
        world.answer { _ in TransportResponse(status: .unprocessableContent) }
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        try await world.wait(outbox) { $0.rejected == 1 }
        world.answer { _ in TransportResponse(status: .ok) }
        return try #require(try world.store.read { view in try view.outboxEntry(queued.id) })
    }

    @Test(arguments: [false, true])
    func `finds the successor of a rejected write, and sends it`(byDrain: Bool) async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let old = try await enqueueRefused(world, outbox)
            var draft = old.draft
            draft.id = UUIDBytes(high: 9, low: 9)
            let (id, new) = (old.id, draft)
            _ = try await world.store.write { transaction in
                try transaction.replaceEntry(id, with: new, outcome: "superseded", at: 2)
            }
            if byDrain { _ = await outbox.drain(within: .seconds(9)) } else { outbox.foreground() }
            #expect(try await outbox.outcome(of: new.id) == .accepted)
            try await world.wait(outbox) { $0.rejected == 0 }
        }
        #expect(world.requests.map(\.key) == [world.requests[0].key, "\(UUIDBytes(high: 9, low: 9))"])
    }

    @Test func `counts the dead letters anew`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let id = try await enqueueRefused(world, outbox).id
            try await world.store.write { try $0.removeEntry(id, outcome: "dropped", at: 2) }
            outbox.foreground()
            try await world.wait(outbox) { $0.rejected == 0 }
        }
    }
}

// Proves that an outbox that starts while the store has no space reports it, and starts when there is space.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An outbox that starts while the store is full` {
    @Test func `says so, and sends once there is space`() async throws {
        let world = try OutboxWorld(options: StoreOptions(sizeCap: 60_000))
        // Of a host that names no server with it, so that the outbox still has to store which one it is for.
        var draft = OutboxDraft(
            id: UUIDBytes(high: 9, low: 9), lane: "filler", createdAt: 0, mutationType: "filler", method: "POST",
            endpoint: "/filler", payload: [UInt8](repeating: 0x78, count: 60_000))
        while true {
            do {
                let filler = draft
                try await world.store.write { _ = try $0.enqueue(filler) }
                break
            } catch StoreError.full(let shortage) {
                draft.payload.removeLast(Int(shortage.missing))
            }
        }
        let (id, outbox) = (draft.id, try world.outbox())
        try await world.running(outbox) {
            try await world.waitUntil { world.events.withLock { $0.contains(.storageFailed) } }
            #expect(outbox.status.pauses == [.storage] && world.requests.isEmpty)
            try await world.store.write { _ = try $0.removeEntry(id, outcome: "dropped", at: 0) }
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(60))
            try await world.wait(outbox) { $0.isRunning }
            let sent = try await outbox.enqueue(makeNoteWrite(1))
            #expect(try await outbox.outcome(of: sent.id) == .accepted)
        }
    }
}

// Proves that a conflict is resolved in the end when what its policy decides cannot be stored at first.
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A conflict whose decision could not be stored` {
    @Test func `is resolved again after a wait`() async throws {
        let server = VisitServer()
        let world = try OutboxWorld { request in server.answer(request) }
        let lookups = CallCounter()
        let damageBody = { @Sendable [weak world] in
            try world?.damage(.outbox) { keys in keys.firstIndex { (0x14...0x1C).contains($0[0]) } ?? 0 }
        }
        let policy = ConflictPolicy("server-wins") { _ in
            if lookups.add() == 1 { try damageBody() }
            return .keepRemote
        }
        let outbox = try world.outbox(configuration: { $0.conflicts = ConflictResolver(policy) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            try await world.waitUntil { world.events.withLock { $0.contains(.storageFailed) } }
            #expect(lookups.count == 1)
            try damageBody()
            let ticker = Task {
                while !Task.isCancelled {
                    world.clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            defer { ticker.cancel() }
            #expect(try await outbox.outcome(of: queued.id) == .removed("resolved"))
            #expect(lookups.count == 2)
        }
    }

    // The entry stayed in conflict until the next start, and held what came after it.
    @Test func `is sent again after a wait, where the store was full`() async throws {
        let server = VisitServer()
        let world = try OutboxWorld(options: StoreOptions(sizeCap: 100_000)) { request in server.answer(request) }
        let lookups = CallCounter()
        let store = world.store
        let filler = Filler()
        let policy = ConflictPolicy("mine") { _ in
            if lookups.add() == 1 {
                let id = try await store.fill()
                filler.id.withLock { $0 = id }
            } else if let id = filler.id.withLock({ $0.take() }) {
                try await store.write { _ = try $0.removeEntry(id, outcome: "dropped", at: 0) }
            }
            return .keepLocal
        }
        let outbox = try world.outbox(configuration: { $0.conflicts = ConflictResolver(policy) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#))
            let ticker = Task {
                while !Task.isCancelled {
                    world.clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            defer { ticker.cancel() }
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(lookups.count >= 2)
        }
    }
}

/// What fills the store.
private final class Filler: Sendable {
    let id = Mutex<UUIDBytes?>(nil)
}

/// How often something was done.
private final class CallCounter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

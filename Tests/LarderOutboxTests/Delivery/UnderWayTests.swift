// Proves that changes by others do not disturb requests under way: each write is sent once.
import HTTPTypes
import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@testable import LarderOutbox

@Suite(.timeLimit(.minutes(5))) struct `A request under way` {
    private func sendCounts(_ world: OutboxWorld) -> [String?: Int] {
        Dictionary(grouping: world.requests, by: \.key).mapValues(\.count)
    }

    @Test func `is not sent again when a full outbox retires pending writes`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        let outbox = try world.outbox { $0.bounds = OutboxBounds(entries: 6, whenFull: .retireOldest) }
        try await world.running(outbox) {
            for number in 1...6 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
            try await world.waitUntil { server.count == 4 }
            for number in 7...12 {
                try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)"))
                // The running outbox has heard of it.
                try await world.wait(outbox) { $0.failed == number - 6 }
            }
            #expect(world.requests.count == 4)
            server.open()
            try await world.wait(outbox) { $0.unsent == $0.failed }
        }
        #expect(sendCounts(world).values.allSatisfy { $0 == 1 })
    }

    @Test func `is not sent again when the delivery of another cannot be read`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        let outbox = try world.outbox { $0.concurrentSends = 1 }
        try await world.running(outbox) {
            try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            let id = try await outbox.enqueue(makeNoteWrite(2, entity: "b")).id
            try await world.waitUntil { server.count == 1 }
            let key = [id.high, id.low].flatMap { half in
                (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
            }
            try world.damage(.outbox) { keys in keys.firstIndex { $0.dropFirst().elementsEqual(key) } ?? 0 }
            try await outbox.enqueue(makeNoteWrite(3, entity: "b"))
            try await world.wait(outbox) { $0.pending == 1 }
            server.open()
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(sendCounts(world).values.allSatisfy { $0 == 1 })
    }

    @Test func `is not given up when what happens cannot be stored, and its answer counts once it can`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
            try await world.waitUntil { server.count == 3 }
            try world.damageCounters()
            server.open()
            // Every answer has met the damage.
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.count == 3 } }
            world.network.set(.offline)
            try world.damageCounters()
            #expect(try world.entries().allSatisfy { $0.delivery.state == .sending })
            let ticker = Task {
                while !Task.isCancelled {
                    world.clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            defer { ticker.cancel() }
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(world.requests.count == 3)
        #expect(
            try world.store.read { view in try view.outboxOutcomes() }.map(\.outcome) == [
                "accepted", "accepted", "accepted",
            ])
    }

    @Test func `is ended in one commit with others whose answers wait for the store`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            for number in 1...4 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
            try await world.waitUntil { server.count == 4 }
            let hold = await WriterHold(world.store)
            let commits = world.store.writerStatistics.commits
            server.open()
            // All answers are in; the loop has at most those of the first step.
            try await world.waitUntil {
                outbox.state.withLock { $0.loop.map { $0.ended.joined().count == $0.tryTasks.count } ?? false }
            }
            try await hold.release()
            try await world.wait(outbox) { $0.unsent == 0 }
            #expect(world.store.writerStatistics.commits <= commits + 2)
        }
        #expect(sendCounts(world).values.allSatisfy { $0 == 1 })
    }

    /// An answer that is handled before an earlier sign-in would end that one.
    @Test func `is handled after what happened before it`() async throws {
        let servers = [SlowServer(), SlowServer(), SlowServer()]
        let refusal = Mutex<HTTPResponse.Status?>(.unauthorized)
        let world = try OutboxWorld { request in
            let number = String(decoding: request.body, as: UTF8.self).compactMap(\.wholeNumberValue).first ?? 0
            let answer = await servers[number - 1].answer()
            let refusal = number == 3 ? refusal.withLock { $0.take() } : nil
            return refusal.map { TransportResponse(status: $0) } ?? answer
        }
        let outbox = try world.outbox(account: "ada")
        func waiting() -> Int? { outbox.state.withLock { $0.loop?.ended.joined().count } }
        try await world.running(outbox) {
            for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
            try await world.waitUntil { servers.allSatisfy { $0.count == 1 } }
            let hold = await WriterHold(world.store)
            servers[0].open()
            try await world.waitUntil { outbox.state.withLock { $0.loop?.tryTasks.count == 2 } }
            servers[1].open()
            try await world.waitUntil { waiting() == 1 }
            outbox.signedIn(as: "ada")
            servers[2].open()
            try await world.waitUntil { waiting() == 2 }
            try await hold.release()
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(!world.events.withLock { $0 }.contains(.signInExpired(account: "ada")))
    }

    /// A system may let a timer go off late, and something else happens before.
    @Test func `is over when the store can be written to again, whatever happens before the timer goes off`()
        async throws
    {
        let server = SlowServer()
        let world = try OutboxWorld(script: { _ in await server.answer() }) { host in
            let sleepUntil = host.sleepUntil
            host.sleepUntil = { try await sleepUntil($0 + .seconds(3600)) }
        }
        let outbox = try world.outbox { $0.concurrentSends = 1 }
        try await world.running(outbox) {
            try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            try await world.waitUntil { server.count == 1 }
            try world.damageCounters()
            server.open()
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.count == 1 } }
            try world.damageCounters()
            world.clock.advance(by: .seconds(2))
            try await outbox.enqueue(makeNoteWrite(2, entity: "b"))
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(world.requests.count == 2)
    }

    @Test func `is begun as soon as the store can be written to again after a command that could not be stored`()
        async throws
    {
        let world = try OutboxWorld { _ in TransportResponse(status: .serviceUnavailable) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            try await world.wait(outbox) { $0.waiting == 1 }
            try world.damageCounters()
            await #expect(throws: StoreError.self) { try await outbox.retryAll() }
            try world.damageCounters()
            world.answer { _ in TransportResponse(status: .ok) }
            // No time has passed.
            try await outbox.retryAll()
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(world.requests.count == 2)
    }

    @Test func `goes on when a write is met whose delivery was damaged without a commit`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        let outbox = try world.outbox { $0.concurrentSends = 1 }
        try await world.running(outbox) {
            try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            let id = try await outbox.enqueue(makeNoteWrite(2, entity: "b")).id
            try await outbox.enqueue(makeNoteWrite(3, entity: "c"))
            try await world.waitUntil { server.count == 1 }
            try await world.wait(outbox) { $0.pending == 2 }
            try world.damageDelivery(of: id)
            server.open()
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(world.requests.count == 2)
        #expect(world.events.withLock { $0.contains(.storageFailed) } == false)
    }

    @Test func `is not the only thing that goes on after commands that the store refused`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let first = try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            try await world.waitUntil { server.count == 1 }
            let refused = try await outbox.enqueue(makeNoteWrite(2, entity: "a"))
            for _ in 1...8 {
                await #expect(throws: OutboxError.self) {
                    try await outbox.perform(
                        .discard(refused.id, outcome: "x"), commitHook: { _ in throw OutboxError.notSignedIn }
                    ) {
                        _ in nil
                    }
                }
            }
            try await outbox.enqueue(makeNoteWrite(3, entity: "b"))
            try await world.waitUntil { server.count == 2 }
            server.open()
            #expect(try await outbox.outcome(of: first.id) == .accepted)
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(world.events.withLock { $0.contains(.storageFailed) } == false)
        #expect(sendCounts(world).values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [false, true])
    func `is not sent again when another process removes a pending write`(isBatched: Bool) async throws {
        let server = SlowServer()
        let world = try OutboxWorld { request in
            _ = await server.answer()
            guard request.path.hasSuffix("/batch") else { return TransportResponse(status: .ok) }
            return TransportResponse(status: .badRequest)
        }
        let outbox = try world.outbox { if isBatched { $0.batch = BatchPolicy(endpoint: "/batch", mostEntries: 2) } }
        try await world.running(outbox) {
            for number in 1...8 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/\(number)")) }
            try await world.waitUntil { server.count >= 1 }
            let before = world.requests.count
            for _ in 1...2 {
                let last = try #require(try world.entries().last { $0.delivery.state == .pending })
                try await world.store.write { try $0.removeEntry(last.id, outcome: "removed", detail: nil, at: 0) }
                try await world.wait(outbox) { $0.pending + $0.sending < 8 }
            }
            #expect(world.requests.count == before)
            server.open()
            try await world.wait(outbox) { $0.unsent == 0 }
        }
        #expect(sendCounts(world).values.allSatisfy { $0 == 1 })
    }

    @Test func `counts by its answer when others have changed what it was made beside`() async throws {
        let removed = Mutex<UUIDBytes?>(nil)
        let store = Mutex<Store?>(nil)
        let world = try OutboxWorld { _ in
            if let id = removed.withLock({ $0.take() }), let store = store.withLock({ $0 }) {
                // Together with the response, so that the outbox is notified of both at once.
                try? await store.write { try $0.removeEntry(id, outcome: "removed", detail: nil, at: 0) }
            }
            return TransportResponse(status: .ok)
        }
        store.withLock { $0 = world.store }
        defer { store.withLock { $0 = nil } }
        for _ in 1...20 {
            let outbox = try world.outbox { $0.concurrentSends = 1 }
            _ = try await outbox.enqueue(makeNoteWrite(1, entity: "note/1"))
            let other = try await outbox.enqueue(makeNoteWrite(2, entity: "note/2"))
            removed.withLock { $0 = other.id }
            try await world.running(outbox) { try await world.wait(outbox) { $0.unsent == 0 && $0.isRunning } }
        }
        #expect(sendCounts(world).values.allSatisfy { $0 == 1 } && world.requests.count == 20)
    }
}

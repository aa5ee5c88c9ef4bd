// Proves that an answer is stored as soon as it can be, whatever keeps another answer or a record beside it from that.
import HTTPTypes
import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@testable import LarderOutbox

@Suite(.timeLimit(.minutes(5))) struct `An answer that could not be stored` {
    /// Has time pass beside `body`.
    private func advancingClock(_ world: OutboxWorld, _ body: () async throws -> Void) async throws {
        let ticker = Task {
            while !Task.isCancelled {
                world.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { ticker.cancel() }
        try await body()
    }

    @Test func `keeps no other from being stored, which may make space for it`() async throws {
        let (first, second) = (SlowServer(), SlowServer())
        let world = try OutboxWorld(options: StoreOptions(sizeCap: 100_000)) { request in
            let isFirst = request.path.hasSuffix("/first")
            _ = await (isFirst ? first : second).answer()
            // What is stored of a refusal for now needs a few bytes more, and an acceptance gives many back.
            return TransportResponse(status: isFirst ? .serviceUnavailable : .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let small = OutboxWrite("small", .post, "/first", body: .bytes([0x31]), entity: "a")
            let large = OutboxWrite(
                "large", .post, "/second", body: .bytes([UInt8](repeating: 0x31, count: 9000)), entity: "b")
            let refused = try await outbox.enqueue(small).id
            let accepted = try await outbox.enqueue(large).id
            try await world.waitUntil { first.count == 1 && second.count == 1 }
            try await world.store.fill()
            first.open()
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.count == 1 } }
            second.open()
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.count == 2 } }
            try await advancingClock(world) {
                #expect(try await outbox.outcome(of: accepted) == .accepted)
                try await world.waitUntil {
                    try world.store.read { view in try view.outboxDelivery(refused)?.lastStatus } == 503
                }
            }
        }
        #expect(try world.findings() == [])
    }

    @Test func `is stored without its body where there is no space for that`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld(options: StoreOptions(sizeCap: 100_000)) { request in
            if request.method == "GET" { return TransportResponse(status: .notFound) }
            _ = await server.answer()
            let body = #"{"status":""# + String(repeating: "x", count: 50_000) + #""}"#
            return TransportResponse(
                status: .ok, headers: [.contentType: "application/json"], body: Array(body.utf8))
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(#"{"status":"done"}"#, loadsAnswer: true))
            try await world.waitUntil { server.count == 1 }
            try await world.store.fill()
            server.open()
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(try world.visitShown() == #"{"status":"done"}"#)
        #expect(world.requests.filter { $0.method == "PUT" }.count == 1)
    }

    @Test func `is followed by the wait that the server requested`() async throws {
        let servers = ["/1": SlowServer(), "/2": SlowServer(), "/3": SlowServer()]
        let world = try OutboxWorld(options: StoreOptions(sizeCap: 100_000)) { request in
            let name = String(request.path.suffix(2))
            _ = await servers[name]?.answer()
            if name == "/2" { return TransportResponse(status: .tooManyRequests, headers: [.retryAfter: "3600"]) }
            return TransportResponse(status: .serviceUnavailable)
        }
        let outbox = try world.outbox { $0.concurrentSends = 2 }
        try await world.running(outbox) {
            for name in ["1", "2", "3"] {
                try await outbox.enqueue(OutboxWrite("x", .post, "/\(name)", body: .bytes([0x31]), entity: name))
            }
            try await world.waitUntil { world.requests.count == 2 }
            let filler = try await world.store.fill()
            servers["/1"]?.open()
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.count == 1 } }
            servers["/2"]?.open()
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.count == 2 } }
            await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(4)) }
            #expect(world.requests.count == 2)
            try await world.store.write { _ = try $0.removeEntry(filler, outcome: "dropped", at: 0) }
            world.clock.advance(by: .seconds(60))
            try await world.waitUntil { outbox.state.withLock { $0.loop?.unstored.isEmpty == true } }
            #expect(world.requests.count == 2)
        }
    }

    @Test func `counts though it cannot be read who is signed in, and nothing is begun then`() async throws {
        let server = SlowServer()
        let world = try OutboxWorld { _ in await server.answer() }
        try await world.store.write {
            try $0.putSession(StoredSession(state: .signedIn, account: "ann", changedAt: 1, signedInAt: 1))
        }
        let damageSession = {
            try world.damage(.meta) { keys in keys.firstIndex(of: StoredSession.key) ?? 0 }
        }
        let outbox = try world.outbox(account: "ann")
        try await world.running(outbox) {
            let first = try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            try await world.waitUntil { server.count == 1 }
            let second = try await outbox.enqueue(makeNoteWrite(2, entity: "a"))
            try damageSession()
            server.open()
            try await world.wait(outbox) { $0.sending == 0 }
            #expect(try await outbox.outcome(of: first.id) == .accepted)
            #expect(world.requests.count == 1)
            try damageSession()
            outbox.foreground()
            #expect(try await outbox.outcome(of: second.id) == .accepted)
        }
    }
}

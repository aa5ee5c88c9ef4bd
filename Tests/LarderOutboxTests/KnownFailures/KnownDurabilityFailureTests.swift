// Proves that known failures of other outboxes (lost or doubled writes, waits that never end) do not occur here.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// Writes that were lost or doubled, awaits that never return.
@Suite(.timeLimit(.minutes(5))) struct `Known failures: writes lost or doubled, awaits that hang` {
    /// A server that performs each key once, and may lose its answer.
    final class Server: Sendable {
        let performed = Mutex<[String: Int]>([:])
        let answersLost: Countdown

        init(answersLost: Int) { self.answersLost = Countdown(answersLost) }

        func answer(_ request: OutboxWorld.Request) throws(TransportError) -> TransportResponse {
            let key = request.key ?? ""
            let isReplay = performed.withLock { performed in
                if performed[key] != nil { return true }
                performed[key] = 1
                return false
            }
            if answersLost.decrement() { throw .connectionLost(reason: "the answer is lost") }
            return TransportResponse(
                status: .ok, headers: isReplay ? [OutboxConfiguration.standardReplayField: "true"] : [:])
        }
    }

    @Test
    func
        `a write under way when the process dies is sent again under its key [TanStack query #6238, #3460, WatermelonDB #1664, #1881]`()
        async throws
    {
        let arrived = Mutex(false)
        let world = try OutboxWorld { _ throws(TransportError) in
            arrived.withLock { $0 = true }
            // Never answered: the process dies meanwhile.
            do { try await Task.sleep(for: .seconds(30)) } catch { throw .cancelled }
            return TransportResponse(status: .ok)
        }
        let first = try world.outbox()
        var queued: Enqueued?
        try await world.running(first) {
            queued = try await first.enqueue(makeNoteWrite(1))
            try await world.waitUntil { arrived.withLock { $0 } }
        }
        let left = try #require(try world.entries().first)
        #expect(left.delivery.state == .sending && left.tries == 1)
        world.answer { _ in TransportResponse(status: .ok) }
        let second = try world.outbox()
        try await world.running(second) {
            let id = try #require(queued).id
            #expect(try await second.outcome(of: id) == .accepted)
        }
        #expect(world.requests.map(\.key) == [queued?.id.description, queued?.id.description])
    }

    @Test func `no number of restarts doubles a write [TanStack query #4846]`() async throws {
        let server = Server(answersLost: 3)
        let world = try OutboxWorld { request throws(TransportError) in try server.answer(request) }
        let queued = try await world.outbox().enqueue(makeNoteWrite(1))
        for _ in 0..<3 {
            let outbox = try world.outbox()
            let sent = world.requests.count
            try await world.running(outbox) {
                if sent > 0 { try await outbox.retry(queued.id) }
                try await world.waitUntil { world.requests.count > sent }
                try await world.wait(outbox) { $0.waiting == 1 }
            }
        }
        let last = try world.outbox()
        try await world.running(last) {
            try await last.retry(queued.id)
            #expect(try await last.outcome(of: queued.id) == .accepted)
        }
        #expect(server.performed.withLock { $0 } == [queued.id.description: 1])
        #expect(world.requests.count == 4)
    }

    @Test func `a failure does not change the order of a lane [workbox #2599, #3237, #2640]`() async throws {
        let failures = Countdown(2)
        let world = try OutboxWorld { _ in
            TransportResponse(status: failures.decrement() ? .serviceUnavailable : .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            for number in 1...4 { try await outbox.enqueue(makeNoteWrite(number, entity: "note/1")) }
            for seconds in [1, 2] {
                try await world.wait(outbox) { $0.waiting == 1 }
                await world.clock.sleepers(atLeast: 1)
                world.clock.advance(by: .seconds(seconds))
            }
            try await world.wait(outbox) { $0.oldestCreatedAt == nil }
        }
        let order = world.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(order == ["{\"n\":1}", "{\"n\":1}", "{\"n\":1}", "{\"n\":2}", "{\"n\":3}", "{\"n\":4}"])
    }

    @Test(arguments: [500, 503, 429, 408, 425])
    func `an answer that is no success is not treated as one [workbox 7.2 replayRequests]`(status: Int) async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .init(code: status)) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            #expect(try world.entries().count == 1)
        }
    }

    @Test func `the acceptance of an older write removes no newer one [Store #761, PR #762, #727, #735]`()
        async throws
    {
        let resource = ResourceKey("notes", 1)
        let row = RowKey(resource: resource, type: "note", key: "1")
        let heldResponses = Mutex<[CheckedContinuation<Void, Never>]>([])
        let world = try OutboxWorld { request in
            if request.body == Array("{\"n\":1}".utf8) {
                await withCheckedContinuation { waiter in heldResponses.withLock { $0.append(waiter) } }
            }
            return TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            var first = makeNoteWrite(1, entity: "note/1")
            first.effects = [RowEffect(.replacement(Array("{\"n\":1}".utf8)), at: row)]
            let older = try await outbox.enqueue(first)
            try await world.waitUntil { heldResponses.withLock { !$0.isEmpty } }
            var second = makeNoteWrite(2, entity: "note/1")
            second.effects = [RowEffect(.replacement(Array("{\"n\":2}".utf8)), at: row)]
            let newer = try await outbox.enqueue(second)
            heldResponses.withLock { $0.removeFirst() }.resume()
            #expect(try await outbox.outcome(of: older.id) == .accepted)
            #expect(try world.store.read { view in try view.payload(at: row) } == Array("{\"n\":2}".utf8))
            #expect(try await outbox.outcome(of: newer.id) == .accepted)
            #expect(try world.store.read { view in try view.payload(at: row) } == Array("{\"n\":2}".utf8))
        }
        #expect(world.requests.count == 2)
    }

    @Test
    func
        `an enqueue returns without a network and without a running outbox [firebase-ios-sdk #3303, #13012, #1900, #4571, flutter #25415]`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")
        var write = makeNoteWrite(1)
        write.effects = [RowEffect(.replacement(Array("{\"n\":1}".utf8)), at: row)]
        let queued = try await world.outbox().enqueue(write)
        guard case .queued = queued else {
            Issue.record("the write was not queued: \(queued)")
            return
        }
        #expect(try world.store.read { view in try view.payload(at: row) } == Array("{\"n\":1}".utf8))
        #expect(world.requests.isEmpty)
    }

    @Test func `a wait for the outcome ends when it is cancelled [firebase-ios-sdk #13012]`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        let waiting = Task { try await outbox.outcome(of: queued.id) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    }
}

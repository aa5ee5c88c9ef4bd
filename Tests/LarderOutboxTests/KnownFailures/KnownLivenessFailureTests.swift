// Proves that known failures of other outboxes (a stopped queue, a blocking entry) do not occur here.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// What users of other outboxes complain of: the queue stops, one entry blocks all. The threads are named in each test.
@Suite(.timeLimit(.minutes(5))) struct `Known failures: the queue that stops, and the poison message` {
    @Test
    func `a send that fails once is tried again by itself [powersync-swift #179, #160, #145, powersync-native #15]`()
        async throws
    {
        let failures = Mutex(1)
        let world = try OutboxWorld { _ throws(TransportError) in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { throw .other(reason: "thrown once") }
            return TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            // Nothing but time passes: no enqueue, no reconnect, nobody who asks.
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(1))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(world.requests.count == 2)
        }
    }

    @Test func `credentials that cannot be had stop nothing for good [powersync-swift #179, rxdb #7259]`() async throws
    {
        struct Failing: Credentials {
            let failures = Countdown(1)
            struct Unavailable: Error {}
            func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
                if failures.decrement() { throw Unavailable() }
                return [.authorization: "Bearer 1"]
            }
        }
        let world = try OutboxWorld()
        let outbox = try world.outbox(credentials: Failing())
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(1))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
    }

    @Test func `what is paused is not treated as sent [rxdb PR #8285, #3030, #3103]`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        try await world.running(outbox) {
            for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number)) }
            world.network.set(.online)
            world.network.set(.offline)
            world.network.set(.online)
            try await world.wait(outbox) { $0.unsent == 0 && $0.oldestCreatedAt == nil }
        }
        #expect(Set(world.requests.compactMap(\.key)).count == 3)
        let outcomes = try world.store.read { view in try view.outboxOutcomes().map(\.outcome) }
        #expect(outcomes == ["accepted", "accepted", "accepted"])
    }

    @Test
    func `what waits at a start is sent without a new write [TanStack query #5847, workbox #597, YapDatabase #135]`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let first = try world.outbox()
        try await world.running(first) {
            try await first.enqueue(makeNoteWrite(1))
            try await world.wait(first) { $0.pending == 1 }
        }
        world.network.set(.online)
        let second = try world.outbox()
        try await world.running(second) { try await world.wait(second) { $0.isRunning && $0.oldestCreatedAt == nil } }
        #expect(world.requests.count == 1)
    }

    @Test
    func
        `a refused write is set aside and reported, and the rest goes on [PowerSync's docs on blocked queues, rxdb #3622, WatermelonDB's backend rules]`()
        async throws
    {
        let world = try OutboxWorld { request in
            request.body == Array("{\"n\":1}".utf8)
                ? TransportResponse(status: .unprocessableContent) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let poison = try await outbox.enqueue(makeNoteWrite(1, entity: "note/1"))
            let sameLane = try await outbox.enqueue(makeNoteWrite(2, entity: "note/1"))
            let other = try await outbox.enqueue(makeNoteWrite(3, entity: "note/2"))
            #expect(try await outbox.outcome(of: poison.id) == .rejected("the server refused it (422)"))
            #expect(try await outbox.outcome(of: sameLane.id) == .accepted)
            #expect(try await outbox.outcome(of: other.id) == .accepted)
            try await world.wait(outbox) { $0.rejected == 1 && $0.unsent == 0 }
            let letter = try #require(try world.entries().first)
            #expect(letter.id == poison.id && letter.delivery.state == .rejected)
            #expect(letter.payload == Array("{\"n\":1}".utf8))
        }
        #expect(
            world.events.withLock { $0 }.contains { if case .rejected(_, .status(422)) = $0 { true } else { false } })
    }

    @Test
    func
        `a write that keeps failing blocks no other lane, and fails after its attempts [WatermelonDB: a permanently unsyncable app]`()
        async throws
    {
        let world = try OutboxWorld { request in
            request.body == Array("{\"n\":1}".utf8)
                ? TransportResponse(status: .internalServerError) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let poison = try await outbox.enqueue(makeNoteWrite(1, entity: "note/1"))
            try await world.wait(outbox) { $0.waiting == 1 }
            let other = try await outbox.enqueue(makeNoteWrite(2, entity: "note/2"))
            #expect(try await outbox.outcome(of: other.id) == .accepted)
            for seconds in [1, 2, 4, 8] {
                await world.clock.sleepers(atLeast: 1)
                world.clock.advance(by: .seconds(seconds))
                try await world.wait(outbox) { $0.waiting == 1 && $0.sending == 0 || $0.failed == 1 }
            }
            let status = try await world.wait(outbox) { $0.failed == 1 }
            #expect(status.pauses.isEmpty)
            #expect(world.requests.filter { $0.key == poison.id.description }.count == 5)
        }
    }

    @Test func `one answer of 401 starves nobody once there is a sign-in [flipper #585]`() async throws {
        let isSignedIn = Mutex(false)
        let world = try OutboxWorld { _ in
            TransportResponse(status: isSignedIn.withLock { $0 } ? .ok : .unauthorized)
        }
        let outbox = try world.outbox(account: "ada") { _ in
        } configuration: {
            $0.signIn = { _ in
                isSignedIn.withLock { $0 = true }
                return true
            }
        }
        try await world.running(outbox) {
            let queued = try await [
                makeNoteWrite(1, entity: "a"), makeNoteWrite(2, entity: "b"), makeNoteWrite(3, entity: "c"),
            ]
            .asyncMap { try await outbox.enqueue($0) }
            for entry in queued { #expect(try await outbox.outcome(of: entry.id) == .accepted) }
        }
    }
}

/// Counts down, from any thread.
final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ left: Int) { self.left = Mutex(left) }

    func decrement() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}

extension Array where Element: Sendable {
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

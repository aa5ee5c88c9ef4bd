// Proves that enqueued writes are sent at once or when the network returns, in order and with few commits.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Delivery` {
    @Test func `sends at once what is enqueued with a network, under its identity as key [§4.2.1, §4.3.1]`()
        async throws
    {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(world.requests.map(\.key) == [queued.id.description])
            #expect(world.requests.map(\.path) == ["/api/notes"])
        }
    }

    @Test func `keeps what is enqueued without a network, and sends it in order when there is one [§4.2.2]`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        try await world.running(outbox) {
            for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number)) }
            let waiting = try await world.wait(outbox) { $0.pending == 3 && $0.isRunning }
            #expect(waiting.pauses == [.offline])
            #expect(world.requests.isEmpty)
            world.network.set(.online)
            try await world.wait(outbox) { $0 == Self.atRest }
            #expect(
                world.requests.map { String(decoding: $0.body, as: UTF8.self) } == [
                    "{\"n\":1}", "{\"n\":2}", "{\"n\":3}",
                ])
        }
    }

    @Test func `reports a write that was accepted long ago and that syncing does not bring`() async throws {
        let world = try OutboxWorld { _ in
            TransportResponse(status: .ok, headers: [OutboxConfiguration.sequenceField: "99"])
        }
        try await world.putVisit("{}")
        try await world.store.write { transaction in
            let number = try transaction.updateFilter("visits:*") { ($0.token, $0.tokenUpdatedAt) = ("A", 0) }
            try transaction.putMember(ofFilter: number, visit.resource, MemberRecord(listedInRun: 0))
        }
        func reportedSequences() -> [Int64?] {
            world.events.withLock { events in
                events.compactMap { event in
                    guard case .unshown(let write) = event else { return nil }
                    return write.serverSequence
                }
            }
        }
        let outbox = try world.outbox()
        try await outbox.enqueue(saveVisit("{}"))
        #expect(await outbox.drain(within: .seconds(9)).unsent == 0)
        let late = world.clock.wallMilliseconds + 86_400_001
        try await world.store.write { try $0.updateFilter("visits:*") { $0.tokenUpdatedAt = late } }
        try await world.running(outbox) {
            try await world.waitUntil { reportedSequences() == [99] }
            outbox.foreground()
            try await world.waitUntil { reportedSequences() == [99, 99] }
        }
    }

    @Test func `shares commits: 64 enqueues at the same time need at most 8`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let before = world.store.writerStatistics.commits
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 { group.addTask { _ = try await outbox.enqueue(makeNoteWrite(number)) } }
            try await group.waitForAll()
        }
        let commits = world.store.writerStatistics.commits - before
        #expect(commits <= 8, "\(commits) commits")
        #expect(try world.entries().count == 64)
    }

    @Test func `goes on at once when somebody else changes an entry while it starts`() async throws {
        let meddle = Mutex<(@Sendable () -> Void)?>(nil)
        let world = try OutboxWorld(host: { host in
            let now = host.now
            host.now = {
                meddle.withLock { $0.take() }?()
                return now()
            }
        })
        let queued = try await world.outbox().enqueue(makeNoteWrite(1))
        let entry = try #require(try world.entries().first)
        var left = entry.delivery
        left.state = .sending
        try await world.store.write { [left] in _ = try $0.updateDelivery(of: entry.id, from: entry.delivery, to: left)
        }
        // The clock is asked for the first time between the look at the table and the first change to it.
        meddle.withLock {
            $0 = { [store = world.store, left] in
                var other = left
                other.state = .waiting
                other.dueAt = 0
                let isDone = try? store.writeBlocking { [other] in
                    try $0.updateDelivery(of: entry.id, from: left, to: other)
                }
                #expect(isDone == true)
            }
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let outcome = try await outbox.outcome(of: queued.id)
            #expect(outcome == .accepted)
        }
        #expect(meddle.withLock { $0 == nil })
    }

    static let atRest: OutboxStatus = {
        var status = OutboxStatus()
        status.isRunning = true
        return status
    }()
}

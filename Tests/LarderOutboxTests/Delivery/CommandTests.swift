// Proves that retrying, dropping and cancelling entries, and background runs, do what they report.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `User commands on entries` {
    private let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")

    @Test func `a rejected write is sent again as one of its own, in its place [§4.5.7]`() async throws {
        let status = Mutex(422)
        let world = try OutboxWorld { _ in TransportResponse(status: .init(code: status.withLock { $0 })) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let first = try await outbox.enqueue(makeNoteWrite(1))
            _ = try await outbox.outcome(of: first.id)
            status.withLock { $0 = 200 }
            let second = try await outbox.retryRejected(first.id)
            #expect(second != first.id)
            #expect(try await outbox.outcome(of: second) == .accepted)
            #expect(try await outbox.outcome(of: first.id) == .removed("superseded"))
            #expect(world.requests.map(\.key) == [first.id.description, second.description])
            try await world.wait(outbox) { $0.rejected == 0 }
        }
    }

    @Test(arguments: [nil, [RowEffect]()])
    func `a retry of a rejected write shows what it showed before, unless it is given other effects`(
        effects: [RowEffect]?
    )
        async throws
    {
        let status = Mutex(422)
        let world = try OutboxWorld { _ in TransportResponse(status: .init(code: status.withLock { $0 })) }
        func shown() throws -> String {
            try world.store.read { view in
                guard let found = try view.row(at: row) else { return "" }
                return String(decoding: [UInt8](copying: found.payload), as: UTF8.self)
            }
        }
        try await world.store.write { try $0.put(Array(#"{"a":1,"b":1}"#.utf8), at: row, updatedAt: 1) }
        let outbox = try world.outbox()
        var write = makeNoteWrite(1)
        write.effects = [RowEffect(.patch(Array(#"{"a":2}"#.utf8)), at: row)]
        let rejected = try await outbox.enqueue(write).id
        #expect(await outbox.drain(within: .seconds(9)).rejected == 1)
        #expect(try shown() == #"{"a":1,"b":1}"#)
        // The row goes on meanwhile.
        try await world.store.write { try $0.put(Array(#"{"a":1,"b":3}"#.utf8), at: row, updatedAt: 2) }
        #expect(try world.findings() == [])
        let retried = try await outbox.retryRejected(rejected, effects: effects)
        #expect(try shown() == (effects == nil ? #"{"a":2,"b":3}"# : #"{"a":1,"b":3}"#))
        #expect(try world.entries().map(\.id) == [retried])
        #expect(try world.findings() == [])
        status.withLock { $0 = 200 }
        #expect(await outbox.drain(within: .seconds(9)).unsent == 0)
    }

    @Test func `the status says what a command has done to a rejected write when it returns`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .unprocessableContent) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            for number in 1...20 {
                let dropped = try await outbox.enqueue(makeNoteWrite(number)).id
                try await world.wait(outbox) { $0.rejected == 1 }
                try await outbox.drop(dropped)
                #expect(outbox.status.rejected == 0)
                let rejected = try await outbox.enqueue(makeNoteWrite(number)).id
                try await world.wait(outbox) { $0.rejected == 1 }
                let server = SlowServer()
                world.answer { _ in await server.answer() }
                let retried = try await outbox.retryRejected(rejected)
                #expect(outbox.status.rejected == 0 && outbox.status.unsent == 1)
                server.open()
                #expect(try await outbox.outcome(of: retried) == .accepted)
                world.answer { _ in TransportResponse(status: .unprocessableContent) }
            }
        }
    }

    @Test func `a failed head holds its entity and nothing else, and is revived when the network returns [§4.5.7]`()
        async throws
    {
        let fails = Mutex(true)
        let world = try OutboxWorld { request in
            request.body == Array("{\"n\":1}".utf8) && fails.withLock { $0 }
                ? TransportResponse(status: .badGateway) : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox { $0.mostAttempts = 1 }
        try await world.running(outbox) {
            let head = try await outbox.enqueue(makeNoteWrite(1, entity: "a", lane: .global))
            try await world.wait(outbox) { $0.failed == 1 }
            let same = try await outbox.enqueue(makeNoteWrite(2, entity: "a", lane: .global))
            let other = try await outbox.enqueue(makeNoteWrite(3, entity: "b", lane: .global))
            #expect(try await outbox.outcome(of: other.id) == .accepted)
            #expect(try world.entries().map(\.id) == [head.id, same.id])
            // The acceptance has the head tried once more, which must not succeed yet.
            try await world.waitUntil { world.requests.count == 3 }
            try await world.wait(outbox) { $0.failed == 1 && $0.sending == 0 }
            fails.withLock { $0 = false }
            world.network.set(.offline)
            try await world.wait(outbox) { $0.pauses == [.offline] }
            world.network.set(.online)
            #expect(try await outbox.outcome(of: head.id) == .accepted)
            #expect(try await outbox.outcome(of: same.id) == .accepted)
        }
    }

    @Test func `what may have been forgotten is reported, and done as the host says [§4.3.2]`() async throws {
        let loses = Mutex(true)
        let world = try OutboxWorld { _ throws(TransportError) in
            if loses.withLock({ $0 }) { throw .connectionLost(reason: "lost") }
            return TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(24 * 3600))
            try await world.wait(outbox) { $0.unresolved == 1 }
            #expect(world.requests.count == 1)
            loses.withLock { $0 = false }
            await #expect(throws: OutboxError.self) { try await outbox.cancel(queued.id) }
            try await outbox.decide(queued.id, .sendAgain)
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
            #expect(world.requests.map(\.key) == [queued.id.description, queued.id.description])
        }
    }

    @Test func `a command before the outbox runs reports what it leaves to the host`() async throws {
        let world = try OutboxWorld { _ throws(TransportError) in throw .connectionLost(reason: "lost") }
        let first = try world.outbox()
        let queued = try await first.enqueue(makeNoteWrite(1))
        try await world.running(first) { _ = try await world.wait(first) { $0.waiting == 1 } }
        // With a clock that went backwards it is unknown whether the server still has the key.
        world.clock.setWallClock(toMilliseconds: world.clock.wallMilliseconds - 3_600_000)
        try await world.outbox().retryAll()
        #expect(try world.entries().map(\.delivery.state) == [.unresolved])
        #expect(world.events.withLock { $0 }.contains(.unresolved(queued.id)))
    }

    @Test func `a drop rolls the effect back, and what came after it goes with it`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        var visit = makeNoteWrite(1, entity: "visit")
        visit.effects = [RowEffect(.replacement(Array("{}".utf8)), at: row)]
        let first = try await outbox.enqueue(visit)
        var photo = makeNoteWrite(2, entity: "photo")
        photo.after = [first.id]
        let second = try await outbox.enqueue(photo)
        try await outbox.drop(first.id)
        #expect(try world.store.read { view in try view.payload(at: row) } == nil)
        #expect(try await outbox.outcome(of: first.id) == .removed("dropped"))
        #expect(
            try await outbox.outcome(of: second.id)
                == .rejected("it came after \(first.id), which was rejected or discarded"))
    }

    @Test func `a write that was never tried is removed; one that was is not`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .serviceUnavailable) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let tried = try await outbox.enqueue(makeNoteWrite(1, entity: "a"))
            try await world.wait(outbox) { $0.waiting == 1 }
            let untried = try await outbox.enqueue(makeNoteWrite(2, entity: "a"))
            try await outbox.cancel(untried.id)
            #expect(try await outbox.outcome(of: untried.id) == .removed("cancelled"))
            await #expect(throws: OutboxError.self) { try await outbox.cancel(tried.id) }
            #expect(try world.entries().map(\.id) == [tried.id])
        }
    }

    @Test func `a run in the background sends what it can, and reports what is left`() async throws {
        let world = try OutboxWorld { request in
            request.body == Array("{\"n\":2}".utf8)
                ? TransportResponse(status: .serviceUnavailable, headers: [.retryAfter: "600"])
                : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)")) }
        let left = await outbox.drain(within: .seconds(20))
        #expect(left.waiting == 1 && left.unsent == 1 && !left.isRunning)
        let waitEnd = world.clock.wallMilliseconds + 600_000
        #expect(left.pauses == [.serverWait(until: waitEnd)])
    }
}

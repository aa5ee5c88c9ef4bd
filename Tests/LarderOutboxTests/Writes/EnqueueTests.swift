// Proves that an enqueue stores the complete write, is idempotent, bounded and atomic.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An enqueue` {
    private let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")

    @Test func `stores all that a write is: kind, endpoint, method, payload, time, counts, state [§4.2.7]`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let queued = try await world.outbox(account: "ada").enqueue(
            OutboxWrite(
                "CHECK_IN", .put, "/visits/7", body: .bytes(Array("{}".utf8)), entity: "visit/7",
                effects: [RowEffect(.replacement(Array("{}".utf8)), at: row)]))
        let entry = try #require(try world.entries().first)
        #expect(entry.id == queued.id)
        #expect(entry.mutationType == "CHECK_IN" && entry.method == "PUT" && entry.endpoint == "/visits/7")
        #expect(entry.payload == Array("{}".utf8) && entry.createdAt == world.clock.wallMilliseconds)
        #expect(entry.draft.mostAttempts == 5 && entry.delivery == OutboxDelivery())
        #expect(entry.draft.account == "ada" && entry.draft.entity == "visit/7" && entry.rows == [row])
        #expect(try world.store.read { view in try view.overlays(at: row).map(\.entryID) } == [queued.id])
    }

    @Test func `answers that the write is queued [§4.2.8]`() async throws {
        let world = try OutboxWorld(.offline)
        let queued = try await world.outbox().enqueue(makeNoteWrite(1))
        #expect(queued == .queued(queued.id))
    }

    @Test func `mints an identity once, which is the key of every send [§4.5.1] [§4.5.3]`() async throws {
        let failures = Countdown(2)
        let world = try OutboxWorld { _ in TransportResponse(status: failures.decrement() ? .serviceUnavailable : .ok) }
        let outbox = try world.outbox()
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        try await world.running(outbox) {
            for seconds in [1, 2] {
                try await world.wait(outbox) { $0.waiting == 1 }
                await world.clock.sleepers(atLeast: 1)
                world.clock.advance(by: .seconds(seconds))
            }
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(world.requests.map(\.key) == Array(repeating: queued.id.description, count: 3))
    }

    @Test func `of a second tap gives the first one's entry, and refuses another content under its key [§4.3.4]`()
        async throws
    {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        var write = makeNoteWrite(1)
        write.deduplicationKey = "tap"
        let first = try await outbox.enqueue(write)
        #expect(try await outbox.enqueue(write) == .alreadyQueued(first.id))
        var other = makeNoteWrite(2)
        other.deduplicationKey = "tap"
        let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(other) }
        guard case .deduplicationMismatch(first.id) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(try world.entries().map(\.id) == [first.id])
    }

    @Test func `of a second tap with a file knows the file by its bytes, and gives up the second`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        func enqueueFile(_ content: [UInt8]) async throws -> (blob: Blob, enqueued: Enqueued) {
            let blob = try await world.store.storeBlob(content)
            var write = OutboxWrite("photo", .post, "/photos", body: .blob(blob))
            write.deduplicationKey = "tap"
            return (blob, try await outbox.enqueue(write))
        }
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
        let first = try await enqueueFile(content)
        let second = try await enqueueFile(content)
        #expect(second.enqueued == .alreadyQueued(first.enqueued.id) && second.blob != first.blob)
        #expect(try world.store.blob(first.blob.number) != nil && world.store.blob(second.blob.number) == nil)
        var other = content
        other[200_000] ^= 1
        await #expect(throws: OutboxError.self) { try await enqueueFile(other) }
        #expect(try world.entries().map(\.id) == [first.enqueued.id])
    }

    @Test func `that does not fit is refused, and loses nothing [§4.2.5] [§4.5.6]`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox { $0.bounds = OutboxBounds(entries: 2) }
        let stored = [try await outbox.enqueue(makeNoteWrite(1)).id, try await outbox.enqueue(makeNoteWrite(2)).id]
        let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(makeNoteWrite(3)) }
        guard case .full(let pending) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(pending.entries == 2)
        #expect(try world.entries().map(\.id) == stored)
        let small = try world.outbox { $0.bounds = OutboxBounds(byteCount: 10) }
        await #expect(throws: OutboxError.self) { try await small.enqueue(makeNoteWrite(4)) }
    }

    @Test func `that evicts the oldest makes it a dead letter, never nothing [§4.2.5] [§4.5.6]`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox { $0.bounds = OutboxBounds(entries: 2, whenFull: .retireOldest) }
        var first = makeNoteWrite(1)
        first.effects = [RowEffect(.replacement(Array("{}".utf8)), at: row)]
        let oldest = try await outbox.enqueue(first)
        for number in 2...3 { try await outbox.enqueue(makeNoteWrite(number)) }
        let entries = try world.entries()
        #expect(entries.map(\.delivery.state) == [.failed, .pending, .pending])
        #expect(entries.first?.id == oldest.id)
        #expect(try world.store.read { view in try view.payload(at: row) } != nil)
        #expect(try world.store.read { view in try view.pendingOutbox().entries } == 2)
        try await outbox.retry(oldest.id)
        #expect(try world.entries().map(\.delivery.state) == [.pending, .pending, .pending])
    }

    @Test func `that evicts a member of a batch splits the batch, and leaves the others in doubt`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox { $0.bounds = OutboxBounds(entries: 3, whenFull: .retireOldest) }
        for number in 1...3 { try await outbox.enqueue(makeNoteWrite(number, lane: .named("\(number)"))) }
        var tried = OutboxDelivery()
        tried.state = .waiting
        (tried.tries, tried.isInDoubt, tried.dueAt) = (1, true, 9)
        tried.batch = UUIDBytes(high: 5, low: 5)
        for entry in try world.entries() {
            try await world.store.write { [tried] in
                _ = try $0.updateDelivery(of: entry.id, from: entry.delivery, to: tried)
            }
        }
        try await outbox.enqueue(makeNoteWrite(4, lane: .named("4")))
        let deliveries = try world.entries().map(\.delivery)
        var alone = tried
        (alone.batch, alone.isUnbatched) = (nil, true)
        #expect(deliveries[0].state == .failed && deliveries[0].batch == nil)
        #expect(Array(deliveries[1...2]) == [alone, alone])
    }

    @Test func `that is refused has evicted nobody, also when the transaction goes on`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox { policy in
            policy.bounds = OutboxBounds(entries: 1, byteCount: 1000, whenFull: .retireOldest)
        }
        try await outbox.enqueue(makeNoteWrite(1))
        var invalidPatch = makeNoteWrite(2)
        invalidPatch.effects = [RowEffect(.patch(Array("no patch".utf8)), at: row)]
        var large = makeNoteWrite(3)
        large.body = .bytes(Array(repeating: 32, count: 2000))
        let refused = [try outbox.prepare(invalidPatch), try outbox.prepare(large)]
        try await world.store.write { transaction in
            for write in refused { #expect(throws: (any Error).self) { try transaction.enqueue(write) } }
        }
        #expect(try world.entries().map(\.delivery.state) == [.pending])
    }

    @Test func `goes into a transaction of the host's, with whatever else that changes`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let prepared = try outbox.prepare(makeNoteWrite(1))
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await world.store.write { transaction in
                try transaction.enqueue(prepared)
                throw Refused()
            }
        }
        #expect(try world.entries().isEmpty)
        let row = row
        try await world.store.write { transaction in
            try transaction.put(Array("{}".utf8), at: row, updatedAt: 1)
            try transaction.enqueue(prepared)
        }
        #expect(try world.entries().map(\.id) == [prepared.id])
    }

    @Test func `behind a rejected write is refused, and an endpoint that is no path too`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .forbidden) }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let visit = try await outbox.enqueue(makeNoteWrite(1))
            _ = try await outbox.outcome(of: visit.id)
            var photo = makeNoteWrite(2)
            photo.after = [visit.id]
            await #expect(throws: OutboxError.self) { try await outbox.enqueue(photo) }
            await #expect(throws: OutboxError.self) { try await outbox.enqueue(OutboxWrite("x", .post, "//evil.test")) }
        }
        #expect(try world.entries().count == 1)
    }

    private func after(_ id: UUIDBytes) -> OutboxWrite {
        var write = makeNoteWrite(9, lane: .named("after"))
        write.after = [id]
        return write
    }

    @Test func `behind a write that was given up is refused, whether the outbox runs or not`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        let visit = try await outbox.enqueue(makeNoteWrite(1))
        try await outbox.drop(visit.id)
        let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(after(visit.id)) }
        guard case .afterRejected(visit.id) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(try world.entries().isEmpty)
    }

    @Test func `behind a write that was accepted, or that nobody knows, waits for nothing`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let visit = try await outbox.enqueue(makeNoteWrite(1))
            #expect(try await outbox.outcome(of: visit.id) == .accepted)
            for id in [visit.id, UUIDBytes(high: 8, low: 8)] {
                let photo = try await outbox.enqueue(after(id))
                #expect(try await outbox.outcome(of: photo.id) == .accepted)
            }
        }
    }

    @Test func `behind a write that another has replaced comes after that one`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .forbidden) }
        let outbox = try world.outbox()
        var visit = try await outbox.enqueue(makeNoteWrite(1)).id
        try await world.running(outbox) { _ = try await outbox.outcome(of: visit) }
        let first = visit
        for _ in 1...2 {
            let entry = try #require(try world.entries().first)
            try await world.store.write { transaction in
                try transaction.rejectEntry(entry.id, entry.delivery, detail: nil, at: 5)
            }
            visit = try await outbox.retryRejected(visit)
        }
        let photo = try await outbox.enqueue(after(first))
        #expect(try world.store.read { view in try view.outboxEntry(photo.id)?.draft.after } == [visit])
        try await world.store.write { [visit] in try $0.completeEntry(visit, at: 7) }
        try await outbox.enqueue(after(first))
    }

    @Test func `is not for writes that may not wait: those are sent now, or fail as offline`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.isRunning }
            for await status in outbox.statuses() where status.isRunning { break }
            // The network is known to be away as soon as its state was reported.
            try await outbox.enqueue(makeNoteWrite(9))
            try await world.wait(outbox) { $0.pauses == [.offline] }
            let error = await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(1)) }
            guard case .offline = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
            world.network.set(.online)
            try await world.wait(outbox) { $0.oldestCreatedAt == nil }
            let answer = try await outbox.send(makeNoteWrite(1))
            #expect(answer.head.status == .ok)
        }
        #expect(try world.entries().isEmpty)
        #expect(Set(world.requests.compactMap(\.key)).count == 2)
    }
}

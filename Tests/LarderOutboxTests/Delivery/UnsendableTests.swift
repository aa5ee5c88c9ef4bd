// Proves that a write that cannot be sent fails at once with its reason and blocks no other.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Delivery of what cannot be sent` {
    private let row = RowKey(resource: ResourceKey("notes", 1), type: "note", key: "1")

    private func file(_ blob: Blob) -> OutboxWrite {
        OutboxWrite(
            "photo", .post, "/photos", body: .blob(blob), entity: "photo/1", lane: .global,
            effects: [RowEffect(.replacement(Array("{}".utf8)), at: row)])
    }

    private static func failures(_ id: UUIDBytes, _ world: OutboxWorld) -> Int {
        world.events.withLock { $0.count { $0 == .failed(id, status: nil) } }
    }

    private func attemptCount(_ id: UUIDBytes, _ world: OutboxWorld) -> Int {
        world.events.withLock { $0.count { $0 == .sending(id) } }
    }

    @Test func `a write whose file is gone fails at once with the reason, and those behind it are sent`() async throws {
        let world = try OutboxWorld()
        let blob = try await world.store.storeBlob([1, 2, 3])
        let outbox = try world.outbox()
        let photo = try await outbox.enqueue(file(blob))
        try await world.store.write { try $0.discardBlob(blob.number) }
        try await world.running(outbox) {
            let behind = try await outbox.enqueue(makeNoteWrite(1, entity: "note/1", lane: .global))
            #expect(try await outbox.outcome(of: behind.id) == .accepted)
            let failed = try #require(try world.entries().first)
            #expect(failed.delivery.state == .failed && failed.delivery.attempts == 0)
            #expect(failed.delivery.lastError?.contains("cannot be read") == true)
            #expect(try world.store.read { view in try view.payload(at: row) } != nil)
            // Whoever tries it again, and the network that returns, have it tried once more, and it waits for nothing.
            try await outbox.retry(photo.id)
            try await world.waitUntil { Self.failures(photo.id, world) == 2 }
            world.network.set(.offline)
            // What is enqueued before the outbox has heard of it is sent, and waits for nothing.
            var isOffline = false
            while !isOffline {
                let write = try await outbox.enqueue(makeNoteWrite(2))
                try await world.waitUntil {
                    isOffline = outbox.status.pauses == [.offline]
                    return try isOffline || !world.entries().contains { $0.id == write.id }
                }
            }
            world.network.set(.online)
            try await world.waitUntil { Self.failures(photo.id, world) == 3 }
            let end = try await world.wait(outbox) { $0.failed == 1 && $0.pending + $0.sending == 0 }
            #expect(end.nextTryAt == nil && attemptCount(photo.id, world) == 3)
        }
        #expect(world.requests.allSatisfy { $0.path == "/api/notes" })
    }

    @Test func `a write whose file is damaged fails at once, and one the transport cannot send`() async throws {
        let world = try OutboxWorld { _ throws(TransportError) in throw .invalidRequest(reason: "too odd") }
        let blob = try await world.store.storeBlob(Array(repeating: 7, count: 300_000))
        let outbox = try world.outbox()
        let photo = try await outbox.enqueue(file(blob))
        try world.damage(.blobs)
        try await world.running(outbox) {
            let odd = try await outbox.enqueue(makeNoteWrite(1, entity: "note/1", lane: .global))
            // A status may be ahead of the commit.
            try await world.waitUntil { try world.entries().allSatisfy { $0.delivery.state == .failed } }
            #expect(attemptCount(photo.id, world) == 1 && attemptCount(odd.id, world) == 1)
            let errors = try world.entries().map { $0.delivery.lastError ?? "" }
            #expect(errors.first?.contains("cannot be read") == true && errors.last == "too odd")
        }
        // None of the damaged file has arrived.
        #expect(world.requests.map(\.path) == ["/api/notes"])
    }

    @Test func `a write that turns out to be damaged is put aside, and the others are sent, each once`() async throws {
        for isLast in [false, true] {
            let world = try OutboxWorld(.offline)
            let outbox = try world.outbox()
            let first = try await outbox.enqueue(makeNoteWrite(1, entity: "a", lane: .global))
            let second = try await outbox.enqueue(makeNoteWrite(2, entity: "b", lane: .global))
            let (damaged, whole) = isLast ? (second.id, first.id) : (first.id, second.id)
            try await world.running(outbox) {
                try await world.wait(outbox) { $0.pending == 2 && $0.pauses == [.offline] }
                try world.damageBody(isLast: isLast)
                world.network.set(.online)
                #expect(try await outbox.outcome(of: whole) == .accepted)
                let third = try await outbox.enqueue(makeNoteWrite(3, entity: "c", lane: .global))
                #expect(try await outbox.outcome(of: third.id) == .accepted)
                try await world.waitUntil {
                    try world.store.read { view in try view.outboxDelivery(damaged)?.state == .failed }
                }
                #expect(attemptCount(damaged, world) == 1)
                #expect(world.requests.map(\.key) == [whole.description, third.id.description])
            }
        }
    }

    @Test func `a write that is damaged while the outbox runs is not sent, and the others are, each once`() async throws
    {
        for isLast in [false, true] {
            let world = try OutboxWorld(.offline)
            let outbox = try world.outbox()
            let first = try await outbox.enqueue(makeNoteWrite(1, entity: "a", lane: .global))
            let second = try await outbox.enqueue(makeNoteWrite(2, entity: "b", lane: .global))
            let (damaged, whole) = isLast ? (second.id, first.id) : (first.id, second.id)
            try await world.running(outbox) {
                try await world.wait(outbox) { $0.pending == 2 && $0.pauses == [.offline] }
                try world.damageEntry(isLast: isLast)
                world.network.set(.online)
                #expect(try await outbox.outcome(of: whole) == .accepted)
                let third = try await outbox.enqueue(makeNoteWrite(3, entity: "c", lane: .global))
                #expect(try await outbox.outcome(of: third.id) == .accepted)
                #expect(world.requests.map(\.key) == [whole.description, third.id.description])
            }
            #expect(try world.store.read { view in try view.outboxDelivery(damaged) } == OutboxDelivery())
        }
    }

    @Test func `a damaged write at the end of a lane does not prevent another from having its answer`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        let whole = try await outbox.enqueue(makeNoteWrite(1, entity: "a", lane: .global))
        try await outbox.enqueue(makeNoteWrite(2, entity: "b", lane: .global))
        try world.damageEntry(isLast: true)
        try await world.running(outbox) {
            #expect(try await outbox.outcome(of: whole.id) == .accepted)
            let third = try await outbox.enqueue(makeNoteWrite(3, entity: "c", lane: .global))
            #expect(try await outbox.outcome(of: third.id) == .accepted)
        }
        #expect(world.requests.count == 2)
    }

    @Test func `a damaged write prevents nobody from dropping another, nor from enqueuing`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1, entity: "a", lane: .global))
        let other = try await outbox.enqueue(makeNoteWrite(2, entity: "b", lane: .global))
        try world.damageEntry(isLast: false)
        try await outbox.drop(other.id)
        #expect(try await outbox.outcome(of: other.id) == .removed("dropped"))
        var write = makeNoteWrite(3, entity: "c", lane: .global)
        write.deduplicationKey = "third"
        let third = try await outbox.enqueue(write)
        #expect(try await outbox.enqueue(write) == .alreadyQueued(third.id))
        let full = try world.outbox { $0.bounds = OutboxBounds(entries: 2, whenFull: .retireOldest) }
        let fourth = try await full.enqueue(makeNoteWrite(4))
        let states = try world.store.read { view in
            try [third.id, fourth.id].map { try view.outboxDelivery($0)?.state }
        }
        #expect(states == [.failed, .pending])
    }

    @Test func `credentials that cannot be had make no dead letters, whatever they throw`() async throws {
        struct ThrowingCredentials: Credentials {
            func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
                throw TransportError.invalidRequest(reason: "no token")
            }
        }
        let world = try OutboxWorld()
        let outbox = try world.outbox(credentials: ThrowingCredentials())
        let queued = try await outbox.enqueue(makeNoteWrite(1))
        try await world.running(outbox) {
            try await world.waitUntil { try world.entries().allSatisfy { $0.delivery.state == .waiting } }
        }
        let delivery = try #require(try world.entries().first { $0.id == queued.id }?.delivery)
        #expect(delivery.attempts == 0 && !delivery.isInDoubt)
    }

    @Test func `a damaged overlay does not prevent a write that loads its answer from being accepted`() async throws {
        for body in [#"{"n":2}"#, ""] {
            let world = try OutboxWorld { request in
                TransportResponse(status: .ok, body: request.method == "PUT" ? Array(body.utf8) : [])
            }
            let outbox = try world.outbox()
            let queued = try await outbox.enqueue(
                OutboxWrite(
                    "note.save", .put, "/notes/1", body: .bytes([1]), entity: "note/1",
                    effects: [RowEffect(.replacement(Array(#"{"n":1}"#.utf8)), at: row)], loadsResponse: true))
            try world.damage(.overlay)
            try await world.running(outbox) {
                let outcome = try await outbox.outcome(of: queued.id)
                #expect(outcome == .accepted)
            }
            #expect(world.requests.count { $0.method == "PUT" } == 1)
        }
    }

    @Test func `a write that may not wait says why it cannot be sent`() async throws {
        let world = try OutboxWorld()
        let blob = try await world.store.storeBlob([1])
        try await world.store.write { try $0.discardBlob(blob.number) }
        let error = await #expect(throws: OutboxError.self) { try await world.outbox().send(file(blob)) }
        guard case .transport(.invalidRequest) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
    }
}

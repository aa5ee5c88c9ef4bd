// Proves that unsent writes and points go to the server that they were made for, and to no other until the host has decided.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Writes for another server` {
    private func outboxOfOtherServer(_ world: OutboxWorld, name: String? = nil) throws -> Outbox {
        let base = BaseURL("http://127.0.0.2/api")
        return try world.outbox(configuration: {
            $0.base = base
            $0.serverIdentity = name
        })
    }

    private func mismatch(_ content: () async throws -> Void) async throws -> ServerMismatch {
        try #require(await #expect(throws: ServerMismatch.self) { try await content() })
    }

    @Test func `are neither sent nor joined by others, and the error names both`() async throws {
        let world = try OutboxWorld()
        try await world.outbox().enqueue(makeNoteWrite(1))
        let outbox = try outboxOfOtherServer(world)
        let found = try await mismatch { try await outbox.enqueue(makeNoteWrite(2)) }
        #expect(try await mismatch { try await outbox.run() } == found)
        #expect(found.content == .outbox)
        #expect(found.stored == "http://127.0.0.1/api" && found.configured == "http://127.0.0.2/api")
        #expect(outbox.status.pauses == [.otherServer(found)])
        #expect(await outbox.drain(within: .seconds(5)).pauses == [.otherServer(found)])
        #expect(
            try await mismatch { try await BufferUploader(outbox: outbox).append(Array("{}".utf8), at: 1) } == found)
        #expect(world.requests.isEmpty)
        #expect(try world.entries().count == 1)
        // The outbox that made them can still send them, and then there is nothing to decide.
        #expect(await (try world.outbox()).drain(within: .seconds(5)).pending == 0)
        try await outbox.enqueue(makeNoteWrite(2))
        #expect(await outbox.drain(within: .seconds(5)).pending == 0)
        #expect(world.requests.count == 2)
    }

    @Test func `are sent once the server is adopted`() async throws {
        let world = try OutboxWorld()
        try await world.outbox().enqueue(makeNoteWrite(1))
        let outbox = try outboxOfOtherServer(world)
        try await world.store.adopt(try await mismatch { try await outbox.run() })
        #expect(await outbox.drain(within: .seconds(5)).pending == 0)
        #expect(world.requests.count == 1)
    }

    @Test func `are sent where the host gives both one name`() async throws {
        let world = try OutboxWorld()
        try await world.outbox(configuration: { $0.serverIdentity = "notes" }).enqueue(makeNoteWrite(1))
        #expect(await (try outboxOfOtherServer(world, name: "notes")).drain(within: .seconds(5)).pending == 0)
        #expect(world.requests.count == 1)
    }

    @Test func `are not sent by an outbox under way either`() async throws {
        let world = try OutboxWorld()
        let outbox = try outboxOfOtherServer(world)
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.isRunning }
            // Another process, with another configuration, is the first to enqueue.
            try await world.outbox().enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
        }
        #expect(world.requests.isEmpty)
    }

    @Test func `may be those whose server cannot be read: they wait, and are removed on request`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1))
        try damageOwner(at: world.path)
        await #expect(throws: StoreError.self) { try await outbox.run() }
        #expect(await outbox.drain(within: .seconds(5)).pending == 1)
        await #expect(throws: StoreError.self) { try await outbox.enqueue(makeNoteWrite(2)) }
        #expect(world.requests.isEmpty)
        try await world.store.clear(discardingUnsent: true)
        try await outbox.enqueue(makeNoteWrite(2))
        #expect(await outbox.drain(within: .seconds(5)).pending == 0)
        #expect(world.requests.count == 1)
    }

    @Test func `are no dead letters where their server cannot be read any more`() async throws {
        let world = try OutboxWorld()
        let outbox = try world.outbox()
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.isRunning }
            let sent = try await outbox.enqueue(makeNoteWrite(1))
            #expect(try await outbox.outcome(of: sent.id) == .accepted)
            try damageOwner(at: world.path)
            try await world.store.write { transaction in
                try transaction.enqueue(
                    OutboxDraft(
                        id: UUIDBytes(high: 7, low: 1), lane: "lane", createdAt: 1, mutationType: "note",
                        method: "POST",
                        endpoint: "/notes", payload: []))
            }
            try await world.wait(outbox) { $0.waiting == 1 }
        }
        #expect(world.requests.count == 1)
        #expect(try world.entries().map { $0.delivery.state != .failed } == [true])
    }

    @Test func `among them points, which no uploader sends`() async throws {
        let world = try OutboxWorld()
        try await BufferUploader(outbox: world.outbox()).append(Array("{}".utf8), at: 1)
        let uploader = BufferUploader(outbox: try outboxOfOtherServer(world))
        let run = Task { await uploader.run() }
        try await world.waitUntil { world.clock.sleeperCount > 0 || !world.requests.isEmpty }
        run.cancel()
        await run.value
        #expect(world.requests.isEmpty)
        #expect(try uploader.bufferState.pointCount == 1)
    }
}

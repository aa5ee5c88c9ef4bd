// Proves that outbox and buffers share one wait per server, which outlives the process, and that failures outlive `drain`.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The wait of a server` {
    private static let server = "http://127.0.0.1"

    private func remainingWait(_ world: OutboxWorld) throws -> Int64? {
        let now = world.clock.wallMilliseconds
        return try world.store.read { view in try view.serverWait(of: Self.server, at: now)?.remaining(at: now) }
    }

    @Test func `is stored with the answer, and respected by the next outbox whatever the network does`() async throws {
        let world = try OutboxWorld { _ in
            TransportResponse(status: .tooManyRequests, headers: [.retryAfter: "60"])
        }
        let first = try world.outbox { $0.concurrentSends = 1 }
        for number in 1...5 { _ = try await first.enqueue(makeNoteWrite(number, entity: "\(number)")) }
        try await world.running(first) { try await world.wait(first) { $0.waiting == 1 } }
        #expect(try remainingWait(world) == 60_000 && world.requests.count == 1)
        world.answer { _ in TransportResponse(status: .ok) }
        let second = try world.outbox()
        try await world.running(second) {
            try await world.wait(second) { $0.isRunning && $0.pending == 4 }
            world.network.set(.offline)
            try await world.wait(second) { $0.pauses.contains(.offline) }
            world.network.set(.online)
            try await world.wait(second) { !$0.pauses.contains(.offline) }
            #expect(world.requests.count == 1)
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(60))
            try await world.wait(second) { $0.unsent == 0 }
        }
    }

    @Test func `that sync was given holds back writes and points`() async throws {
        let world = try OutboxWorld()
        let now = world.clock.wallMilliseconds
        let outbox = try world.outbox()
        let uploader = BufferUploader(outbox: outbox)
        let upload = Task { await uploader.run() }
        defer { upload.cancel() }
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.isRunning }
            try await world.store.write {
                try $0.setServerWait(of: Self.server, milliseconds: 60_000, at: now)
            }
            _ = try await outbox.enqueue(makeNoteWrite(1))
            try await uploader.append(Array("{}".utf8), at: 1)
            let status = try await world.wait(outbox) { !$0.pauses.isEmpty || !world.requests.isEmpty }
            try #require(status.pauses == [.serverWait(until: now + 60_000)])
            await world.clock.sleepers(atLeast: 2)
            #expect(world.requests.isEmpty)
            // Points wait for up to a fifth longer, so that clients do not return together.
            world.clock.advance(by: .seconds(72))
            try await world.wait(outbox) { $0.unsent == 0 }
            for try await _ in world.store.values(in: .buffers, { _ in () }) {
                if try uploader.bufferState.pointCount == 0 { break }
            }
        }
        upload.cancel()
        await upload.value
        #expect(world.requests.count == 2)
    }

    @Test func `that points were answered with holds back writes`() async throws {
        let world = try OutboxWorld { _ in
            TransportResponse(status: .tooManyRequests, headers: [.retryAfter: "60"])
        }
        let outbox = try world.outbox()
        let uploader = BufferUploader(outbox: outbox)
        let upload = Task { await uploader.run() }
        try await uploader.append(Array("{}".utf8), at: 1)
        try await world.waitUntil { try remainingWait(world) != nil }
        try await world.running(outbox) {
            _ = try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.pauses.contains { if case .serverWait = $0 { true } else { false } } }
            #expect(world.requests.count == 1)
        }
        upload.cancel()
        await upload.value
    }

    @Test func `that was recorded before the clock jumped back keeps no later run from sending`() async throws {
        let world = try OutboxWorld { _ in
            TransportResponse(status: .tooManyRequests, headers: [.retryAfter: "3600"])
        }
        let outbox = try world.outbox()
        try await outbox.enqueue(makeNoteWrite(1))
        #expect(await outbox.drain(within: .seconds(20)).unsent == 1)
        #expect(try remainingWait(world) == 3_600_000)
        world.clock.setWallClock(toMilliseconds: world.clock.wallMilliseconds - 86_400_000)
        world.answer { _ in TransportResponse(status: .ok) }
        #expect(await outbox.drain(within: .seconds(20)).unsent == 0)
        #expect(world.requests.count == 2)
    }

    @Test func `is recorded and respected by a write that may not wait`() async throws {
        let world = try OutboxWorld { _ in
            TransportResponse(status: .tooManyRequests, headers: [.retryAfter: "60"])
        }
        let outbox = try world.outbox()
        let refused = await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(1)) }
        guard case .refused = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(try remainingWait(world) == 60_000)
        let held = await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(2)) }
        guard case .offline = held else {
            Issue.record("\(String(describing: held))")
            return
        }
        #expect(world.requests.count == 1)
    }

    @Test func `and an outage are outlived by a host that only calls drain`() async throws {
        let world = try OutboxWorld { _ in TransportResponse(status: .serviceUnavailable) }
        let outbox = try world.outbox { $0.mostAttempts = 1 }
        let id = try await outbox.enqueue(makeNoteWrite(1)).id
        #expect(await outbox.drain(within: .seconds(20)).failed == 1)
        #expect(await outbox.drain(within: .seconds(20)).failed == 1)
        #expect(world.requests.count == 2)
        world.answer { _ in TransportResponse(status: .ok) }
        #expect(await outbox.drain(within: .seconds(20)).failed == 0)
        #expect(try await outbox.outcome(of: id) == .accepted)
    }
}

// Proves that buffered locations are sent in batches, retried byte for byte, and bounded.

import Foundation
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A buffer of locations` {
    private func point(_ number: Int) throws -> LocationPoint {
        try #require(
            LocationPoint(
                id: UUIDBytes(high: 3, low: UInt64(number)), latitude: Double(number) / 100, longitude: 1, accuracy: 5,
                timestamp: Int64(number) * 1000))
    }

    /// The ids of the points in a request.
    private func ids(_ request: OutboxWorld.Request) throws -> [UInt64] {
        let object = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let points = try #require(object?["locations"] as? [[String: Any]])
        return try points.map { point in
            try #require((point["id"] as? String).flatMap { UUIDBytes($0) }).low
        }
    }

    /// Runs the uploader beside `body`.
    private func running(_ uploader: BufferUploader, _ body: () async throws -> Void) async throws {
        let run = Task { await uploader.run() }
        defer { run.cancel() }
        try await body()
        run.cancel()
        await run.value
    }

    /// Waits until the account's ring is as wanted.
    private func wait(
        _ world: OutboxWorld, _ uploader: BufferUploader, until isWanted: @Sendable (BufferState) -> Bool
    ) async throws {
        for try await _ in world.store.values(in: .buffers, { _ in () }) {
            if isWanted(try uploader.bufferState) { return }
        }
    }

    @Test func `is sent at once when online, fifty in one request under one key [§4.4.3] [§4.5.2]`() async throws {
        let world = try OutboxWorld(.offline)
        let uploader = BufferUploader(outbox: try world.outbox())
        try await running(uploader) {
            for number in 1...60 { try await uploader.append(try point(number)) }
            #expect(world.requests.isEmpty)
            world.network.set(.online)
            try await wait(world, uploader) { $0.pointCount == 0 }
            #expect(world.requests.map(\.method) == ["POST", "POST"])
            #expect(world.requests.map(\.path) == Array(repeating: "/api/app/v1/locations/batch", count: 2))
            #expect(try world.requests.map(ids) == [Array(1...50), Array(51...60)])
            #expect(Set(world.requests.compactMap(\.key)).count == 2)
            #expect(world.requests.allSatisfy { $0.fields[.contentType] == "application/json" })
            try await uploader.append(try point(61))
            try await wait(world, uploader) { $0.pointCount == 0 }
            #expect(try ids(world.requests[2]) == [61])
        }
    }

    @Test func `keeps the newest thousand while there is no network, and says how many went [§4.4.1]`() async throws {
        let world = try OutboxWorld(.offline)
        var policy = BufferPolicy.locations
        policy.limit = 5
        let uploader = BufferUploader(outbox: try world.outbox(), policy: policy)
        for number in 1...8 { try await uploader.append(try point(number)) }
        let state = try uploader.bufferState
        #expect(state.pointCount == 5 && state.dropped == 3)
        world.network.set(.online)
        try await running(uploader) {
            try await wait(world, uploader) { $0.pointCount == 0 }
            #expect(try world.requests.map(ids) == [[4, 5, 6, 7, 8]])
        }
    }

    @Test func `that could not be read is read again after a while`() async throws {
        let world = try OutboxWorld(.online)
        let uploader = BufferUploader(outbox: try world.outbox())
        try await uploader.append(try point(1))
        try world.damage(.buffers) { _ in 0 }
        try await running(uploader) {
            await world.clock.sleepers(atLeast: 1)
            #expect(world.requests.isEmpty)
            try world.damage(.buffers) { _ in 0 }
            world.clock.advance(by: .seconds(300))
            try await wait(world, uploader) { $0.pointCount == 0 }
            #expect(try world.requests.map(ids) == [[1]])
        }
    }

    @Test func `sends what was not answered again, byte by byte, by another process too`() async throws {
        let world = try OutboxWorld { _ throws(TransportError) in throw .connectionLost(reason: "gone") }
        let first = BufferUploader(outbox: try world.outbox())
        for number in 1...3 { try await first.append(try point(number)) }
        try await running(first) {
            try await wait(world, first) { $0.upload.failures == 1 }
        }
        for number in 4...6 { try await first.append(try point(number)) }
        world.answer { _ in TransportResponse(status: .ok) }
        world.clock.advance(by: .seconds(2))
        let second = BufferUploader(outbox: try world.outbox())
        try await running(second) {
            try await wait(world, second) { $0.pointCount == 0 }
        }
        let requests = world.requests
        #expect(requests.count == 3)
        #expect(requests[0].key == requests[1].key && requests[0].body == requests[1].body)
        #expect(requests[2].key != requests[0].key)
        #expect(try ids(requests[2]) == [4, 5, 6])
    }

    @Test func `is sent as nobody but who was there`() async throws {
        let world = try OutboxWorld(.offline)
        let outbox = try world.outbox(account: "ada")
        let uploader = BufferUploader(outbox: outbox)
        try await uploader.append(try point(1))
        outbox.signedOut()
        await #expect(throws: OutboxError.self) { try await uploader.append(try point(2)) }
        world.network.set(.online)
        try await running(uploader) {
            outbox.signedIn(as: "bob")
            try await uploader.append(try point(3))
            try await wait(world, uploader) { $0.pointCount == 0 }
            #expect(try world.requests.map(ids) == [[3]])
            outbox.signedIn(as: "ada")
            try await wait(world, uploader) { $0.pointCount == 0 && $0.nextSequence == 2 }
            #expect(try world.requests.map(ids) == [[3], [1]])
        }
    }

    @Test func `leaves no finding behind`() async throws {
        let world = try OutboxWorld()
        let uploader = BufferUploader(outbox: try world.outbox())
        try await running(uploader) {
            for number in 1...5 { try await uploader.append(try point(number)) }
            try await wait(world, uploader) { $0.pointCount == 0 }
        }
        let findings = Mutex(0)
        _ = try world.store.verify { _ in findings.withLock { $0 += 1 } }
        #expect(findings.withLock { $0 } == 0)
    }
}

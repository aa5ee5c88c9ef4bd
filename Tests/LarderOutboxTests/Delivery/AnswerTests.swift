// Proves that portals, truncated responses, Retry-After, 409 and file responses are handled correctly.

import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Answers` {
    @Test func `of a captive portal are not the server's: nothing is rejected, no attempt is spent [§4.5.5]`()
        async throws
    {
        let world = try OutboxWorld { _ in
            TransportResponse(status: .found, headers: [.location: "http://portal.test/login"])
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            for seconds in [1, 2, 4, 8, 16, 32, 60] {
                try await world.wait(outbox) { $0.waiting == 1 }
                await world.clock.sleepers(atLeast: 1)
                world.clock.advance(by: .seconds(seconds))
                let sent = world.requests.count
                try await world.waitUntil { world.requests.count > sent }
            }
            try await world.wait(outbox) { $0.waiting == 1 }
            #expect(try world.entries().first?.delivery.attempts == 0)
            world.answer { _ in TransportResponse(status: .ok) }
            try await outbox.retry(queued.id)
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
    }

    @Test func `of success that break off are no success, and the key makes up for it`() async throws {
        let isFirst = Countdown(1)
        let world = try OutboxWorld { _ in
            guard isFirst.decrement() else { return TransportResponse(status: .ok) }
            let body = TransportBody(next: { () throws(TransportError) in throw .connectionLost(reason: "cut") })
            return TransportResponse(head: HTTPResponse(status: .ok), body: body)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            #expect(try world.entries().first?.delivery.isInDoubt == true)
            try await outbox.retry(queued.id)
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
    }

    @Test func `that request a wait get it, also when the network returns meanwhile`() async throws {
        let isFirst = Countdown(1)
        let world = try OutboxWorld { _ in
            isFirst.decrement()
                ? TransportResponse(status: .tooManyRequests, headers: [.retryAfter: "120"])
                : TransportResponse(status: .ok)
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            let waiting = try await world.wait(outbox) { $0.waiting == 1 }
            #expect(waiting.nextTryAt == world.clock.wallMilliseconds + 120_000)
            world.network.set(.offline)
            try await world.wait(outbox) { $0.pauses.contains(.offline) }
            world.network.set(.online)
            try await world.wait(outbox) { !$0.pauses.contains(.offline) }
            #expect(world.requests.count == 1)
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(120))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
    }

    @Test func `with 409 mean the same as success when marked, and wait when the first is not over [§4.3.3] [§4.5.4]`()
        async throws
    {
        let isFirst = Countdown(1)
        let world = try OutboxWorld { _ in
            isFirst.decrement()
                ? TransportResponse(
                    status: .conflict, headers: [.contentType: "application/problem+json"],
                    body: Array("{\"type\":\"urn:larder:problem:idempotency:in-progress\"}".utf8))
                : TransportResponse(status: .conflict, headers: [OutboxConfiguration.standardReplayField: "true"])
        }
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(makeNoteWrite(1))
            try await world.wait(outbox) { $0.waiting == 1 }
            try await outbox.retry(queued.id)
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
    }

    @Test func `to a file come after it was streamed out of its blob, piece by piece`() async throws {
        let world = try OutboxWorld()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let blob = try await world.store.storeBlob(content)
        let outbox = try world.outbox()
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(
                OutboxWrite("file", .put, "/files/1", body: .blob(blob), fields: [.contentType: "image/jpeg"]))
            #expect(try await outbox.outcome(of: queued.id) == .accepted)
        }
        #expect(world.requests.map(\.body) == [content])
        #expect(try world.store.blob(blob.number) == nil)
    }
}

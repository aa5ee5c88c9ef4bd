// Proves that a body gives its chunks once, within its limit, and is cancelled once; and which errors are worth a retry.

import HTTPTypes
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A body` {
    @Test func `gives its chunks once, and no empty one`() async throws {
        let body = TransportBody(chunks: [[], [1, 2], [], [3], []])
        var chunks: [[UInt8]] = []
        for try await chunk in body { chunks.append(chunk) }
        #expect(chunks == [[1, 2], [3]])
        for try await _ in body { Issue.record("a second pass gave a chunk") }
    }

    @Test func `goes on where an earlier iterator stopped`() async throws {
        let body = TransportBody(chunks: [[1], [2], [3]])
        #expect(try await body.makeAsyncIterator().next() == [1])
        #expect(try await body.collect(upTo: 2) == [2, 3])
    }

    @Test(arguments: [0, 1, 3, 4])
    func `is collected up to the limit and not one byte beyond`(limit: Int) async throws {
        let body = TransportBody(chunks: [[1], [2, 3], [4]])
        if limit >= 4 {
            #expect(try await body.collect(upTo: limit) == [1, 2, 3, 4])
        } else {
            #expect(await outcome { _ = try await body.collect(upTo: limit) } == .bodyTooLarge(limit: limit))
            #expect(try await body.collect(upTo: 100) == [])
        }
    }

    @Test func `throws once and is over`() async throws {
        let body = TransportBody(next: { () throws(TransportError) in throw .connectionRefused })
        #expect(await outcome { _ = try await body.collect(upTo: 1) } == .connectionRefused)
        #expect(try await body.collect(upTo: 1) == [])
    }

    @Test func `cancels once when it is dropped before its end`() async throws {
        let cancelled = Signal()
        do {
            let body = TransportBody(next: { [1] }, cancel: { cancelled.fire() })
            let copy = body
            #expect(try await copy.makeAsyncIterator().next() == [1])
            #expect(cancelled.count == 0)
            withExtendedLifetime(body) {}
        }
        #expect(cancelled.count == 1)
    }

    @Test func `does not cancel when it was read to its end or failed`() async throws {
        let cancelled = Signal()
        do {
            let body = TransportBody(next: { nil }, cancel: { cancelled.fire() })
            #expect(try await body.collect(upTo: 0) == [])
            let broken = TransportBody(
                next: { () throws(TransportError) in throw .connectionRefused }, cancel: { cancelled.fire() })
            #expect(await outcome { _ = try await broken.collect(upTo: 0) } == .connectionRefused)
        }
        #expect(cancelled.count == 0)
    }
}

@Suite struct `A transport error` {
    @Test func `is worth a retry unless it must happen again`() {
        let final: [TransportError] = [.cancelled, .invalidRequest(reason: "x"), .bodyTooLarge(limit: 1)]
        let passing: [TransportError] = [
            .timeout(.connect), .timeout(.head), .timeout(.idle), .connectionRefused, .noConnection(reason: "x"),
            .connectionLost(reason: "x"), .tls(reason: "x"), .other(reason: "x"),
        ]
        #expect(final.allSatisfy { !$0.isRetryable })
        #expect(passing.allSatisfy { $0.isRetryable })
        #expect(Set((final + passing).map(\.description)).count == final.count + passing.count)
    }
}

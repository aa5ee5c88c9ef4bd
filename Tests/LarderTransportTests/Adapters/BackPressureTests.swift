// Proves that a slow reader holds the server back, or fails at the unread limit.

import HTTPTypes
import LarderAsyncHTTPClient
import LarderTesting
import LarderTransport
import LarderURLSession
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A reader slower than the server` {
    private static let size = 64 << 20

    /// Writes 64 MiB of a body that may be longer, counts what the socket accepts, and says when it accepts no more.
    private func hugeServer(accepted: Shared<Int>, stalled: Signal, length: Int = Self.size) throws -> RawServer {
        try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 16 << 10)
            for _ in 0..<(Self.size / piece.count) {
                if !connection.isWritable(within: 500) { stalled.fire() }
                guard connection.send(piece) else { break }
                accepted.withLock { $0 += piece.count }
            }
            stalled.fire()
            server.waitForDisconnect(on: connection)
        }
    }

    #if AsyncHTTPClient
    @Test func `holds the server back, and then gets every byte`() async throws {
        let accepted = Shared(0)
        let stalled = Signal()
        let server = try hugeServer(accepted: accepted, stalled: stalled)
        let transport = AsyncHTTPClientTransport()
        let answer = try await transport.send(server.request(), timeouts: patient)
        let iterator = answer.body.makeAsyncIterator()
        var count = try #require(try await iterator.next()).count
        await stalled.wait()
        // What the kernel holds for both ends, and a chunk; a quarter of the body is far above both.
        let held = accepted.withLock { $0 }
        #expect(held < Self.size / 4, "\(held) bytes left the server")
        while let chunk = try await iterator.next() { count += chunk.count }
        #expect(count == Self.size)
        await transport.shutdown()
    }

    @Test func `occupies the only connection, and so the next request waits to connect`() async throws {
        let server = try hugeServer(accepted: Shared(0), stalled: Signal())
        let clock = VirtualClock()
        let transport = AsyncHTTPClientTransport(connectionsPerHost: 1, clock: clock)
        let answer = try await transport.send(server.request(), timeouts: patient)
        let second = server.request(.get, "/second")
        async let outcome = outcome { _ = try await transport.send(second, timeouts: TransportTimeouts()) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(2))
        #expect(await outcome == .timeout(.connect))
        #expect(server.received.count == 1)
        withExtendedLifetime(answer) {}
        await transport.shutdown()
    }

    @Test func `fails when the transport shuts down`() async throws {
        let server = try hugeServer(accepted: Shared(0), stalled: Signal())
        let transport = AsyncHTTPClientTransport()
        let answer = try await transport.send(server.request(), timeouts: patient)
        await transport.shutdown()
        await transport.shutdown()
        let request = server.request()
        #expect(await outcome { _ = try await answer.body.collect(upTo: Self.size) } == .cancelled)
        #expect(await outcome { _ = try await transport.send(request, timeouts: patient) } == .cancelled)
    }
    #endif

    @Test func `fails at the unread limit where the server cannot be held back`() async throws {
        // Never whole, so that the connection closes because the exchange was given up and for no other reason.
        let server = try hugeServer(accepted: Shared(0), stalled: Signal(), length: Self.size + 1)
        let transport = URLSessionTransport(unreadLimit: 1 << 20)
        let answer = try await transport.send(server.request(), timeouts: patient)
        await server.clientLeft.wait()
        #expect(await outcome { _ = try await answer.body.collect(upTo: Self.size) } == .bodyTooLarge(limit: 1 << 20))
    }
}

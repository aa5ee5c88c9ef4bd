// Proves that every adapter reports each failure of an exchange as the right error, without resending.

import HTTPTypes
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A failing exchange` {
    @Test(arguments: Adapter.allCases)
    func `names a refused connection`(adapter: Adapter) async throws {
        let port = try RawServer.unusedPort()
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
        await #expect(throws: TransportError.connectionRefused) {
            _ = try await adapter.transport().send(request, timeouts: patient)
        }
    }

    @Test(
        arguments: Adapter.allCases, ["@evil.test/", ".evil.test/", "", "/a b", "/a\r\nX: y", "/%zz", "/a/../b", "/#x"])
    func `is refused before anything is sent when its path could mislead`(adapter: Adapter, path: String) async throws {
        let server = try RawServer { _ in response() }
        let error = await #expect(throws: TransportError.self) {
            _ = try await adapter.transport().send(server.request(.get, path), timeouts: patient)
        }
        guard case .invalidRequest = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(server.received.count == 0)
    }

    @Test(arguments: Adapter.allCases)
    func `times out when the head does not come`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            server.waitForDisconnect(on: connection)
        }
        let clock = VirtualClock()
        let transport = adapter.transport(clock: clock)
        let request = server.request()
        let limits = TransportTimeouts(connect: .seconds(100), head: .seconds(10), idle: .seconds(1))
        async let outcome = outcome { _ = try await transport.send(request, timeouts: limits) }
        await server.received.wait()
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .milliseconds(9_999))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .milliseconds(1))
        #expect(await outcome == .timeout(.head))
        await server.clientLeft.wait()
    }

    @Test(arguments: Adapter.allCases)
    func `times out when the body stops, but only while somebody waits for it`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
            server.waitForDisconnect(on: connection)
        }
        let clock = VirtualClock()
        let answer = try await adapter.transport(clock: clock).send(server.request(), timeouts: patient)
        clock.advance(by: .seconds(3600))
        let iterator = answer.body.makeAsyncIterator()
        #expect(try await iterator.next() == Array("first".utf8))
        clock.advance(by: .seconds(3600))
        async let outcome = outcome { _ = try await iterator.next() }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(60))
        #expect(await outcome == .timeout(.idle))
        #expect(try await iterator.next() == nil)
        await server.clientLeft.wait()
    }

    @Test(arguments: Adapter.allCases)
    func `gives what arrived and then names the reset`(adapter: Adapter) async throws {
        let mayReset = Signal()
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
            Task {
                await mayReset.wait()
                connection.reset()
            }
        }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        let iterator = answer.body.makeAsyncIterator()
        #expect(try await iterator.next() == Array("first".utf8))
        mayReset.fire()
        let error = await outcome { _ = try await iterator.next() }
        #expect(error?.isConnectionLost == true, "\(String(describing: error))")
    }

    @Test(arguments: Adapter.allCases)
    func `does not accept as whole a body that is shorter than announced`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
            connection.finish()
        }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        let error = await outcome { _ = try await answer.body.collect(upTo: 1000) }
        #expect(error?.isConnectionLost == true, "\(String(describing: error))")
    }

    @Test(arguments: Adapter.allCases)
    func `does not accept as whole a chunked body that lacks its end`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
            connection.finish()
        }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        let error = await outcome { _ = try await answer.body.collect(upTo: 1000) }
        #expect(error?.isConnectionLost == true, "\(String(describing: error))")
    }

    @Test(arguments: Adapter.allCases)
    func `names a connection that closes without an answer, and does not send again`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.finish()
        }
        let transport = adapter.transport()
        let request = server.request(.post)
        let error = await outcome { _ = try await transport.send(request, body: [1], timeouts: patient) }
        #expect(error?.isConnectionLost == true, "\(String(describing: error))")
        #expect(server.received.count == 1)
    }

    #if AsyncHTTPClient
    @Test func `is not repeated when a reused connection dies under it`() async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send(response(body: "x"))
            _ = server.next(on: connection)
            connection.finish()
        }
        let transport = Adapter.asyncHTTPClient.transport()
        let request = server.request()
        #expect(try await transport.send(request, timeouts: patient).body.collect(upTo: 1) == Array("x".utf8))
        let error = await outcome { _ = try await transport.send(request, timeouts: patient) }
        #expect(error?.isConnectionLost == true, "\(String(describing: error))")
        #expect(server.received.count == 2)
    }
    #endif

    @Test(arguments: Adapter.allCases)
    func `names a server that does not speak TLS`(adapter: Adapter) async throws {
        let server = try RawServer { _, connection in
            connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.readToEnd()
        }
        let transport = adapter.transport()
        var request = server.request()
        request.scheme = "https"
        let error = await outcome { [request] in _ = try await transport.send(request, timeouts: patient) }
        guard case .tls = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test(arguments: Adapter.allCases)
    func `is an error when the answer is not HTTP`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("220 mail.test ready\r\n\r\n")
            connection.finish()
        }
        let transport = adapter.transport()
        let request = server.request()
        let error = await outcome { _ = try await transport.send(request, timeouts: patient) }
        #expect(error?.isRetryable == true, "\(String(describing: error))")
    }
}

/// The error that `body` throws, if it throws one.
func outcome(of body: @Sendable () async throws -> Void) async -> TransportError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TransportError
    }
}

extension TransportError {
    var isConnectionLost: Bool {
        if case .connectionLost = self { true } else { false }
    }
}

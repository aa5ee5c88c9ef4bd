// Proves that cancelling a task or dropping a body ends the exchange and its connection.

import HTTPTypes
import LarderTesting
import LarderTransport
import LarderURLSession
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Ending an exchange` {
    /// A server that never answers the first request, or stops within its body.
    private func stallingServer(head: String) throws -> RawServer {
        try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send(head)
            server.waitForDisconnect(on: connection)
        }
    }

    @Test(arguments: Adapter.allCases)
    func `by cancelling the task ends the wait for the head and the connection`(adapter: Adapter) async throws {
        let server = try stallingServer(head: "")
        let transport = adapter.transport()
        let request = server.request()
        let task = Task { await outcome { _ = try await transport.send(request, timeouts: patient) } }
        await server.received.wait()
        task.cancel()
        #expect(await task.value == .cancelled)
        await server.clientLeft.wait()
    }

    @Test(arguments: Adapter.allCases)
    func `by cancelling the task ends the wait for the body and the connection`(adapter: Adapter) async throws {
        let server = try stallingServer(head: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
        let transport = adapter.transport()
        let answer = try await transport.send(server.request(), timeouts: patient)
        let task = Task { await outcome { _ = try await answer.body.collect(upTo: 100) } }
        task.cancel()
        #expect(await task.value == .cancelled)
        await server.clientLeft.wait()
    }

    @Test(arguments: Adapter.allCases)
    func `before the start sends nothing`(adapter: Adapter) async throws {
        let server = try stallingServer(head: "")
        let transport = adapter.transport()
        let request = server.request()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await outcome { _ = try await transport.send(request, timeouts: patient) }
        }
        #expect(await task.value == .cancelled)
        #expect(server.received.count == 0)
    }

    @Test(arguments: Adapter.allCases)
    func `by dropping the body unread closes the connection`(adapter: Adapter) async throws {
        let server = try stallingServer(head: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
        let transport = adapter.transport()
        var answer: TransportResponse? = try await transport.send(server.request(), timeouts: patient)
        #expect(answer?.head.status == .ok)
        answer = nil
        await server.clientLeft.wait()
    }

    @Test(arguments: Adapter.allCases)
    func `over a body beyond the limit closes the connection`(adapter: Adapter) async throws {
        let server = try stallingServer(head: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst")
        let transport = adapter.transport()
        let answer = try await transport.send(server.request(), timeouts: patient)
        #expect(await outcome { _ = try await answer.body.collect(upTo: 4) } == .bodyTooLarge(limit: 4))
        await server.clientLeft.wait()
    }

    @Test(arguments: Adapter.allCases)
    func `on the transport leaves a body that is being read alone`(adapter: Adapter) async throws {
        let mayFinish = Signal()
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            Task {
                await mayFinish.wait()
                connection.send("later")
            }
        }
        var transport: (any Transport)? = adapter.transport()
        let answer = try #require(try await transport?.send(server.request(), timeouts: patient))
        transport = nil
        mayFinish.fire()
        #expect(try await answer.body.collect(upTo: 10) == Array("firstlater".utf8))
    }
}

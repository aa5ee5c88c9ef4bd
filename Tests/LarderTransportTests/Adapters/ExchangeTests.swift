// Proves that every adapter sends requests and delivers responses unchanged.

import HTTPTypes
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Every adapter` {
    @Test(arguments: Adapter.allCases)
    func `sends path, query, fields and body as they are`(adapter: Adapter) async throws {
        let server = try RawServer { _ in response(body: "welcome") }
        let path = "/content/a%2Fb;c=1,2/d:e@f!$&'()*+~?q=tafsirs:*;translations:1,19&r=%C3%A9%2C?/"
        let answer = try await adapter.transport().send(
            server.request(.post, path, headers: [.authorization: "Bearer x", .contentType: "text/plain"]),
            body: Array("a body".utf8), timeouts: patient)
        let body = try await answer.body.collect(upTo: 100)
        #expect(answer.head.status == .ok)
        #expect(String(decoding: body, as: UTF8.self) == "welcome")
        let request = try #require(server.requests.first)
        #expect(request.line == "POST \(path) HTTP/1.1")
        #expect(request.fields["host"] == "127.0.0.1:\(server.port)")
        #expect(request.fields["authorization"] == "Bearer x")
        #expect(request.fields["content-type"] == "text/plain")
        #expect(String(decoding: request.body, as: UTF8.self) == "a body")
    }

    @Test(arguments: Adapter.allCases)
    func `gives the status and the fields of the response`(adapter: Adapter) async throws {
        let server = try RawServer { _ in
            response("503 Service Unavailable", fields: ["Retry-After: 7", "ETag: \"a\"", "x-odd: b"], body: "busy")
        }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(answer.head.status == .serviceUnavailable)
        #expect(answer.head.headerFields[.retryAfter] == "7")
        #expect(answer.head.headerFields[.eTag] == "\"a\"")
        #expect(answer.head.headerFields[try #require(HTTPField.Name("X-Odd"))] == "b")
        #expect(try await answer.body.collect(upTo: 4) == Array("busy".utf8))
    }

    @Test(arguments: Adapter.allCases, ["204 No Content", "304 Not Modified"])
    func `ends the body of a response that has none`(adapter: Adapter, status: String) async throws {
        let server = try RawServer { _ in Array("HTTP/1.1 \(status)\r\nETag: \"a\"\r\n\r\n".utf8) }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(answer.head.status.code == Int(status.prefix(3)))
        #expect(try await answer.body.collect(upTo: 0) == [])
    }

    @Test(arguments: Adapter.allCases)
    func `ends the body of a HEAD request at once, whatever length is announced`(adapter: Adapter) async throws {
        let server = try RawServer { _ in Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8) }
        let answer = try await adapter.transport().send(server.request(.head), timeouts: patient)
        #expect(answer.head.headerFields[.contentLength] == "1000")
        #expect(try await answer.body.collect(upTo: 0) == [])
    }

    @Test(arguments: Adapter.allCases)
    func `hands back a redirect and does not follow it`(adapter: Adapter) async throws {
        let server = try RawServer { _ in response("302 Found", fields: ["Location: /elsewhere"], body: "moved") }
        let answer = try await adapter.transport().send(
            server.request(headers: [.authorization: "Bearer x"]), timeouts: patient)
        #expect(answer.head.status == .found)
        #expect(answer.head.headerFields[.location] == "/elsewhere")
        #expect(try await answer.body.collect(upTo: 100) == Array("moved".utf8))
        #expect(server.received.count == 1)
    }

    @Test(arguments: Adapter.allCases)
    func `stores neither cookies nor responses`(adapter: Adapter) async throws {
        let server = try RawServer { _ in
            response(fields: ["Set-Cookie: a=b; Path=/", "Cache-Control: max-age=1000", "ETag: \"a\""], body: "x")
        }
        let transport = adapter.transport()
        for _ in 0..<3 {
            let answer = try await transport.send(server.request(), timeouts: patient)
            _ = try await answer.body.collect(upTo: 1)
        }
        let requests = server.requests
        #expect(requests.count == 3)
        #expect(requests.allSatisfy { $0.fields["cookie"] == nil && $0.fields["if-none-match"] == nil })
    }

    @Test(arguments: Adapter.allCases)
    func `puts a body together that arrives byte by byte`(adapter: Adapter) async throws {
        let text = "streamed in very small pieces"
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for byte in text.utf8 { connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
            connection.send("0\r\n\r\n")
            server.waitForDisconnect(on: connection)
        }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        var whole: [UInt8] = []
        for try await chunk in answer.body {
            #expect(!chunk.isEmpty)
            whole += chunk
        }
        #expect(String(decoding: whole, as: UTF8.self) == text)
    }

    @Test(arguments: Adapter.allCases)
    func `reads a body that ends with its connection`(adapter: Adapter) async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end")
            connection.finish()
        }
        let answer = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(try await answer.body.collect(upTo: 100) == Array("until the end".utf8))
    }

    @Test(arguments: Adapter.allCases)
    func `carries a hundred exchanges at once and mixes none up`(adapter: Adapter) async throws {
        let server = try RawServer { response(body: String(repeating: "\($0.path);", count: 1000)) }
        let transport = adapter.transport()
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let answer = try await transport.send(server.request(.get, "/\(number)"), timeouts: patient)
                    let body = try await answer.body.collect(upTo: 1 << 20)
                    #expect(String(decoding: body, as: UTF8.self) == String(repeating: "/\(number);", count: 1000))
                }
            }
            try await group.waitForAll()
        }
        #expect(server.received.count == 100)
    }
}

// Proves that field values arrive byte for byte, or are refused.

#if AsyncHTTPClient
import HTTPTypes
import LarderAsyncHTTPClient
import LarderTransport
import Testing

/// The value of a field, byte for byte.
private func bytes(_ name: String, _ head: HTTPResponse) throws -> [UInt8] {
    let field = try #require(head.headerFields.first { $0.name.canonicalName == name })
    return unsafe field.withUnsafeBytesOfValue { unsafe [UInt8]($0) }
}

@Suite(.timeLimit(.minutes(5))) struct `The bytes of a field value` {
    private static let latin: [UInt8] = [0x63, 0xE9, 0x80, 0xFF, 0xF4, 0x8F, 0xBE, 0x80]

    private static func head(_ status: String, _ value: [UInt8], length: Int) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nX-Value: ".utf8) + value + Array("\r\nContent-Length: \(length)\r\n\r\n".utf8)
    }

    @Test func `arrive as they were sent, in every answer of a connection, and so do those of the body`() async throws {
        let server = try RawServer { _ in Self.head("200 OK", Self.latin, length: 8) + Self.latin }
        let transport = AsyncHTTPClientTransport()
        for _ in 0..<3 {
            let answer = try await transport.send(server.request(), timeouts: patient)
            #expect(try bytes("x-value", answer.head) == Self.latin)
            #expect(try await answer.body.collect(upTo: 8) == Self.latin)
        }
    }

    @Test func `arrive when the head comes byte by byte, and behind interim answers`() async throws {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            var all = Array("HTTP/1.1 103 Early Hints\r\nX-Value: ".utf8) + [0xE9] + Array("\r\n\r\n".utf8)
            all += Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            all += Self.head("200 Tr\u{E9}s bien", Self.latin, length: 2) + [0xC3, 0xA9]
            for byte in all { connection.send([byte]) }
            server.waitForDisconnect(on: connection)
        }
        let answer = try await AsyncHTTPClientTransport().send(server.request(), timeouts: patient)
        #expect(answer.head.status.code == 200)
        #expect(try bytes("x-value", answer.head) == Self.latin)
        #expect(try await answer.body.collect(upTo: 2) == [0xC3, 0xA9])
    }

    @Test func `arrive behind an answer without a body, and behind one in chunks`() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/none": Array("HTTP/1.1 304 Not Modified\r\nX-Value: ".utf8) + Self.latin + Array("\r\n\r\n".utf8)
            case "/chunks":
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n".utf8) + [0xE9, 0x0A]
                    + Array("\r\n0\r\n\r\n".utf8)
            default: Self.head("200 OK", Self.latin, length: 0)
            }
        }
        let transport = AsyncHTTPClientTransport(connectionsPerHost: 1)
        for path in ["/none", "/", "/chunks", "/", "/none"] {
            let answer = try await transport.send(server.request(.get, path), timeouts: patient)
            if path != "/chunks" { #expect(try bytes("x-value", answer.head) == Self.latin) }
            #expect(try await answer.body.collect(upTo: 2) == (path == "/chunks" ? [0xE9, 0x0A] : []))
        }
    }

    @Test func `that are not UTF-8 are refused where HTTP 2 might be spoken`() async throws {
        let name = try #require(HTTPField.Name("X-Value"))
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "127.0.0.1:1", path: "/",
            headerFields: HTTPFields([HTTPField(name: name, value: Self.latin)]))
        let error = await #expect(throws: TransportError.self) {
            _ = try await AsyncHTTPClientTransport().send(request, timeouts: patient)
        }
        if case .invalidRequest? = error {} else { Issue.record("\(String(describing: error))") }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A transparent transport` {
    @Test func `requests no coding, and hands out a coded body as it came`() async throws {
        let server = try RawServer { _ in response(fields: ["Content-Encoding: gzip"], body: "coded") }
        let transport = AsyncHTTPClientTransport(isTransparent: true)
        let answer = try await transport.send(server.request(), timeouts: patient)
        #expect(answer.head.headerFields[.contentEncoding] == "gzip")
        #expect(try await answer.body.collect(upTo: 5) == Array("coded".utf8))
        #expect(server.requests.first?.fields["accept-encoding"] == nil)
    }
}
#endif

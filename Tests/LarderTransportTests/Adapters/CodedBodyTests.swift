// Proves that a compressed body is decoded whole within limits, or refused, whatever the server says of it.
import HTTPOrigin
import HTTPTypes
import LarderAsyncHTTPClient
import LarderTransport
import Testing

extension Adapter {
    /// Whether it asks for compressed bodies, and decodes them.
    fileprivate var decodes: Bool {
        #if canImport(FoundationNetworking)
        self != .urlSession
        #else
        true
        #endif
    }
}

private let welcome = Array("welcome".utf8)

private func answer(_ body: [UInt8], coding: String = "gzip", status: String = "200 OK") -> [UInt8] {
    Array("HTTP/1.1 \(status)\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
}

@Suite(.timeLimit(.minutes(5))) struct `A compressed body` {
    @Test(arguments: Adapter.allCases, [("gzip", Deflated.gzip(welcome)), ("deflate", Deflated.zlib(welcome))])
    func `is decoded where it is requested, and refused elsewhere`(
        adapter: Adapter, coded: (name: String, body: [UInt8])
    ) async throws {
        let server = try RawServer { _ in answer(coded.body, coding: coded.name) }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(server.requests.first?.fields["accept-encoding"]?.contains("gzip") == adapter.decodes)
        #expect(response.isDecoded == adapter.decodes)
        if adapter.decodes {
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == nil)
            #expect(try await response.body.collect(upTo: 7) == welcome)
        } else {
            #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
        }
    }

    @Test(arguments: Adapter.allCases, [HTTPRequest.Method.get, .post])
    func `is requested by no request with a range, nor by one for identity`(
        adapter: Adapter, method: HTTPRequest.Method
    ) async throws {
        let server = try RawServer { _ in response(body: "plain") }
        for fields: HTTPFields in [[.range: "bytes=0-9"], [.acceptEncoding: "identity"]] {
            let response = try await adapter.transport().send(
                server.request(method, headers: fields), timeouts: patient)
            #expect(try await response.body.collect(upTo: 5) == Array("plain".utf8))
            #expect(!response.isDecoded)
        }
        #expect(server.requests.map { $0.fields["accept-encoding"] } == ["identity", "identity"])
    }

    @Test(arguments: Adapter.allCases)
    func `is refused as a part: its range is one of the coded form`(adapter: Adapter) async throws {
        let server = try RawServer { _ in answer(Deflated.gzip(welcome), status: "206 Partial Content") }
        let response = try await adapter.transport().send(
            server.request(headers: [.range: "bytes=0-9"]), timeouts: patient)
        #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
    }

    @Test(arguments: Adapter.allCases)
    func `leaves the status of its answer readable`(adapter: Adapter) async throws {
        let server = try RawServer { _ in answer(Deflated.gzip(welcome), status: "503 Service Unavailable") }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(response.head.status == .serviceUnavailable)
    }

    @Test(arguments: Adapter.allCases)
    func `that is not there is none`(adapter: Adapter) async throws {
        let server = try RawServer { request in
            let status = ["/304": "304 Not Modified", "/204": "204 No Content"][request.path] ?? "200 OK"
            let length = request.path == "/200" && !request.line.hasPrefix("HEAD") ? "0" : "99"
            let fields = request.path == "/204" ? "" : "Content-Length: \(length)\r\n"
            return Array("HTTP/1.1 \(status)\r\nContent-Encoding: gzip\r\n\(fields)\r\n".utf8)
        }
        let transport = adapter.transport()
        var cases: [(HTTPRequest.Method, String)] = [(.get, "/304"), (.get, "/204"), (.head, "/200"), (.get, "/304")]
        if adapter.decodes { cases.append((.get, "/200")) }
        for (method, path) in cases {
            let response = try await transport.send(server.request(method, path), timeouts: patient)
            #expect(try await response.body.collect(upTo: 0) == [], "\(method) \(path)")
            if adapter.decodes { #expect(response.head.headerFields[.contentLength] == nil, "\(method) \(path)") }
        }
    }

    @Test(arguments: Adapter.allCases)
    func `is plain where the server says so`(adapter: Adapter) async throws {
        let server = try RawServer { _ in answer(Array("plain".utf8), coding: "identity") }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(try await response.body.collect(upTo: 100) == Array("plain".utf8))
        #expect(!response.isDecoded && response.head.headerFields[.contentLength] == "5")
    }

    #if AsyncHTTPClient
    @Test func `that the request named is handed on as it is`() async throws {
        let server = try RawServer { _ in answer(Deflated.gzip(welcome)) }
        let response = try await Adapter.asyncHTTPClient.transport().send(
            server.request(headers: [.acceptEncoding: "gzip"]), timeouts: patient)
        #expect(response.head.headerFields[.contentEncoding] == "gzip" && !response.isDecoded)
        #expect(try await response.body.collect(upTo: 100) == Deflated.gzip(welcome))
        #expect(server.requests.first?.fields["accept-encoding"] == "gzip")
    }

    @Test(
        arguments: [
            "br", "x-gzip", "identity, gzip", "gzip, identity", "gzip, gzip", "zstd", "unheard-of", "g zip",
        ])
    func `of any other coding is refused`(coding: String) async throws {
        let server = try RawServer { _ in answer(Deflated.gzip(welcome), coding: coding) }
        let response = try await Adapter.asyncHTTPClient.transport().send(server.request(), timeouts: patient)
        #expect(!response.isDecoded)
        #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
    }

    @Test func `for the transfer alone is refused, too`() async throws {
        let server = try RawServer { _ in
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n".utf8)
        }
        let response = try await Adapter.asyncHTTPClient.transport().send(server.request(), timeouts: patient)
        #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
    }

    @Test func `that is damaged or cut off is an error, and the next request is none`() async throws {
        let whole = Deflated.gzip(welcome)
        var garbled = whole
        garbled[12] ^= 0xFF
        var wrongSum = whole
        wrongSum[whole.count - 6] ^= 1
        let bodies = [
            "/garbled": garbled, "/sum": wrongSum, "/cut": Array(whole.dropLast(9)), "/head": Array(whole.prefix(5)),
            "/more": whole + [0, 1], "/plain": welcome,
        ]
        let server = try RawServer { request in answer(bodies[request.path] ?? whole) }
        let transport = AsyncHTTPClientTransport(connectionsPerHost: 1)
        for path in bodies.keys.sorted() {
            let response = try await transport.send(server.request(.get, path), timeouts: patient)
            #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody, "\(path)")
            let next = try await transport.send(server.request(), timeouts: patient)
            #expect(try await next.body.collect(upTo: 7) == welcome)
        }
    }

    @Test func `that grows beyond its limit is too large, and one of a MiB may grow as it likes`() async throws {
        let bodies = [
            "/long": Deflated.gzip([UInt8](repeating: 0, count: 10 << 20)),
            "/short": Deflated.gzip([UInt8](repeating: 0, count: 1 << 20)),
        ]
        let server = try RawServer { request in answer(bodies[request.path] ?? []) }
        let transport = AsyncHTTPClientTransport()
        let short = try await transport.send(server.request(.get, "/short"), timeouts: patient)
        #expect(try await short.body.collect(upTo: 1 << 20).count == 1 << 20)
        let long = try await transport.send(server.request(.get, "/long"), timeouts: patient)
        let error = await outcome { _ = try await long.body.collect(upTo: 20 << 20) }
        guard case .bodyTooLarge(let limit)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((1 << 20..<10 << 20).contains(limit))
        let lenient = AsyncHTTPClientTransport(growthLimit: .max)
        let whole = try await lenient.send(server.request(.get, "/long"), timeouts: patient)
        #expect(try await whole.body.collect(upTo: 10 << 20).count == 10 << 20)
    }
    #endif
}

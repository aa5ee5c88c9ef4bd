import HTTPTypes
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A compressed body` {
    /// `welcome`, as gzip writes it.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0x2B, 0x4F, 0xCD, 0x49, 0xCE, 0xCF, 0x4D, 0x05,
        0x00,
        0xB3, 0x61, 0xCB, 0x37, 0x07, 0x00, 0x00, 0x00,
    ]

    private static func answer(_ body: [UInt8], coding: String = "gzip", status: String = "200 OK") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    @Test(arguments: Adapter.allCases)
    func `that nobody asked for is decoded or refused, and never passed on`(adapter: Adapter) async throws {
        let server = try RawServer { _ in Self.answer(Self.gzip) }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        switch adapter {
        case .urlSession:
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == nil)
            #expect(try await response.body.collect(upTo: 100) == Array("welcome".utf8))
        #if AsyncHTTPClient
        case .asyncHTTPClient:
            #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
        #endif
        }
    }

    @Test(arguments: Adapter.allCases)
    func `leaves the status of its answer readable`(adapter: Adapter) async throws {
        let server = try RawServer { _ in Self.answer(Self.gzip, status: "503 Service Unavailable") }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(response.head.status == .serviceUnavailable)
    }

    @Test(arguments: Adapter.allCases)
    func `that is not there is none`(adapter: Adapter) async throws {
        let server = try RawServer { _ in Self.answer([], status: "304 Not Modified") }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(try await response.body.collect(upTo: 0) == [])
    }

    @Test(arguments: Adapter.allCases)
    func `is plain where the server says so`(adapter: Adapter) async throws {
        let server = try RawServer { _ in Self.answer(Array("plain".utf8), coding: "identity") }
        let response = try await adapter.transport().send(server.request(), timeouts: patient)
        #expect(try await response.body.collect(upTo: 100) == Array("plain".utf8))
    }

    #if AsyncHTTPClient
    @Test func `that was asked for is handed on as it is`() async throws {
        let server = try RawServer { _ in Self.answer(Self.gzip) }
        let response = try await Adapter.asyncHTTPClient.transport().send(
            server.request(headers: [.acceptEncoding: "gzip"]), timeouts: patient)
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
        #expect(try await response.body.collect(upTo: 100) == Self.gzip)
    }

    @Test(arguments: ["br", "deflate", "x-gzip", "identity, gzip", "zstd", "unheard-of"])
    func `of any coding is refused`(coding: String) async throws {
        let server = try RawServer { _ in Self.answer(Self.gzip, coding: coding) }
        let response = try await Adapter.asyncHTTPClient.transport().send(server.request(), timeouts: patient)
        #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
    }

    @Test func `for the transfer alone is refused, too`() async throws {
        let server = try RawServer { _ in
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n".utf8)
        }
        let response = try await Adapter.asyncHTTPClient.transport().send(server.request(), timeouts: patient)
        #expect(await outcome { _ = try await response.body.collect(upTo: 100) } == .encodedBody)
    }
    #endif
}

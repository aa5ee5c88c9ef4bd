// Proves that no page in a browser on the same machine changes content where administration needs no credentials.

#if Server && canImport(Glibc)
import LarderServer
import Testing

@Suite struct `Administration without credentials` {
    private let origin = Origin.sample()

    /// Sends a request that creates a resource, and returns the status.
    private func status(_ base: String, host: String?, fields: [String] = []) async throws -> Int? {
        let port = try #require(base.split(separator: ":").last?.split(separator: "/").first.flatMap { UInt16($0) })
        let host = host.map { "Host: \($0.replacing("PORT", with: "\(port)"))" }
        let more = fields.map { $0.replacing("PORT", with: "\(port)") }
        let lines = ["PUT /content/admin/resources/things/1 HTTP/1.1", host, "Content-Length: 0", "Connection: close"]
        let text = (lines.compactMap { $0 } + more + ["", ""]).joined(separator: "\r\n")
        let connection = try #require(RawConnection(port: port, sending: text))
        let head = String(decoding: await connection.read(4096), as: UTF8.self)
        return head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    @Test(arguments: [
        ("evil.test", []), ("evil.test:PORT", []), ("127.0.0.1.evil.test:PORT", []), ("localhost.evil.test", []),
        ("192.0.2.1:PORT", []), ("127.0.0.1:PORT", ["Origin: http://evil.test"]), ("127.0.0.1:PORT", ["Origin: null"]),
        ("127.0.0.1:PORT", ["Origin: http://127.0.0.1:1"]), ("127.0.0.1:PORT", ["Origin: http://localhost:PORT"]),
        ("evil.test:PORT", ["Origin: http://evil.test:PORT"]),
    ]) func `is refused to a page of another server`(host: String, fields: [String]) async throws {
        let found = try await OriginServer.run(origin, OriginConfiguration(isAdministrable: true)) { base in
            try await status(base, host: host, fields: fields)
        }
        #expect(found == 403)
        #expect(origin.sequence == 0)
    }

    @Test(arguments: [
        ("127.0.0.1:PORT", []), ("localhost:PORT", []), ("LOCALHOST", []), ("[::1]:PORT", []), ("127.9.8.7", []),
        ("127.0.0.1:PORT", ["Origin: http://127.0.0.1:PORT"]), ("localhost:PORT", ["Origin: http://localhost:PORT"]),
    ]) func `is served to programs on this machine, and to its own pages`(host: String, fields: [String]) async throws {
        let found = try await OriginServer.run(origin, OriginConfiguration(isAdministrable: true)) { base in
            try await status(base, host: host, fields: fields)
        }
        #expect(found == 200)
        #expect(origin.sequence == 1)
    }

    @Test func `is refused to hosts that only resemble this machine`() {
        for authority in [
            "", ":80", "localhost.", "localhost:", "localhost:x", "localhost@evil.test", "127.0.0.01", "127.0.0",
            "127.0.0.256", "127.0.0.1.", "0127.0.0.1", "0.0.0.0", "[::1", "[::1]x", "[::ffff:127.0.0.1]", "::1",
            "127.1",
        ] { #expect(!LocalRequest.isLoopback(authority), "\(authority)") }
    }

    @Test func `is not checked where credentials are needed, which no page has`() async throws {
        let configuration = OriginConfiguration(
            credentials: .init(authToken: "t", clientID: "c"), isAdministrable: true)
        let found = try await OriginServer.run(origin, configuration) { base in
            let fields = ["Origin: http://admin.test", "X-Auth-Token: t", "X-Client-Id: c"]
            return try await status(base, host: "admin.test", fields: fields)
        }
        #expect(found == 200)
    }
}
#endif

// Proves that misleading addresses from a server are not followed and put nothing into a request.

#if AsyncHTTPClient
import Foundation
import HTTPTypes
import LarderSync
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A server that sends misleading addresses` {
    /// Addresses as they stand in JSON; `EVIL` is another server that must never be asked.
    private static let refused = [
        "//EVIL/api/v4/x", "http://EVIL/api/v4/x", "https://EVIL/api/v4/x", "///EVIL/api/v4/x", "@EVIL/api/v4/x",
        ":80@EVIL/api/v4/x", ".EVIL/api/v4/x", "/api/v4@EVIL/x", "/api/v4/@EVIL/x", "\\\\\\\\EVIL/api/v4/x",
        "/\\\\EVIL/api/v4/x", "/api/v4/\\\\..\\\\x", "/api/v4/../x", "/api/v4/x/../../../y", "/api/v4/./x",
        "/api/v4/..",
        "/api/v4/%2e%2e/x", "/api/v4/%2E%2e/x", "/api/v4/.%2e/x", "/api/v4/%252e%252e/x", "/api/v4/x%2f..%2fy",
        "/api/v4//EVIL/x", "/api/v4/x y", "/api/v4/x\\r\\nX-Evil: 1", "/api/v4/x HTTP/1.1\\r\\nX-Evil: 1\\r\\n\\r\\n",
        "/api/v4/x%0d%0aX-Evil:%201", "/api/v4/x%0D%0AX-Evil", "/api/v4/x%00", "/api/v4/x\\u0000", "/api/v4/x\\u0085",
        "/api/v4/x%c2%85", "/api/v4/x\\u2028", "/api/v4/é", "/api/v4/%c3%28", "/api/v4/x#y",
        "/api/v4/x?a\\r\\nX-Evil: 1",
        "/api/v4/x?a b", "/api/v4/x?a\\u0000", "/api/v4/x?é", "/api/v4/x?a\\\\b", "/api/v4/x?a#b", "/api/v4/x?%",
        "/api/v4/x?%0", "/api/v4/x?%zz", "\\t/api/v4/x", " /api/v4/x", "\\u0000/api/v4/x", "/api/v4/x\\n", "",
        "/api/v5/x", "/API/v4/x", "javascript:alert(1)", "file:///etc/passwd",
        "/api/v4/" + String(repeating: "a", count: 1_000_000),
        "/api/v4/x?" + String(repeating: "a", count: 1_000_000),
    ]

    /// Queries that may be requested, since cursors hold what they like: nothing in a query leads anywhere.
    private static let harmless = [
        "cursor=%0d%0aX-Evil:%201", "cursor=%0D%0A%0D%0AGET%20/api/v4/evil%20HTTP/1.1", "cursor=%00", "cursor=//EVIL/x",
        "cursor=/../../evil", "cursor=%2e%2e/%2f..", "cursor=http://EVIL/", "cursor=@EVIL", "cursor=a?b?c",
        "cursor=%ff%fe", "cursor=a+b/c==", "cursor=" + String(repeating: "a", count: 16_000),
    ]

    /// Checks that a server was asked for nothing but resources, in requests of the form that the client gives them.
    private func expectPlain(_ server: HostileServer, sourceLocation: SourceLocation = #_sourceLocation) {
        for bytes in server.received {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.lowercased().contains("\nx-evil"), sourceLocation: sourceLocation)
            for request in text.components(separatedBy: "\r\n\r\n").dropLast() {
                let lines = request.components(separatedBy: "\r\n")
                #expect(lines[0].hasPrefix("GET /content/api/v4/resources/"), sourceLocation: sourceLocation)
                #expect(lines[0].hasSuffix(" HTTP/1.1"), sourceLocation: sourceLocation)
                #expect(lines[0].split(separator: " ").count == 3, sourceLocation: sourceLocation)
                let names = lines.dropFirst().map { String($0.prefix { $0 != ":" }).lowercased() }
                #expect(
                    names.sorted() == ["accept-encoding", "authorization", "connection", "host"]
                        || names.sorted() == ["accept-encoding", "authorization", "host"]
                        || names.sorted() == ["accept-encoding", "host"], "\(names)", sourceLocation: sourceLocation)
                #expect(lines.contains { $0.lowercased() == "host: 127.0.0.1:\(server.port)" })
            }
            #expect(text.hasSuffix("\r\n\r\n") || text.isEmpty, sourceLocation: sourceLocation)
        }
    }

    private func attack(
        _ server: HostileServer, _ fixture: SyncFixture, _ evil: HostileServer, _ body: String,
        request: SyncError.RequestKind
    ) async throws {
        server.on("token A", body.replacing("EVIL", with: "127.0.0.1:\(evil.port)"))
        let before = server.names.count
        let secret = FixedCredentials([.authorization: "Bearer secret"])
        let error = try await fixture.failure("translations:*", credentials: secret)
        // An empty address is none at all: the page as such is refused.
        guard case .wire(_, let found) = error, found == request || found == .page else {
            Issue.record("\(error)")
            return
        }
        // The hostile answer was asked for, and nothing after it.
        #expect(server.names.count == before + 1)
        expectPlain(server)
        #expect(evil.received.isEmpty)
    }

    @Test func `of pages is not followed, to no host, and puts nothing into a request`() async throws {
        let evil = try HostileServer()
        try await HostileSetup.run { server, fixture in
            for path in Self.refused {
                let body = page([row(2, 1, "two")], until: 3, cursor: "C")
                let hostile = body.replacing("/api/v4/resources/sync?cursor=C", with: path)
                try await attack(server, fixture, evil, hostile, request: .page)
            }
        }
    }

    @Test func `of snapshots is not followed, to no host, and puts nothing into a request`() async throws {
        let evil = try HostileServer()
        try await HostileSetup.run { server, fixture in
            for path in Self.refused {
                let body = page([row(2, 1, "two"), change(3, "RESOURCE_INVALIDATE", snapshot: path)], until: 3)
                try await attack(server, fixture, evil, body, request: .snapshot)
            }
        }
    }

    @Test func `in a query reaches only the same server, byte for byte`() async throws {
        let evil = try HostileServer()
        let address = "127.0.0.1:\(evil.port)"
        try await HostileSetup.run { server, fixture in
            for query in Self.harmless.map({ $0.replacing("EVIL", with: address) }) {
                let next = "/api/v4/resources/sync?\(query)"
                let body = page(until: 3, cursor: "C").replacing("/api/v4/resources/sync?cursor=C", with: next)
                server.on("token A", body)
                server.on("*") { connection in
                    connection.send("HTTP/1.1 422 Unprocessable Content\r\nContent-Length: 0\r\n\r\n")
                }
                let secret = FixedCredentials([.authorization: "Bearer secret"])
                guard case .refused = try await fixture.failure("translations:*", credentials: secret) else {
                    Issue.record("\(query)")
                    return
                }
                let lines = server.received.map { String(decoding: $0, as: UTF8.self) }.joined()
                #expect(lines.contains("GET /content\(next) HTTP/1.1\r\n"), "\(query)")
            }
            expectPlain(server)
            #expect(evil.received.isEmpty)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `with a redirect is not followed, and no credentials go there`(status: Int) async throws {
        let evil = try HostileServer()
        try await HostileSetup.run { server, fixture in
            for target in [
                "http://127.0.0.1:\(evil.port)/content/api/v4/x", "//127.0.0.1:\(evil.port)/x", "/elsewhere",
            ] {
                let answer: HostileServer.Answer = { connection in
                    connection.send("HTTP/1.1 \(status) Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
                }
                server.on("token A", answer)
                let before = server.names.count
                let secret = FixedCredentials([.authorization: "Bearer secret"])
                guard case .intercepted(status) = try await fixture.failure("translations:*", credentials: secret)
                else {
                    Issue.record("another reason")
                    return
                }
                #expect(server.names.count == before + 1)
                #expect(evil.received.isEmpty)
            }
            expectPlain(server)
        }
    }
}
#endif

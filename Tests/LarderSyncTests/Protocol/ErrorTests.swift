// Proves how a run treats each error of the server, and that refused credentials are renewed once.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite struct `Errors of the server` {
    private static func problem(_ code: String) -> String { #"{"error":{"code":"\#(code)","message":"No."}}"# }

    private static func general(_ type: String) -> String {
        #"{"message":"No.","type":"\#(type)","success":false}"#
    }

    /// A fixture whose store has one row and the token `A`.
    private func synced(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        return fixture
    }

    /// §1.9.1, §1.9.14
    @Test(arguments: Wiring.allCases)
    func `410 starts the filter over, with the old rows readable throughout`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 300)
            try await fixture.origin.addTranslations(20, count: 3)
            try await fixture.sync("translations:*")
            try await fixture.origin.put(1, "new")
            try await fixture.origin.hide(20)
            try await fixture.origin.removeChanges(before: fixture.origin.sequence + 1)
            let watch = RepeatedReader(fixture.store) { view in
                try view.rows(in: .all(of: ResourceKey("translations", 19))).count == 300
            }
            let report = try await fixture.sync("translations:*")
            let seen = watch.stop()
            #expect(report.kind == .bootstrap && report.hidden == 1)
            #expect(seen.wrong == 0 && seen.looks > 0)
            #expect(fixture.recordedEvents.contains(.tokenRejected(filter: "translations:*")))
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.9.1
    @Test func `410 in answer to a bootstrap ends the run`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", status: 410, Self.problem("resync_required"))
        server.on("bootstrap", status: 410, Self.problem("resync_required"))
        guard case .endlessResync = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(server.names.count == 4)
        #expect(try fixture.text(1) == payload(1, "one"))
        #expect(try fixture.token() == nil)
    }

    /// §1.9.2
    @Test func `a token that does not fit the filter is replaced by a bootstrap`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", status: 422, Self.problem("token_filter_mismatch"))
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "B"))
        #expect(try await fixture.sync("translations:*").kind == .bootstrap)
        #expect(try fixture.token() == "B")
    }

    /// §1.9.3, §1.9.4
    @Test(arguments: ["cursor_filter_mismatch", "cursor_per_page_mismatch"])
    func `a cursor that does not fit ends the run, and the next one begins anew`(_ code: String) async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([row(2, 1, "two")], until: 3, cursor: "C"))
        server.on("cursor C", status: 422, Self.problem(code))
        guard case .refused(let problem) = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(problem.status == 422 && problem.code == code)
        #expect(try fixture.token() == "A")
        server.on("cursor C", page([row(3, 1, "three")], until: 3, token: "B"))
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1) == payload(1, "three"))
        #expect(try fixture.token() == "B")
    }

    /// §1.9.5, §1.9.6, §1.9.9, §1.9.11
    @Test(arguments: [
        (422, problem("invalid_per_page"), "invalid_per_page"),
        (422, problem("invalid_resources"), "invalid_resources"),
        (422, problem("unknown_resource_group"), "unknown_resource_group"),
        (400, general("invalid_request"), "invalid_request"), (403, general("forbidden"), "forbidden"),
        (404, general("not_found"), "not_found"), (404, problem("snapshot_not_found"), "snapshot_not_found"),
        (418, "<html>", ""), (204, "", ""), (206, "", ""),
    ])
    func `that the same request would cause again are not retried`(_ status: Int, _ body: String, _ code: String)
        async throws
    {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", status: status, headers: [.location: "http://evil.test/x"], body)
        let error = try await fixture.failure("translations:*")
        guard case .refused(let problem) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(problem.status == status && (problem.code ?? "") == code)
        #expect(!error.isRetryable)
        #expect(server.names.count == 3)
        #expect(try fixture.token() == "A")
    }

    @Test(arguments: [(302, ""), (511, "text/html"), (200, "text/html; charset=utf-8")])
    func `that are not the server's are reported as such, and may be temporary`(_ status: Int, _ type: String)
        async throws
    {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on(
            "token A", status: status, headers: [.location: "http://evil.test/x", .contentType: type], "<html>")
        let error = try await fixture.failure("translations:*")
        guard case .intercepted(status) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.isRetryable)
        #expect(server.names.count == 3)
        #expect(try fixture.token() == "A")
    }

    /// §1.8.2, §1.9.7
    @Test(arguments: Wiring.allCases)
    func `of a group that the server does not know end the run`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            guard case .refused(let problem) = try await fixture.failure("nothing_like_it:*") else {
                Issue.record("another reason")
                return
            }
            #expect(problem.status == 422)
            #expect(try fixture.token("nothing_like_it:*") == nil)
        }
    }

    /// §1.9.8, §1.9.13
    @Test func `a snapshot that is not found hides its resource, and the run continues`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("translations/19", status: 404, Self.problem("snapshot_not_found"))
        server.on("translations/20", snapshot(20, at: 5, "twenty"))
        let changes = [change(4, "RESOURCE_INVALIDATE"), change(5, "RESOURCE_CREATE", 20)]
        server.on("token A", page(changes, until: 5, token: "B"))
        let report = try await fixture.sync("translations:*")
        #expect(report.hidden == 1 && report.snapshots == 1)
        #expect(try fixture.resource(19)?.state == .hidden)
        #expect(try fixture.translation(20).count == 1)
        #expect(try fixture.token() == "B")
        #expect(try fixture.members() == [ResourceKey("translations", 20)])
    }

    /// §1.1.21, §1.9.13
    @Test(arguments: [404, 401, 403, 410, 422, 429, 500, 503, 304])
    func `of any other kind for a snapshot hold the token back`(_ status: Int) async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("translations/19", status: status, Self.general("not_found"))
        server.on("token A", page([change(4, "RESOURCE_INVALIDATE")], until: 5, token: "B"))
        _ = try await fixture.failure("translations:*")
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "one"))
        server.on("translations/19", snapshot(at: 5, "five"))
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1) == payload(1, "five"))
        #expect(try fixture.token() == "B")
    }

    /// §1.9.12
    @Test(arguments: [
        (429, "rate_limit_exceeded"), (500, "internal_server_error"), (502, "bad_gateway"),
        (503, "service_unavailable"), (504, "gateway_timeout"), (408, "request_timeout"), (425, "too_early"),
    ])
    func `that are temporary are reported with the time to wait`(_ status: Int, _ type: String) async throws {
        for (text, seconds) in [("30", 30), ("0", 0), ("-5", 0), ("soon", nil)] as [(String, Int?)] {
            let server = CannedServer()
            let fixture = try await synced(server)
            server.on("token A", status: status, headers: [.retryAfter: text], Self.general(type))
            let error = try await fixture.failure("translations:*")
            #expect(error.isRetryable)
            switch error {
            case .rateLimited(let problem, let after), .unavailable(let problem, let after):
                #expect(problem.code == type && after == seconds)
                #expect((status == 429) == { if case .rateLimited = error { true } else { false } }())
            default: Issue.record("\(error)")
            }
            #expect(server.names.count == 3)
            #expect(try fixture.token() == "A")
        }
    }
}

@Suite struct `Refused credentials` {
    /// Credentials that are renewed when they are refused, and counted.
    private final class Renewed: Credentials {
        let calls = Mutex<[Bool]>([])
        private let last: String

        init(last: String) { self.last = last }

        func fields(for account: String?, isRefused: Bool) async -> HTTPFields {
            let number = calls.withLock { asked in
                asked.append(isRefused)
                return asked.count
            }
            return [.authorization: number == 1 ? "old" : last]
        }
    }

    /// Credentials that are others each time.
    private final class Numbered: Credentials {
        let calls = Mutex<[Bool]>([])

        func fields(for account: String?, isRefused: Bool) async -> HTTPFields {
            let number = calls.withLock { asked in
                asked.append(isRefused)
                return asked.count
            }
            return [.authorization: "\(number)"]
        }
    }

    /// Answers 401 to everything that is not asked with "new".
    private static func guarded(_ origin: any EditableOrigin) -> HandlerTransport {
        let base = OriginTransport(origin)
        return HandlerTransport { (request, body) async throws(TransportError) in
            guard request.headerFields[.authorization] == "new" else { return TransportResponse(status: .unauthorized) }
            return try await base.send(request, body: body, timeouts: TransportTimeouts())
        }
    }

    /// §1.9.10
    @Test func `are renewed once, and the sync token stays`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 1)
        try await fixture.sync("translations:*")
        let credentials = Renewed(last: "new")
        let report = try await fixture.sync(
            "translations:*", over: Self.guarded(fixture.origin), credentials: credentials)
        #expect(report.kind == .incremental)
        #expect(credentials.calls.withLock { $0 } == [false, true])
    }

    /// §1.9.10
    @Test func `are not renewed twice`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 1)
        try await fixture.sync("translations:*")
        let token = try fixture.token()
        let credentials = Renewed(last: "old")
        let error = try await fixture.failure(
            "translations:*", over: Self.guarded(fixture.origin), credentials: credentials)
        guard case .unauthorized = error else {
            Issue.record("\(error)")
            return
        }
        #expect(credentials.calls.withLock { $0 } == [false, true])
        #expect(try fixture.token() == token)
    }

    @Test func `in a long run are renewed as often as they expire`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...6 { try await fixture.origin.addTranslations(id, count: 1) }
        let base = OriginTransport(fixture.origin)
        let sent = Mutex<[String: Int]>([:])
        // Every set of fields is good for two requests.
        let transport = HandlerTransport { (request, body) async throws(TransportError) in
            let count = sent.withLock { sent in
                sent[request.headerFields[.authorization] ?? "", default: 0] += 1
                return sent[request.headerFields[.authorization] ?? "", default: 0]
            }
            if count > 2 { return TransportResponse(status: .unauthorized) }
            return try await base.send(request, body: body, timeouts: TransportTimeouts())
        }
        let credentials = Numbered()
        try await fixture.sync(
            "translations:*", over: transport, credentials: credentials, configure: { $0.concurrentSnapshots = 1 })
        #expect(credentials.calls.withLock { $0 } == [false, true, true, true])
        #expect(try await fixture.differences(["translations:*"]) == [])
    }

    /// §1.9.10
    @Test func `during several snapshots are renewed once for all`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...6 { try await fixture.origin.addTranslations(id, count: 1) }
        let base = OriginTransport(fixture.origin)
        // Pages need no session, so that only the snapshot requests are refused.
        let guarded = Self.guarded(fixture.origin)
        let transport = HandlerTransport { (request, body) async throws(TransportError) in
            let isPage = request.path?.contains("/sync?") == true
            let next: any Transport = isPage ? base : guarded
            return try await next.send(request, body: body, timeouts: TransportTimeouts())
        }
        let credentials = Renewed(last: "new")
        try await fixture.sync("translations:*", over: transport, credentials: credentials)
        #expect(credentials.calls.withLock { $0 } == [false, true])
        #expect(try await fixture.differences(["translations:*"]) == [])
    }
}

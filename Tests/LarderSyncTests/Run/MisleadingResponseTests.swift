// Proves that a lagging snapshot, a change of an absent resource and an unsafe path from the server do no harm.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A lagging snapshot` {
    private func synced(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "A"))
        server.on("translations/19", snapshot(at: 10, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        return fixture
    }

    @Test func `is fetched again until it is new enough`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B"))
        server.on("translations/19", snapshot(at: 18, "old"), snapshot(at: 19, "old"), snapshot(at: 20, "new"))
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1) == payload(1, "new"))
        #expect(try fixture.token() == "B")
        let lagging = SyncEvent.lagging(ResourceKey("translations", 19))
        #expect(fixture.recordedEvents.filter { $0 == lagging }.count == 2)
    }

    @Test func `that does not catch up fails the run, which keeps its token and the old rows`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B"))
        server.on("translations/19", snapshot(at: 19, "old"))
        let error = try await fixture.failure("translations:*", configure: { $0.snapshotAttempts = 4 })
        guard case .incomplete(let failures) = error, failures.map(\.resource.id) == [19] else {
            Issue.record("\(error)")
            return
        }
        #expect(error.isRetryable)
        #expect(server.names.filter { $0 == "translations/19" }.count == 5)
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "one"))
        server.on("translations/19", snapshot(at: 20, "new"))
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1) == payload(1, "new"))
    }

    @Test func `older than the bound of a bootstrap is not accepted, though it has the change that lists it`()
        async throws
    {
        let server = CannedServer()
        server.on("bootstrap", page([change(4, "RESOURCE_CREATE")], until: 10))
        server.on("translations/19", snapshot(at: 9, "old"))
        let fixture = try SyncFixture(transport: server)
        guard case .incomplete = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.resource(19)?.state == .empty)
        #expect(try fixture.token() == nil)
    }

    @Test func `older than the stored rows is not accepted, though it has the change that requests it`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B"))
        // Another filter is further already.
        let resource = ResourceKey("translations", 19)
        let answers = [snapshot(at: 21, "old"), snapshot(at: 30, "new")].map {
            CannedServer.Answer(body: Array($0.utf8))
        }
        server.on("translations/19", answers)
        let held = HeldResponseTransport(fixture.script) { $0.path?.contains("snapshots") == true }
        async let report = fixture.sync("translations:*", over: held)
        await held.waitUntilAnswered()
        try await fixture.edit(19) { $0.appliedSequence = 30 }
        held.release()
        #expect(try await report.snapshots == 1)
        #expect(try fixture.text(1) == payload(1, "new"))
        #expect(fixture.recordedEvents.contains(.lagging(resource)))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A resource that is not stored` {
    @Test func `records row changes in its applied sequence only when it was evicted`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        try await fixture.sync("translations:*")
        try await fixture.evict(19)
        let sequence = try await fixture.origin.put(1, "new")
        let report = try await fixture.sync("translations:*")
        #expect(report.rowsChanged == 0)
        let resource = try #require(try fixture.resource(19))
        #expect(resource.state == .evicted && resource.appliedSequence == sequence && resource.generation == nil)
        #expect(resource.snapshotPath == "/api/v4/resources/snapshots/translations/19")
        #expect(try fixture.translation(19) == [:])
        #expect(fixture.recordedEvents.contains(.notStored(ResourceKey("translations", 19))))
        try fixture.expectSound()
    }

    @Test func `records row changes in its applied sequence only when it was hidden and has no snapshot`() async throws
    {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        server.on("token A", page([change(2, "RESOURCE_DELETE"), row(3, 1, "x")], until: 3, token: "B"))
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":"No."}}"#)
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(19)?.state == .hidden)
        #expect(try fixture.resource(19)?.appliedSequence == 3)
        #expect(try fixture.translation(19) == [:])
    }

    @Test func `is not written to by an unannounced change`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page(until: 1, token: "A"))
        server.on("token A", page([row(2, 1, "x")], until: 2, token: "B"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(19)?.state == .empty)
        #expect(try fixture.translation(19) == [:])
    }

    @Test func `outside the filter fails the run, and nothing of the page applies`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:19")
        server.on("token A", page([row(2, 1, "two"), row(3, 1, "x", of: 20)], until: 3))
        guard case .outsideFilter(ResourceKey("translations", 20)) = try await fixture.failure("translations:19") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.text(1) == payload(1, "one"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A path from the server that is not safe` {
    static let paths = [
        "//evil.test/api/v4/x", "http://evil.test/api/v4/x", "https://evil.test/api/v4/", "/api/v4/../x",
        "/api/v4/x/../../y", "/api/v4/./x", "/api/v4/%2e%2e/x", "/api/v4/..%2fx", "/api/v4//x", "/api/v4/x\\\\y",
        "/api/v4/x%5cy", "/api/v4/%5C..%5Cx", "/api/v4/x%00", "/api/v4/x%0d%0aHost:%20evil.test", "/api/v4/x\\u0000",
        "/api/v4/x\\r\\ny", "/api/v4/x y", "/api/v4/x#y", "/api/v4", "/api/v5/x", "api/v4/x", "/API/V4/x",
        "/api/v4/%c0%ae%c0%ae/x", "/api/v4/é", "/api/v4/x@evil.test", "@evil.test/api/v4/x", "/api/v4/%",
        "\\t/api/v4/x",
    ]

    private func expectRefusal(
        _ server: CannedServer, _ fixture: SyncFixture, rows: [String: String], token: String?
    ) async throws {
        let before = server.names.count
        let secret: HTTPFields = [.authorization: "secret"]
        let error = try await fixture.failure("translations:*", credentials: FixedCredentials(secret))
        guard case .wire = error else {
            Issue.record("\(error)")
            return
        }
        #expect(server.names.count == before + 1)
        for request in server.requests {
            #expect(request.scheme == "http" && request.authority == "127.0.0.1")
            #expect(request.path?.hasPrefix("/content/api/v4/") == true)
        }
        #expect(try fixture.translation(19) == rows)
        #expect(try fixture.token() == token)
    }

    private func synced(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        return fixture
    }

    /// §1.1.23
    @Test(arguments: paths)
    func `is not requested as a snapshot, and nothing of its page applies`(_ path: String) async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([row(2, 1, "two"), change(3, "RESOURCE_INVALIDATE", snapshot: path)], until: 3))
        try await expectRefusal(server, fixture, rows: ["1": payload(1, "one")], token: "A")
    }

    /// §1.1.23
    @Test(arguments: paths)
    func `is not requested as a page, and nothing of its page applies`(_ path: String) async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        let body = page([row(2, 1, "two")], until: 3, cursor: "C")
        server.on("token A", body.replacing("/api/v4/resources/sync?cursor=C", with: path))
        try await expectRefusal(server, fixture, rows: ["1": payload(1, "one")], token: "A")
    }
}

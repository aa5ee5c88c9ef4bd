// Proves that tokens and resources of one server are never shown to another: nothing is sent until the host has decided.
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A sync with a server other than the content's` {
    private let other = "http://127.0.0.2/content"

    private func filled(_ name: String? = nil) async throws -> (SyncFixture, CannedServer) {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "A"))
        server.on("translations/19", snapshot(at: 10, "one"))
        server.on("token A", page([row(20, 1, "two")], until: 20, token: "B"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*") { $0.serverIdentity = name }
        return (fixture, server)
    }

    private func move(_ configuration: inout SyncConfiguration) {
        guard let base = BaseURL(other) else { preconditionFailure("an address") }
        configuration.base = base
    }

    private func mismatch(_ fixture: SyncFixture) async throws -> ServerMismatch {
        let sent = fixture.script.lines.count
        let error = try await fixture.failure("translations:*", configure: move)
        #expect(fixture.script.lines.count == sent)
        #expect(!error.isRetryable)
        guard case .otherServer(let mismatch) = error else { throw error }
        return mismatch
    }

    @Test func `sends nothing, keeps everything, and reports both`() async throws {
        let (fixture, _) = try await filled()
        let mismatch = try await mismatch(fixture)
        #expect(mismatch.stored == "http://127.0.0.1/content" && mismatch.configured == other)
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "one"))
        // What was configured before goes on.
        try await fixture.sync("translations:*")
        #expect(try fixture.text(1) == payload(1, "two"))
        try fixture.expectSound()
    }

    @Test func `restores nothing that was evicted`() async throws {
        let (fixture, _) = try await filled()
        try await fixture.evict(19)
        let sent = fixture.script.lines.count
        let sync = fixture.contentSync(configure: move)
        await #expect(throws: KeepError.self) { try await sync.restore(ResourceKey("translations", 19)) }
        #expect(fixture.script.lines.count == sent)
    }

    @Test func `continues from the token once the server is adopted`() async throws {
        let (fixture, _) = try await filled()
        try await fixture.store.adopt(try await mismatch(fixture))
        let report = try await fixture.sync("translations:*", configure: move)
        #expect(report.kind == .incremental)
        #expect(try fixture.text(1) == payload(1, "two"))
    }

    @Test func `starts over once the store is cleared`() async throws {
        let (fixture, _) = try await filled()
        _ = try await mismatch(fixture)
        try await fixture.store.clear()
        let report = try await fixture.sync("translations:*", configure: move)
        #expect(report.kind == .bootstrap)
        try fixture.expectSound()
    }

    @Test func `continues where the host says that it is the same`() async throws {
        let (fixture, _) = try await filled("content")
        let report = try await fixture.sync("translations:*") {
            move(&$0)
            $0.serverIdentity = "content"
        }
        #expect(report.kind == .incremental)
    }

    @Test func `is not detected where the first never responded`() async throws {
        let server = CannedServer()
        server.on("bootstrap", status: 503, "")
        let fixture = try SyncFixture(transport: server)
        _ = try await fixture.failure("translations:*")
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "A"))
        server.on("translations/19", snapshot(at: 10, "one"))
        try await fixture.sync("translations:*", configure: move)
        #expect(try fixture.text(1) == payload(1, "one"))
    }

    @Test func `ends the runs that began before it was adopted`() async throws {
        let (fixture, _) = try await filled()
        let run = try await fixture.store.write { try $0.beginRun("translations:*", now: 1) }
        try await fixture.store.adopt(try await mismatch(fixture))
        await expectSuperseded(run, fixture.store)
        #expect(try fixture.token() == "A")
    }

    @Test func `ends the runs of the first that have delivered nothing yet`() async throws {
        let fixture = try SyncFixture(transport: CannedServer())
        try await fixture.store.bindServer("http://127.0.0.1/content", to: .sync)
        let run = try await fixture.store.write { try $0.beginRun("translations:*", now: 1) }
        try await fixture.store.bindServer(other, to: .sync)
        await expectSuperseded(run, fixture.store)
    }

    private func expectSuperseded(_ run: FilterRun, _ store: Store) async {
        let error = await #expect(throws: SyncError.self) {
            _ = try await store.write { try $0.finishRun(run, token: "B", untilSequence: 60, rowsWritten: 0, now: 2) }
        }
        guard case .superseded? = error else {
            Issue.record("another reason: \(String(describing: error))")
            return
        }
    }

    @Test func `is not bound by the first one's sequences`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page(until: 1000, token: "A"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.store.write { try $0.removeFilter("translations:*") }
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "B"))
        server.on("translations/19", snapshot(at: 10, "one"))
        #expect(try await fixture.sync("translations:*", configure: move).wasRejected == false)
        #expect(server.names == ["bootstrap", "bootstrap", "translations/19"])
    }

    @Test func `ends the wait until it is ready`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(1, count: 1)
        try await fixture.store.bindServer("https://api.example.org", to: .sync)
        try await fixture.store.write { try $0.updateFilter("tafsirs:*") { $0.token = "A" } }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let error = await #expect(throws: ServerMismatch.self) {
                try await coordinator.waitUntilReady(ResourceFilter("translations:*"))
            }
            try await fixture.store.adopt(try #require(error))
            _ = try await coordinator.sync(ResourceFilter("translations:*"))
            _ = try await coordinator.waitUntilReady(ResourceFilter("translations:*"))
        }
    }

    @Test(arguments: ["HTTP://127.0.0.1:80/content/", "http://127.0.0.1/content"])
    func `is not detected for another spelling of the address`(spelling: String) async throws {
        let (fixture, _) = try await filled()
        let base = try #require(BaseURL(spelling))
        try await fixture.sync("translations:*") { $0.base = base }
    }
}

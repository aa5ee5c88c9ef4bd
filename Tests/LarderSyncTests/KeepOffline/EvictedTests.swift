// Proves when sync fetches an evicted resource again: on request, when pinned, and never a second time.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An evicted resource` {
    private let resource = ResourceKey("translations", 19)

    private func evicted(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "A"))
        server.on("translations/19", snapshot(at: 10, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.evict(19)
        return fixture
    }

    @Test func `is not fetched when a run finds it invalidated, and is later requested at that sequence`() async throws
    {
        let server = CannedServer()
        let fixture = try await evicted(server)
        let path = "/api/v4/resources/snapshots/translations/19?v=2"
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE", snapshot: path)], until: 20, token: "B"))
        #expect(try await fixture.sync("translations:*").snapshots == 0)
        let known = try #require(try fixture.resource(19))
        #expect(known.state == .evicted && known.appliedSequence == 20 && known.snapshotPath == path)
        #expect(try fixture.token() == "B")
        // A server that lags behind what was noted would lose the change.
        server.on("translations/19?v=2", snapshot(at: 19, "lagging"))
        let sync = fixture.contentSync()
        await #expect(throws: KeepError.self) { try await sync.restore(resource) }
        #expect(try fixture.resource(19)?.state == .evicted)
        server.on("translations/19?v=2", snapshot(at: 20, "new"))
        try await sync.restore(resource)
        #expect(try fixture.text(1) == payload(1, "new"))
        #expect(try fixture.resource(19)?.appliedSequence == 20)
        try fixture.expectSound()
    }

    @Test func `receives the changes after its return, each once`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        server.on("token A", page([row(20, 1, "twenty"), row(21, 2, "two")], until: 21, token: "B"))
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(19)?.appliedSequence == 21)
        server.on("translations/19", snapshot(at: 25, "twenty-five", "two"))
        try await fixture.contentSync().restore(resource)
        // The run that was at 21 receives 24 and 26: the snapshot contains 24 and lacks 26.
        server.on("token B", page([row(24, 1, "old"), row(26, 2, "new")], until: 26, token: "C"))
        #expect(try await fixture.sync("translations:*").rowsChanged == 1)
        #expect(try fixture.text(1) == payload(1, "twenty-five"))
        #expect(try fixture.text(2) == payload(2, "new"))
        try fixture.expectSound()
    }

    @Test func `during an interrupted bootstrap is not fetched a second time by it`() async throws {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, cursor: "C"))
        server.on("translations/19", snapshot(at: 10, "one"))
        server.on("cursor C", status: 503, "")
        _ = try await fixture.failure("translations:*")
        try await fixture.evict(19)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 30, token: "A"))
        #expect(try await fixture.sync("translations:*").snapshots == 0)
        #expect(server.names.count { $0 == "translations/19" } == 1)
        let known = try #require(try fixture.resource(19))
        // The token stands for everything up to 30, so an older copy would not do.
        #expect(known.state == .evicted && known.appliedSequence == 30)
        #expect(try fixture.token() == "A")
        #expect(try fixture.members() == [resource])
        try fixture.expectSound()
    }

    @Test func `is fetched automatically only when it is pinned and invalidated`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        try await fixture.edit(19) { $0.isPinned = true }
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B"))
        server.on("translations/19", snapshot(at: 20, "new"))
        #expect(try await fixture.sync("translations:*").snapshots == 1)
        #expect(try fixture.text(1) == payload(1, "new"))
    }

    @Test func `is fetched again when a reader opens it`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            let resource = resource
            try await fixture.store.write { transaction in _ = try transaction.evict(resource) }
            #expect(try fixture.text(1) == nil)
            #expect(try fixture.readiness()?.isComplete == false)
            coordinator.trigger(.opened(resource))
            try await fixture.waitForEvent(2) { if case .swapped = $0 { true } else { false } }
            _ = try await coordinator.waitUntilReady(ResourceFilter("translations:*"))
            #expect(try fixture.text(1) == payload(1, "row 1"))
        }
        #expect(fixture.snapshotRequests(of: 19) == 2)
        try fixture.expectSound()
    }

    @Test func `is the one that was not read recently, because the coordinator sweeps once an hour`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            _ = try fixture.text(1)
            let resource = resource
            func usedAt() throws -> Int64? { try fixture.store.read { view in try view.resource(resource)?.usedAt } }
            coordinator.trigger(.launch)
            try await coordinator.status { $0.isIdle }
            #expect(try usedAt() == nil)
            fixture.clock.advance(by: .seconds(3601))
            coordinator.trigger(.launch)
            while try usedAt() == nil {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(try usedAt() == fixture.store.host.now())
        }
    }

    @Test func `that the server withdraws meanwhile is not fetched`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        server.on("token A", page([change(20, "RESOURCE_DELETE")], until: 20, token: "B"))
        let held = HeldResponseTransport(fixture.script) { $0.path?.contains("snapshots") == true }
        let late = fixture.contentSync(over: held)
        let outcome = Task { [resource] in try await failure { try await late.restore(resource) } }
        await held.waitUntilAnswered()
        try await fixture.sync("translations:*")
        held.release()
        guard case .sync(.superseded) = try await outcome.value else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.resource(19)?.state == .hidden)
        // Asked for now, the answer is known without asking.
        guard case .notOffered(resource) = try await failure({ try await late.restore(resource) }) else {
            Issue.record("another reason")
            return
        }
        try fixture.expectSound()
    }
}

/// The error of what must fail.
func failure(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> KeepError {
    try #require(
        await #expect(throws: KeepError.self, sourceLocation: sourceLocation) { try await body() },
        sourceLocation: sourceLocation)
}

import Larder
import LarderServer
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `What was evicted` {
    private let resource = ResourceKey("translations", 19)

    private func evicted(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "A"))
        server.on("translations/19", copy(at: 10, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.evict(19)
        return fixture
    }

    @Test func `stays away when a run finds it changed as a whole, and is asked for as new as that`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        let path = "/api/v4/resources/snapshots/translations/19?v=2"
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE", copy: path)], until: 20, token: "B"))
        #expect(try await fixture.sync("translations:*").fullCopies == 0)
        let known = try #require(try fixture.resource(19))
        #expect(known.state == .evicted && known.floor == 20 && known.fullCopyPath == path)
        #expect(try fixture.token() == "B")
        // A server that lags behind what was noted would lose the change.
        server.on("translations/19?v=2", copy(at: 19, "lagging"))
        let sync = fixture.contentSync()
        await #expect(throws: KeepError.self) { try await sync.restore(resource) }
        #expect(try fixture.resource(19)?.state == .evicted)
        server.on("translations/19?v=2", copy(at: 20, "new"))
        try await sync.restore(resource)
        #expect(try fixture.text(1) == payload(1, "new"))
        #expect(try fixture.resource(19)?.floor == 20)
        try fixture.expectSound()
    }

    @Test func `hears of what comes after its return, and of nothing twice`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        server.on("token A", page([row(20, 1, "twenty"), row(21, 2, "two")], until: 21, token: "B"))
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(19)?.floor == 21)
        server.on("translations/19", copy(at: 25, "twenty-five", "two"))
        try await fixture.contentSync().restore(resource)
        // The run that was at 21 is told of 24 and 26: the copy has the one and lacks the other.
        server.on("token B", page([row(24, 1, "old"), row(26, 2, "new")], until: 26, token: "C"))
        #expect(try await fixture.sync("translations:*").rowsChanged == 1)
        #expect(try fixture.text(1) == payload(1, "twenty-five"))
        #expect(try fixture.text(2) == payload(2, "new"))
        try fixture.expectSound()
    }

    @Test func `while a bootstrap was interrupted is not fetched a second time by it`() async throws {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, cursor: "C"))
        server.on("translations/19", copy(at: 10, "one"))
        server.on("cursor C", status: 503, "")
        _ = try await fixture.failure("translations:*")
        try await fixture.evict(19)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 30, token: "A"))
        #expect(try await fixture.sync("translations:*").fullCopies == 0)
        #expect(server.names.count { $0 == "translations/19" } == 1)
        let known = try #require(try fixture.resource(19))
        // The token stands for everything up to 30, so an older copy would not do.
        #expect(known.state == .evicted && known.floor == 30)
        #expect(try fixture.token() == "A")
        #expect(try fixture.members() == [resource])
        try fixture.expectSound()
    }

    @Test func `comes back by itself only when it is pinned and changed as a whole`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        try await fixture.edit(19) { $0.isPinned = true }
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B"))
        server.on("translations/19", copy(at: 20, "new"))
        #expect(try await fixture.sync("translations:*").fullCopies == 1)
        #expect(try fixture.text(1) == payload(1, "new"))
    }

    @Test func `is fetched again when a reader opens it`() async throws {
        let fixture = try CoordinatorFixture()
        try fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            let resource = resource
            try await fixture.store.write { transaction in _ = try transaction.evict(resource) }
            #expect(try fixture.text(1) == nil)
            #expect(try fixture.readiness()?.isComplete == false)
            coordinator.trigger(.opened(resource))
            try await fixture.happens(2) { if case .swapped = $0 { true } else { false } }
            _ = try await coordinator.waitUntilReady(try ResourceFilter("translations:*"))
            #expect(try fixture.text(1) == payload(1, "row 1"))
        }
        #expect(fixture.copies(of: 19) == 2)
        try fixture.expectSound()
    }

    @Test func `and what was read lately are told apart, because the coordinator sweeps once an hour`() async throws {
        let fixture = try CoordinatorFixture()
        try fixture.origin.addTranslations(19, count: 3)
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

    @Test func `that the server withdraws meanwhile does not come back`() async throws {
        let server = CannedServer()
        let fixture = try await evicted(server)
        server.on("token A", page([change(20, "RESOURCE_DELETE")], until: 20, token: "B"))
        let held = HeldAnswer(fixture.script) { $0.path?.contains("snapshots") == true }
        let late = fixture.contentSync(over: held)
        let outcome = Task { [resource] in try await failure { try await late.restore(resource) } }
        await held.answered()
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

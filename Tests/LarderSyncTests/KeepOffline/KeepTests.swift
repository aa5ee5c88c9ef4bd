// Proves that keeping a resource offline fetches and pins it, reports what is missing, and can be undone.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Keeping a resource offline` {
    private let resource = ResourceKey("translations", 19)

    /// A store with a cap that holds two of three resources, of about 100,000 bytes each, all of them synced once.
    private func full(sizeCap: Int64 = 250_000) async throws -> SyncFixture {
        let fixture = try SyncFixture(sizeCap: sizeCap)
        for id in 19...21 as ClosedRange<Int64> {
            let text = String(repeating: "x", count: 1_000)
            let rows = (1...95).map { number in
                Origin.Row(type: "translation", key: String(number), Origin.translation(number, "\(id) \(text)"))
            }
            try await fixture.origin.createResource(Origin.ResourceID("translations", id), rows: rows)
        }
        try await fixture.sync("translations:*")
        return fixture
    }

    private func state(_ fixture: SyncFixture) throws -> [ResourceState?] {
        try (19...21).map { try fixture.resource($0)?.state }
    }

    @Test func `fetches it when it was evicted, reports its progress, and pins it`() async throws {
        let fixture = try await full()
        let evicted = try #require(try (19...21).first { try fixture.resource($0)?.state == .evicted })
        let key = ResourceKey("translations", evicted)
        let sync = fixture.contentSync()
        let estimate = try sync.keepEstimate(key)
        #expect(estimate.basis == .previousSnapshot)
        #expect(estimate.shortage == nil)
        var reported: [KeepStatus] = []
        for await status in sync.keeping(key) { reported.append(status) }
        let pinned = try #require(try fixture.resource(evicted))
        #expect(pinned.state == .ready && pinned.isPinned && pinned.rowCount == 95)
        #expect(estimate.bytes == Int64(pinned.byteCount))
        guard case .estimated(estimate)? = reported.first, case .completed(95, Int64(pinned.byteCount))? = reported.last
        else {
            Issue.record("reported \(reported)")
            return
        }
        #expect(reported.contains { if case .fetching(let rows, _, _) = $0 { rows > 0 } else { false } })
        // Others gave way, and it does not.
        #expect(try state(fixture).count { $0 == .evicted } == 1)
        for id in 19...21 as ClosedRange<Int64> where id != evicted {
            try? await sync.restore(ResourceKey("translations", id))
        }
        #expect(try fixture.resource(evicted)?.state == .ready)
        try fixture.expectSound()
    }

    @Test func `reports what is missing and what is pinned when space is short, and changes nothing`() async throws {
        let fixture = try await full()
        let ids = (19...21).map { Int64($0) }
        let evicted = try #require(try ids.first { try fixture.resource($0)?.state == .evicted })
        let others = ids.filter { $0 != evicted }.map { ResourceKey("translations", $0) }
        let sync = fixture.contentSync()
        for other in others { try await sync.keep(other) }
        let key = ResourceKey("translations", evicted)
        let requests = fixture.script.recorded.count
        guard case .noSpace(let shortage) = try await failure({ try await sync.keep(key) }) else {
            Issue.record("another reason")
            return
        }
        #expect(shortage.missing > 40_000 && shortage.missing < 70_000)
        #expect(Set(shortage.pinned.map(\.resource)) == Set(others))
        #expect(shortage.pinned.allSatisfy { $0.bytes > 95_000 })
        #expect(try sync.keepEstimate(key).shortage == shortage)
        // It was known beforehand, so nothing was fetched.
        #expect(fixture.script.recorded.count == requests)
        #expect(try fixture.resource(evicted)?.isPinned == false)
        #expect(try others.allSatisfy { other in try fixture.store.read { try $0.resource(other) }?.state == .ready })
        // Once one is no longer kept, the budget suffices.
        #expect(try await sync.stopKeeping(others[0]))
        try await sync.keep(key)
        #expect(try fixture.resource(evicted)?.state == .ready)
        try fixture.expectSound()
    }

    @Test func `reports this as well when its size was not known`() async throws {
        let fixture = try await full()
        let ids = (19...21).map { Int64($0) }
        let evicted = try #require(try ids.first { try fixture.resource($0)?.state == .evicted })
        let sync = fixture.contentSync()
        for id in ids where id != evicted { try await sync.keep(ResourceKey("translations", id)) }
        try await fixture.edit(evicted) { $0.evictedBytes = 0 }
        let key = ResourceKey("translations", evicted)
        let estimate = try sync.keepEstimate(key)
        #expect(estimate.bytes == nil && estimate.basis == .unknown && estimate.shortage == nil)
        guard case .noSpace(let shortage) = try await failure({ try await sync.keep(key) }) else {
            Issue.record("another reason")
            return
        }
        #expect(shortage.missing > 0)
        #expect(shortage.pinned.count == 2)
        #expect(try fixture.resource(evicted)?.isPinned == false)
        try fixture.expectSound()
    }

    @Test func `that is stored already only pins it`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        try await fixture.sync("translations:*")
        let requests = fixture.script.recorded.count
        let sync = fixture.contentSync()
        #expect(try sync.keepEstimate(resource).basis == .stored)
        try await sync.keep(resource)
        #expect(try fixture.resource(19)?.isPinned == true)
        #expect(fixture.script.recorded.count == requests)
    }

    @Test func `without a network stores the pin, and fetches the resource when requested again`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("translations:*")
        _ = try await coordinator.sync(ResourceFilter("translations:*"))
        let resource = resource
        try await fixture.store.write { transaction in _ = try transaction.evict(resource) }
        coordinator.isForcedOffline = true
        guard case .sync(.offline) = try await failure({ try await coordinator.keep(resource) }) else {
            Issue.record("another reason")
            return
        }
        let wished = try fixture.store.read { view in try view.resource(resource) }
        #expect(wished?.isPinned == true && wished?.state == .evicted)
        coordinator.isForcedOffline = false
        var last: KeepStatus?
        for await status in coordinator.keeping(resource) { last = status }
        guard case .completed(3, _)? = last else {
            Issue.record("reported \(String(describing: last))")
            return
        }
        #expect(try fixture.text(1) == payload(1, "row 1"))
    }

    @Test func `is refused for an unknown resource, and for one without a snapshot path`() async throws {
        let fixture = try SyncFixture()
        let sync = fixture.contentSync()
        guard case .unknownResource(resource) = try await failure({ try await sync.keep(resource) }) else {
            Issue.record("another reason")
            return
        }
        // A bootstrap that has named it and got no further.
        try await fixture.edit(19) { $0.appliedSequence = 1 }
        try await fixture.store.write { [resource] transaction in
            let filter = try transaction.updateFilter("translations:*") { _ in }
            try transaction.putMember(ofFilter: filter, resource, MemberRecord(listedInRun: 1, finishedInRun: 0))
        }
        guard case .noSnapshot(resource) = try await failure({ try await sync.keep(resource) }) else {
            Issue.record("another reason")
            return
        }
    }

    @Test func `is refused for a resource that no filter holds any more`() async throws {
        let fixture = try await SyncFixture.synced(CannedServer(), at: 10)
        try await fixture.store.removeFilter("translations:*")
        let sync = fixture.contentSync()
        guard case .unknownResource(resource) = try await failure({ try await sync.keep(resource) }) else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.resource(19)?.isPinned == false)
        #expect(try fixture.resource(19)?.state == .empty)
    }

    @Test func `whose filter is removed meanwhile stores no row`() async throws {
        let fixture = try await SyncFixture.synced(CannedServer(), at: 10)
        try await fixture.evict(19)
        let held = HeldResponseTransport(fixture.script)
        let sync = fixture.contentSync(over: held)
        let keep = Task { [resource] in try await failure { try await sync.keep(resource) } }
        await held.waitUntilAnswered()
        try await fixture.store.removeFilter("translations:*")
        held.release()
        guard case .sync(.superseded) = try await keep.value else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.resource(19)?.state == .empty)
        try fixture.expectSound()
    }

    @Test func `that the server no longer offers removes the pin`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 10, token: "A"))
        server.on("translations/19", snapshot(at: 10, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.evict(19)
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":""}}"#)
        let sync = fixture.contentSync()
        guard case .notOffered(resource) = try await failure({ try await sync.keep(resource) }) else {
            Issue.record("another reason")
            return
        }
        let known = try #require(try fixture.resource(19))
        #expect(known.state == .evicted && !known.isPinned)
    }

    @Test func `is undone by dropping its rows, and a filter continues at its applied sequence`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        try await fixture.sync("translations:*")
        let sync = fixture.contentSync()
        try await sync.keep(resource)
        #expect(try await sync.stopKeeping(resource))
        let known = try #require(try fixture.resource(19))
        #expect(known.state == .evicted && !known.isPinned && known.rowCount == 0)
        let sequence = try await fixture.origin.put(1, "new")
        try await fixture.sync("translations:*")
        #expect(try fixture.resource(19)?.appliedSequence == sequence)
        #expect(try fixture.store.read { view in try view.evictions() }.map(\.reason) == [.host])
        try fixture.expectSound()
    }
}

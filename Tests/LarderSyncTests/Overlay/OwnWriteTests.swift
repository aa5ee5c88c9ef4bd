// Proves that an accepted local write is not replaced by an older row, whatever lags behind.

import LarderFormat
import LarderStore
import LarderSync
import LarderTesting
import Testing

/// An accepted write of one's own is not replaced by an older row, whatever lags behind.
@Suite(.timeLimit(.minutes(5))) struct `An accepted write` {
    private let filter = "translations:*"
    private let row = RowKey(resource: ResourceKey("translations", 19), type: "translation", key: "1")

    /// Makes a write that the server accepts as its change `sequence`.
    private func write(_ text: String, acceptedAt sequence: Int64, _ store: Store) async throws {
        let draft = OutboxDraft(
            id: UUIDBytes(high: 1, low: UInt64(sequence)), lane: "lane", createdAt: 1, mutationType: "row",
            method: "PUT",
            endpoint: "/rows", payload: [])
        let effect = RowEffect(.replacement(Array(payload(1, text).utf8)), at: row)
        try await store.write { transaction in
            try transaction.enqueue(draft, effects: [effect])
            try transaction.completeEntry(draft.id, sequence: sequence, at: 1)
        }
    }

    @Test func `is shown after a rejected token, while the feed and its snapshots lag`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 50, token: "A"))
        server.on("translations/19", snapshot(at: 50, "old"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync(filter)
        try await write("mine", acceptedAt: 60, fixture.store)
        server.on("token A", page(until: 55, token: "B"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "mine"))
        server.on("token B", status: 410, #"{"error":{"code":"resync_required","message":""}}"#)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 58, token: "C"))
        server.on("translations/19", snapshot(at: 58, "old"))
        try await fixture.sync(filter)
        #expect(try fixture.token() == "C")
        #expect(try fixture.text(1) == payload(1, "mine"))
        server.on(
            "token C", page([LarderSyncTests.row(60, 1, "mine"), LarderSyncTests.row(61, 1, "theirs")], until: 61))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "theirs"))
    }

    @Test func `is shown when it was accepted before the first bootstrap, whose snapshots lag`() async throws {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        try await write("mine", acceptedAt: 60, fixture.store)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 55, token: "A"))
        let (old, new) = (snapshot(at: 59, "old"), snapshot(at: 60, "mine", "two"))
        server.on("translations/19", old)
        guard case .incomplete = try await fixture.failure(filter) else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.text(1) == payload(1, "mine"))
        server.on("translations/19", old, new)
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "mine"))
        #expect(try fixture.text(2) == payload(2, "two"))
    }

    @Test(arguments: [true, false], [[], ["bibles:*"]])
    func `does not return as it was before when its filter is removed and added again`(
        isRemovedFirst: Bool, others: [String]
    ) async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 50, token: "A"))
        server.on("translations/19", snapshot(at: 50, "old"))
        let fixture = try SyncFixture(transport: server)
        for other in others { try await fixture.store.write { try $0.updateFilter(other) { _ in } } }
        try await fixture.sync(filter)
        if isRemovedFirst { try await fixture.store.removeFilter(filter) }
        try await write("mine", acceptedAt: 60, fixture.store)
        if !isRemovedFirst { try await fixture.store.removeFilter(filter) }
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 55, token: "B"))
        let (old, new) = (snapshot(at: 59, "old"), snapshot(at: 60, "mine"))
        server.on("translations/19", old)
        do {
            try await fixture.sync(filter)
        } catch {
            #expect(try fixture.text(1) == nil)
            server.on("translations/19", old, new)
            try await fixture.sync(filter)
        }
        #expect(try fixture.text(1) == payload(1, "mine"))
        try fixture.expectSound()
    }

    @Test(arguments: [true, false], [true, false])
    func `is kept while its removed filter is fetched again, until that delivers its resource or not`(
        hasOther: Bool, isBrought: Bool
    ) async throws {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        if hasOther {
            server.on("bootstrap", page(until: 50, token: "other"))
            try await fixture.sync("bibles:*")
        }
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 50, token: "A"))
        server.on("translations/19", snapshot(at: 50, "old"))
        try await fixture.sync(filter)
        try await fixture.store.removeFilter(filter)
        server.on("bootstrap", status: 503, "")
        _ = try await fixture.failure(filter)
        try await write("mine", acceptedAt: 60, fixture.store)
        server.on("token other", page(until: 60, token: "other"))
        if hasOther { try await fixture.sync("bibles:*") }
        #expect(try fixture.text(1) == payload(1, "mine"))
        server.on("bootstrap", page(isBrought ? [change(1, "RESOURCE_CREATE")] : [], until: 60, token: "B"))
        server.on("translations/19", snapshot(at: 60, "mine"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == (isBrought ? payload(1, "mine") : nil))
        try fixture.expectSound()
    }

    @Test func `of a sequence that the server never reaches blocks its resource for some attempts only`()
        async throws
    {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        try await write("mine", acceptedAt: .max, fixture.store)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 55, token: "A"))
        server.on("translations/19", snapshot(at: 55, "theirs"))
        try await fixture.failsWithout(19, filter, times: 3)
        // A person who asks again and again proves nothing.
        for _ in 0..<3 { _ = try await fixture.failure(filter) }
        try await fixture.failsWithout(19, filter, times: 1)
        #expect(try fixture.text(1) == payload(1, "mine"))
        try await fixture.sync(filter)
        #expect(try fixture.store.read { view in try view.appliedPosition() }.timeline == 0)
        #expect(try fixture.text(1) == payload(1, "theirs"))
        server.on("token A", page([LarderSyncTests.row(56, 1, "new")], until: 56))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "new"))
        try fixture.expectSound()
    }

    @Test func `before anything was synced leaves no resource that is not found partial`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page(until: 50, token: "A"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync(filter)
        try await write("mine", acceptedAt: 60, fixture.store)
        server.on("token A", page([change(60, "RESOURCE_CREATE")], until: 60, token: "B"))
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":"No."}}"#)
        try await fixture.sync(filter)
        server.on("token B", page([LarderSyncTests.row(70, 1, "new")], until: 70, token: "C"))
        server.on("translations/19", snapshot(at: 70, "new", "two"))
        try await fixture.sync(filter)
        #expect(try fixture.text(2) == payload(2, "two"))
    }

    @Test func `before anything was synced does not prevent a change from delivering the resource`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page(until: 50, token: "A"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync(filter)
        try await write("mine", acceptedAt: 60, fixture.store)
        server.on("token A", page([change(59, "RESOURCE_CREATE")], until: 60, token: "B"))
        server.on("translations/19", snapshot(at: 60, "mine", "two"))
        #expect(try await fixture.sync(filter).snapshots == 1)
        #expect(try fixture.text(2) == payload(2, "two"))
    }
}

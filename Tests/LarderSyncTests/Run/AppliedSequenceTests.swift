// Proves that changes and snapshots at or below the applied sequence never roll a resource back.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

/// What a reader sees of a resource never goes back in time.
@Suite(.timeLimit(.minutes(5))) struct `Applied sequences` {
    private let filter = "translations:*"

    @Test func `row changes at or below the applied sequence never apply, and one above does`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        let changes = [row(8, 1, "eight"), row(9, 2, "nine"), row(10, 1, nil)]
        server.on("token A", page(changes, until: 10, token: "B"))
        #expect(try await fixture.sync(filter).rowsChanged == 0)
        #expect(try fixture.translation(19) == ["1": payload(1, "one")])
        server.on("token B", page([row(11, 1, "eleven")], until: 11, token: "C"))
        #expect(try await fixture.sync(filter).rowsChanged == 1)
        #expect(try fixture.text(1) == payload(1, "eleven"))
        #expect(try fixture.resource(19)?.appliedSequence == 11)
    }

    @Test func `RESOURCE_DELETE and RESOURCE_INVALIDATE at or below the applied sequence change no rows`() async throws
    {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        server.on("translations/19", snapshot(at: 20, "never"))
        server.on("token A", page([change(9, "RESOURCE_INVALIDATE"), change(10, "RESOURCE_DELETE")], until: 10))
        let report = try await fixture.sync(filter)
        #expect(report.snapshots == 0 && report.hidden == 0)
        #expect(try fixture.text(1) == payload(1, "one"))
        // Shown above its deletion: the filter holds it on, until it comes to the change that brought it back.
        #expect(try fixture.members() == [ResourceKey("translations", 19)])
    }

    @Test func `RESOURCE_CREATE at or below the applied sequence adds a member and fetches nothing`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        server.on("token A", page([change(9, "RESOURCE_DELETE"), change(10, "RESOURCE_CREATE")], until: 10))
        #expect(try await fixture.sync(filter).snapshots == 0)
        #expect(try fixture.members() == [ResourceKey("translations", 19)])
        #expect(server.names.filter { $0 == "translations/19" }.count == 1)
    }

    @Test func `a hidden resource keeps its applied sequence, and stale changes do not bring it back`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        server.on("token A", page([change(30, "RESOURCE_DELETE")], until: 30, token: "B"))
        try await fixture.sync(filter)
        #expect(try fixture.resource(19)?.appliedSequence == 30)
        // Another filter comes along later, with the changes in between.
        server.on("bootstrap", page(until: 30, token: "X"))
        try await fixture.sync("translations:19")
        server.on("token X", page([row(20, 1, "late"), change(25, "RESOURCE_CREATE")], until: 30, token: "Y"))
        server.on("translations/19", snapshot(at: 26, "late"))
        try await fixture.sync("translations:19")
        #expect(try fixture.resource(19)?.state == .hidden)
        #expect(try fixture.resource(19)?.appliedSequence == 30)
        #expect(try fixture.translation(19) == [:])
        // What comes after the tombstone does.
        server.on("token B", page([change(31, "RESOURCE_CREATE")], until: 31, token: "C"))
        server.on("translations/19", snapshot(at: 31, "again"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "again"))
    }

    @Test func `a slower filter cannot undo a faster one`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 2)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:19")
        try await fixture.origin.put(1, "first")
        // The slow one has its page, made before the second change, and applies it after the fast one is done.
        let held = HeldResponseTransport(fixture.script)
        async let slow = fixture.sync("translations:*", over: held)
        await held.waitUntilAnswered()
        try await fixture.origin.put(1, "second")
        #expect(try await fixture.sync("translations:19").rowsChanged == 2)
        held.release()
        #expect(try await slow.rowsChanged == 0)
        #expect(try fixture.text(1) == Origin.translation(1, "second"))
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*", "translations:19"]) == [])
    }

    @Test func `a snapshot that a slower filter could not find does not hide what a faster one has`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 2)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:19")
        try await fixture.origin.replace(19, with: Origin.translations(3, "second"))
        let second = try await fixture.origin.sequence
        try await fixture.origin.hide(19)
        // The slow run receives `snapshot_not_found`; before it can hide the resource, the resource is back.
        let held = HeldResponseTransport(fixture.script) { $0.path?.contains("snapshots") == true }
        async let slow = fixture.sync("translations:*", over: held)
        await held.waitUntilAnswered()
        try await fixture.origin.publish(19)
        try await fixture.sync("translations:19")
        let appliedSequence = try #require(try fixture.resource(19)?.appliedSequence)
        #expect(appliedSequence > second)
        held.release()
        _ = try await slow
        #expect(try fixture.resource(19)?.state == .ready)
        #expect(try fixture.resource(19)?.appliedSequence == appliedSequence)
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*", "translations:19"]) == [])
    }

    @Test func `a snapshot that is not found at all does not hide what a faster filter has delivered`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":""}}"#)
        let invalidated = page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B")
        server.on("token A", invalidated)
        let held = HeldResponseTransport(server) { $0.path?.contains("snapshots") == true }
        async let slow = fixture.sync(filter, over: held) { $0.snapshotAttempts = 1 }
        await held.waitUntilAnswered()
        // What another filter brings meanwhile.
        let resource = ResourceKey("translations", 19)
        try await fixture.store.write { transaction in
            try transaction.update(resource) { $0.appliedSequence = 20 }
        }
        held.release()
        #expect(try await slow.hidden == 0)
        #expect(try fixture.text(1) == payload(1, "one"))
    }

    @Test func `a snapshot that is not found at all does not hide an evicted resource that is newer`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        let resource = ResourceKey("translations", 19)
        try await fixture.evict(19)
        try await fixture.store.write { try $0.pin(resource) }
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":""}}"#)
        server.on("token A", page([change(20, "RESOURCE_INVALIDATE")], until: 20, token: "B"))
        let held = HeldResponseTransport(server) { $0.path?.contains("snapshots") == true }
        async let slow = fixture.sync(filter, over: held) { $0.snapshotAttempts = 1 }
        await held.waitUntilAnswered()
        // What another filter has brought meanwhile, and gave way before it was pinned.
        try await fixture.store.write { transaction in try transaction.update(resource) { $0.appliedSequence = 20 } }
        held.release()
        #expect(try await slow.hidden == 0)
        #expect(try fixture.resource(19)?.state == .evicted)
    }

    @Test
    func `no older snapshot is accepted where the rows are gone, and none is needed where the stored rows are newer`()
        async throws
    {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        server.on("translations/19", snapshot(at: 49, "older"))
        #expect(try await fixture.sync("translations:19").snapshots == 0)
        #expect(try fixture.text(1) == payload(1, "one"))
        try await fixture.evict(19)
        guard case .incomplete = try await fixture.failure("translations:19,20") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.resource(19)?.appliedSequence == 50)
        #expect(try fixture.token("translations:19,20") == nil)
    }

    @Test func `an old response adds no member that was withdrawn since`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        let changes = [change(11, "RESOURCE_INVALIDATE"), change(12, "RESOURCE_DELETE")]
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":""}}"#)
        server.on("token A", page(changes, until: 12, token: "B"))
        try await fixture.sync(filter)
        #expect(try fixture.members() == [])
        // The first page of that run comes once more, and the second one does not.
        server.on("token B", page([changes[0]], until: 12, cursor: "C"))
        server.on("cursor C", status: 503, "")
        _ = try await fixture.failure(filter)
        #expect(try fixture.members() == [])
    }
}

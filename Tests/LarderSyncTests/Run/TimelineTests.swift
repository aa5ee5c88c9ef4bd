// Proves when a server rollback begins a new timeline, in which everything is fetched again, and when it is only lag.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

/// A server that counts fewer changes than were applied is asked again, and taken for restored from a backup only when it goes
/// on doing so: then a new timeline begins, in which all is fetched again.
@Suite(.timeLimit(.minutes(5))) struct `Timelines` {
    private let filter = "translations:*"
    private let rejection = #"{"error":{"code":"resync_required","message":""}}"#

    @Test func `stay when a replica lags behind the applied sequence`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        let lagging = page(until: 49, token: "X")
        server.on("token A", lagging, lagging, lagging, page([row(51, 1, "two")], until: 51, token: "B"))
        let report = try await fixture.sync(filter)
        #expect(!report.wasRejected && report.rowsChanged == 1 && report.pages == 1)
        #expect(try fixture.text(1) == payload(1, "two"))
        #expect(try fixture.resource(19)?.timeline == 0)
        #expect(server.names == ["bootstrap", "translations/19"] + Array(repeating: "token A", count: 4))
    }

    @Test func `stay while the feed lags behind its own snapshots, whatever the filters`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 50, token: "A"))
        server.on("translations/19", snapshot(at: 60, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync(filter)
        server.on("token A", page([change(52, "RESOURCE_INVALIDATE", 20)], until: 55, token: "B"))
        server.on("translations/20", snapshot(20, at: 70, "other"))
        #expect(try await fixture.sync(filter).kind == .incremental)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 56, token: "N"))
        #expect(try await fixture.sync("translations:19").wasRejected == false)
        server.on("token B", page(until: 57, token: "C"))
        #expect(try await fixture.sync(filter).kind == .incremental)
        #expect(try fixture.store.read { view in try view.appliedPosition() } == ServerPosition(0, 57))
        // One answer each: nobody was asked again.
        #expect(server.names.filter { $0.contains("token") || $0 == "bootstrap" }.count == 4)
    }

    @Test func `begin at most once an hour, and another rollback within it counts as lag`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        server.on("token A", page(until: 20, token: "X"))
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 20, token: "B"))
        server.on("translations/19", snapshot(at: 20, "restored"))
        #expect(try await fixture.sync(filter).wasRejected)
        // The replica that does not lag, and the other one again.
        server.on("token B", page([row(60, 1, "new")], until: 60, token: "C"))
        try await fixture.sync(filter)
        server.on("token C", page(until: 20, token: "X"))
        let before = fixture.recordedEvents.count
        let error = try await fixture.failure(filter)
        guard case .laggingServer = error else {
            Issue.record("another reason: \(error)")
            return
        }
        #expect(error.isRetryable)
        #expect(!fixture.recordedEvents.dropFirst(before).contains(.tokenRejected(filter: filter)))
        #expect(try fixture.text(1) == payload(1, "new"))
        #expect(try fixture.token() == "C")
        #expect(try fixture.store.read { view in try view.appliedPosition() } == ServerPosition(1, 60))
    }

    @Test func `begin again after an hour, and where the clock was moved back`() async throws {
        let fixture = try SyncFixture(transport: CannedServer())
        let store = fixture.store
        let began: Int64 = 7_200_000
        let first = try await store.write { try $0.beginRun("translations:*", now: began) }
        let second = try await store.write { try $0.replaceRejected(first, after: .rolledBack, now: began) }
        await #expect(throws: SyncError.self) {
            _ = try await store.write { try $0.replaceRejected(second, after: .rolledBack, now: began + 3_599_999) }
        }
        let third = try await store.write {
            try $0.replaceRejected(second, after: .rolledBack, now: began + 3_600_000)
        }
        let fourth = try await store.write { try $0.replaceRejected(third, after: .rolledBack, now: 0) }
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(3, 0))
        // Any number may stand in the file.
        try await store.write { try $0.beginTimeline(restoredAt: .min) }
        let fifth = try await store.write { try $0.beginRun(fourth.canonicalText, now: began) }
        _ = try await store.write { try $0.replaceRejected(fifth, after: .rolledBack, now: began) }
        #expect(try store.read { view in try view.appliedPosition() } == ServerPosition(5, 0))
    }

    @Test func `make a bootstrap fetch resources ahead of its bound, unless they arrived since it began`() async throws
    {
        let fixture = try await SyncFixture.synced(CannedServer(), at: 60)
        let known = try #require(try fixture.resource(19))
        let syncedAt = try #require(known.syncedAt)
        let listed = try SyncPage(decoding: Array(page([change(1, "RESOURCE_CREATE")], until: 50).utf8)).mutations
        for (began, isSatisfied) in [(syncedAt - 1, true), (syncedAt + 1, false)] {
            let run = try await fixture.store.write { try $0.beginRun("translations:19", now: began) }
            let orders = try fixture.store.read { view in
                try SnapshotRequirements(listed).requests(run, bound: 50, in: view, now: began).requests
            }
            #expect(orders.map { $0.isSatisfied(by: known) } == [isSatisfied])
        }
    }

    @Test func `stay when a token is rejected without a server rollback`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 50, token: "N"))
        try await fixture.sync("translations:19")
        server.on("token A", status: 410, rejection)
        // Its copies lag: none of them is taken.
        server.on("translations/19", snapshot(at: 49, "older"))
        guard case .incomplete = try await fixture.failure(filter) else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.text(1) == payload(1, "one"))
        #expect(try fixture.resource(19)?.appliedSequence == 50)
        server.on("translations/19", snapshot(at: 50, "again"))
        #expect(try await fixture.sync(filter).wasRejected == false)
        // The word of a server that rejects tokens counts, and not what is here.
        #expect(try fixture.text(1) == payload(1, "again"))
        #expect(try fixture.resource(19)?.timeline == 0)
        server.on("token N", page(until: 50, token: "O"))
        #expect(try await fixture.sync("translations:19").kind == .incremental)
    }

    @Test(arguments: [false, true])
    func `begin where a server keeps counting fewer changes, and rows roll back`(isTokenRejected: Bool) async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        if isTokenRejected {
            server.on("token A", status: 410, rejection)
        } else {
            server.on("token A", page(until: 20, token: "X"))
        }
        let listed = [change(1, "RESOURCE_CREATE"), change(2, "RESOURCE_CREATE", 20)]
        server.on("bootstrap", page(listed, until: 20, token: "B"))
        server.on("translations/19", snapshot(at: 20, "restored"))
        server.on("translations/20", status: 500, "")
        _ = try await fixture.failure(filter, configure: { $0.concurrentSnapshots = 1 })
        #expect(fixture.recordedEvents.contains(.tokenRejected(filter: filter)))
        #expect(try fixture.text(1) == payload(1, "restored"))
        #expect(try fixture.resource(19)?.appliedSequence == 20)
        #expect(try fixture.resource(19)?.timeline == 1)
        #expect(try fixture.filterState(filter)?.lastUntilSequence == nil)
        // The bootstrap goes on: what it has finished is as new as it has to be, and is not fetched again.
        server.on("translations/19", snapshot(at: 19, "never"))
        server.on("translations/20", snapshot(20, at: 20, "twenty"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "restored"))
        #expect(try fixture.text(1, of: 20) == payload(1, "twenty"))
        #expect(try fixture.token() == "B")
        server.on("token B", page([row(21, 1, "new")], until: 21, token: "C"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "new"))
    }

    @Test func `begin for all filters, whose rows stay readable until they are bootstrapped`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        server.on("bootstrap", page([change(2, "RESOURCE_CREATE", 20)], until: 55, token: "N"))
        server.on("translations/20", snapshot(20, at: 55, "other"))
        try await fixture.sync("translations:20")
        // The count is back at 52: above all that this filter has asked for, and below what the other has.
        server.on("token A", page(until: 52, token: "X"))
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 52, token: "B"))
        server.on("translations/19", snapshot(at: 52, "restored"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "restored"))
        #expect(try fixture.token("translations:20") == "N")
        #expect(try fixture.text(1, of: 20) == payload(1, "other"))
        server.on("bootstrap", page([change(2, "RESOURCE_CREATE", 20)], until: 52, token: "O"))
        server.on("translations/20", snapshot(20, at: 52, "older"))
        #expect(try await fixture.sync("translations:20").kind == .bootstrap)
        #expect(try fixture.text(1, of: 20) == payload(1, "older"))
        #expect(try fixture.token("translations:20") == "O")
    }

    @Test func `end the runs that are under way in them`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        let now: Int64 = 1
        let run = try await fixture.store.write { try $0.beginRun("translations:*", now: now) }
        let other = try await fixture.store.write { try $0.beginRun("translations:19", now: now) }
        _ = try await fixture.store.write { try $0.replaceRejected(other, after: .rolledBack, now: now) }
        let errors = [
            await #expect(throws: SyncError.self) {
                _ = try await fixture.store.write {
                    try $0.finishRun(run, token: "B", untilSequence: 60, rowsWritten: 0, now: now)
                }
            },
            await #expect(throws: SyncError.self) {
                _ = try await fixture.store.write { try $0.replaceRejected(run, after: .rolledBack, now: now) }
            },
        ]
        for error in errors {
            guard case .superseded? = error else {
                Issue.record("another reason: \(String(describing: error))")
                continue
            }
        }
        #expect(try fixture.store.read { view in try view.appliedPosition() } == ServerPosition(1, 0))
    }

    @Test(arguments: [false, true])
    func `begin where an interrupted bootstrap had delivered higher sequences`(isAfterRejection: Bool) async throws {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        if isAfterRejection {
            try await fixture.store.write { transaction in
                _ = try transaction.updateFilter("translations:*") {
                    $0.isBootstrapping = true
                    $0.resyncs = 1
                }
            }
        }
        let listed = [change(1, "RESOURCE_CREATE"), change(2, "RESOURCE_CREATE", 20)]
        server.on("bootstrap", page(listed, until: 45, token: "B"))
        server.on("translations/19", snapshot(at: 50, "lost"))
        server.on("translations/20", status: 500, "")
        _ = try await fixture.failure(filter, configure: { $0.concurrentSnapshots = 1 })
        #expect(try fixture.resource(19)?.appliedSequence == 50)
        // The server is restored from a backup of before: its count has passed the run's bound, not what was finished.
        server.on("bootstrap", page(listed, until: 47, token: "B"))
        server.on("translations/19", snapshot(at: 47, "restored"))
        server.on("translations/20", snapshot(20, at: 47, "twenty"))
        try await fixture.failsWithout(19, filter, times: 4)
        #expect(try fixture.text(1) == payload(1, "lost"))
        // What is here is ahead of the feed, which may lag, until the snapshots have gone on being older for long.
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "restored"))
        #expect(try fixture.resource(19)?.appliedSequence == 47)
        #expect(try fixture.resource(19)?.timeline == 1)
    }

    @Test func `begin where a server rolls back after its first bootstrap was interrupted`() async throws {
        let server = CannedServer()
        let fixture = try SyncFixture(transport: server)
        let listed = [change(1, "RESOURCE_CREATE"), change(2, "RESOURCE_CREATE", 20)]
        server.on("bootstrap", page(listed, until: 45, token: "B"))
        server.on("translations/19", snapshot(at: 45, "lost"))
        server.on("translations/20", status: 500, "")
        _ = try await fixture.failure(filter, configure: { $0.concurrentSnapshots = 1 })
        server.on("bootstrap", page(listed, until: 30, token: "C"))
        server.on("translations/19", snapshot(at: 30, "restored"))
        server.on("translations/20", snapshot(20, at: 30, "twenty"))
        #expect(try await fixture.sync(filter).wasRejected)
        #expect(try fixture.text(1) == payload(1, "restored"))
    }

    @Test func `let withdrawn resources receive changes again`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        server.on("token A", page([change(60, "RESOURCE_DELETE")], until: 60, token: "B"))
        try await fixture.sync(filter)
        server.on("token B", status: 410, "")
        server.on("bootstrap", page(until: 40, token: "C"))
        try await fixture.sync(filter)
        server.on("token C", page([change(41, "RESOURCE_CREATE")], until: 41, token: "D"))
        server.on("translations/19", snapshot(at: 41, "back"))
        try await fixture.sync(filter)
        #expect(try fixture.text(1) == payload(1, "back"))
    }

    @Test func `end when the store is cleared, which may then be filled from another server`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 50)
        try await fixture.store.clear()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 3, token: "S"))
        server.on("translations/19", snapshot(at: 3, "staging"))
        #expect(try await fixture.sync(filter).wasRejected == false)
        #expect(try fixture.text(1) == payload(1, "staging"))
    }
}

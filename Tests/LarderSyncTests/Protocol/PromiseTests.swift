// Proves the general guarantees of content sync: convergence, local reads, and tokens that survive failures.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite struct `What content sync promises` {
    /// §1.1.1, §1.1.2
    @Test(arguments: Wiring.allCases)
    func `the store converges to the server's rows, and reads send no request`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 250)
            try await fixture.origin.addTranslations(20, count: 3)
            try await fixture.sync("translations:*")
            let requests = fixture.script.recorded.count
            #expect(try await fixture.differences(["translations:*"]) == [])
            #expect(fixture.script.recorded.count == requests)
        }
    }

    /// §1.1.3, §1.1.4
    @Test func `the state of a filter is its text, its token and a time`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 1)
        try await fixture.sync("translations:19")
        let state = try #require(try fixture.filterState("translations:19"))
        #expect(state.token?.isEmpty == false)
        #expect(state.tokenUpdatedAt != nil)
    }

    /// §1.1.5
    @Test(arguments: Wiring.allCases)
    func `a row has a payload as it came, and the time of its change`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:19")
            try await fixture.origin.put(1, "changed")
            try await fixture.sync("translations:19")
            let row = try fixture.store.read { view in
                try view.rows(in: .all(of: ResourceKey("translations", 19))).first
            }
            #expect(try await row?.updatedAt == fixture.origin.changes.last?.changedAt)
            #expect(row.map { String(decoding: $0.payload, as: UTF8.self) } == Origin.translation(1, "changed"))
        }
    }

    /// §1.1.6
    @Test func `rows are distinguished by group, id, type and key`() async throws {
        let fixture = try SyncFixture()
        for (group, id) in [("notes", Int64(1)), ("notes", 2), ("other", 1)] {
            let rows = [("a", "1"), ("a", "2"), ("b", "1")].map { type, key in
                Origin.Row(type: type, key: key, "{\"of\":\"\(group)/\(id) \(type) \(key)\"}")
            }
            try await fixture.origin.createResource(Origin.ResourceID(group, id), rows: rows)
        }
        try await fixture.sync("notes:*;other:*")
        #expect(try await fixture.differences(["notes:*;other:*"]) == [])
        #expect(try fixture.rows(ResourceKey("notes", 2)).count == 3)
        #expect(try fixture.payload(ResourceKey("other", 1), "b", "1")?.contains("other/1 b 1") == true)
    }

    /// §1.1.7, §1.1.19
    @Test func `changes may come more than once`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one", "two"))
        let changes = [row(2, 1, "new"), row(3, 3, "three"), row(4, 2, nil), row(5, 9, nil)]
        server.on("token A", page(changes, until: 5, token: "B"))
        server.on("token B", page(changes, until: 5, token: "C"))
        let fixture = try SyncFixture(transport: server)
        for _ in 1...3 { try await fixture.sync("translations:*") }
        #expect(try fixture.translation(19) == ["1": payload(1, "new"), "3": payload(3, "three")])
        #expect(try fixture.token() == "C")
    }

    /// §1.1.8
    @Test(arguments: Wiring.allCases)
    func `a first sync fetches what the filter names, and nothing else`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            for id in Int64(19)...22 { try await fixture.origin.addTranslations(id, count: 1) }
            let report = try await fixture.sync("translations:19,21")
            #expect(report.kind == .bootstrap && report.snapshots == 2)
            let copies = fixture.script.lines.filter { $0.contains("snapshots") }.sorted()
            #expect(copies.map { $0.prefix { $0 != "?" }.suffix(3) } == ["/19", "/21"])
        }
    }

    /// §1.1.9, §1.1.10
    @Test(arguments: Wiring.allCases)
    func `a later sync requests what changed since the token`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 2)
            try await fixture.sync("translations:*")
            let token = try #require(try fixture.token())
            let report = try await fixture.sync("translations:*")
            #expect(report.kind == .incremental)
            let line = try #require(fixture.script.lines.last)
            #expect(line.contains("&sync_token=\(token)&") && !line.contains("bootstrap"))
        }
    }

    /// §1.1.11
    @Test func `local rows are served while a run is under way`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 2)
        try await fixture.sync("translations:*")
        try await fixture.origin.put(1, "new")
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        async let report = fixture.sync("translations:*", over: heldRequests)
        await heldRequests.waitUntilHeld()
        #expect(try fixture.text(1) == Origin.translation(1, "row 1"))
        heldRequests.release()
        #expect(try await report.rowsChanged == 1)
        #expect(try fixture.text(1) == Origin.translation(1, "new"))
    }

    /// §1.1.12, §1.1.18
    @Test(arguments: Wiring.allCases)
    func `a rejected token starts its own filter over, and no other`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 2)
            try await fixture.origin.addTranslations(20, count: 2)
            try await fixture.sync("translations:19")
            try await fixture.sync("translations:20")
            let other = try fixture.token("translations:20")
            try await fixture.origin.invalidateTokens()
            #expect(try await fixture.sync("translations:19").kind == .bootstrap)
            #expect(try fixture.token("translations:20") == other)
            #expect(fixture.script.lines.filter { $0.contains("snapshots/translations/20") }.count == 1)
        }
    }

    /// §1.1.20
    @Test(arguments: Wiring.allCases)
    func `a failed run keeps the old token, and the next one continues from it`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 2)
            try await fixture.sync("translations:*")
            let token = try fixture.token()
            try await fixture.origin.put(1, "new")
            fixture.script.plan(.fail(.noConnection(reason: "test")), where: { _ in true })
            let error = try await fixture.failure("translations:*")
            #expect(error.isRetryable)
            #expect(try fixture.token() == token)
            #expect(try await fixture.sync("translations:*").kind == .incremental)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }
}

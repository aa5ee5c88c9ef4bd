// Proves that sequences ascend within their bound, and that a run which violates this fails.

import HTTPTypes
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

@Suite struct `Sequences` {
    /// A fixture whose store has one row and the token `A`.
    private func synced(_ server: CannedServer) async throws -> SyncFixture {
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        return fixture
    }

    /// §1.6.1
    @Test(arguments: [
        [row(2, 1, "a"), row(2, 1, "b")], [row(3, 1, "a"), row(2, 1, "b")],
        [row(2, 1, "a"), change(1, "RESOURCE_UPDATE")],
    ])
    func `that do not ascend fail the run, and nothing of the page applies`(_ changes: [String]) async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page(changes, until: 9))
        guard case .wire(.outOfOrder, request: .page) = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "one"))
        #expect(try fixture.resource(19)?.appliedSequence == 1)
    }

    /// §1.6.1
    @Test func `ascend from page to page, too`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([row(5, 1, "five")], until: 9, cursor: "C"))
        server.on("cursor C", page([row(5, 1, "again"), row(6, 1, "six")], until: 9))
        guard case .wire(.outOfOrder, request: .page) = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "five"))
    }

    /// §1.6.2
    @Test func `beyond the bound of the run fail it`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([row(4, 1, "four"), row(5, 1, "five")], until: 4))
        guard case .wire(.beyondRun, request: .page) = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.text(1) == payload(1, "one"))
    }

    /// §1.6.2, §1.6.4
    @Test func `have one bound in all pages of a run`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([row(5, 1, "five")], until: 9, cursor: "C"))
        server.on("cursor C", page([row(6, 1, "six")], until: 10))
        guard case .inconsistentRun = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "five"))
    }

    /// §1.6.3
    @Test(arguments: Wiring.allCases)
    func `of changes made while paging come with the next run`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:*")
            for number in 1...4 { try await fixture.origin.put(number, "first") }
            let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.contains("cursor=") == true }
            async let report = fixture.sync("translations:*", over: heldRequests, configure: { $0.perPage = 2 })
            await heldRequests.waitUntilHeld()
            try await fixture.origin.put(1, "second")
            heldRequests.release()
            #expect(try await report.rowsChanged == 4)
            #expect(try fixture.text(1) == Origin.translation(1, "first"))
            #expect(try await fixture.sync("translations:*").rowsChanged == 1)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.6.5, §1.6.7, §1.6.9
    @Test(arguments: Wiring.allCases)
    func `of a snapshot newer than its run supersede older row changes`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 2)
            try await fixture.sync("translations:*")
            try await fixture.origin.replace(19, with: Origin.translations(2, "replaced"))
            try await fixture.origin.put(1, "old")
            let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.contains("snapshots") == true }
            async let report = fixture.sync("translations:*", over: heldRequests)
            await heldRequests.waitUntilHeld()
            let latest = try await fixture.origin.put(1, "newer")
            heldRequests.release()
            #expect(try await report.rowsChanged == 0)
            #expect(try fixture.text(1) == Origin.translation(1, "newer"))
            #expect(try fixture.resource(19)?.appliedSequence == latest)
            #expect(try await fixture.sync("translations:*").rowsChanged == 0)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.6.6
    @Test func `are no checkpoint: only the last page's token is`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page([row(5, 1, "five")], until: 9, token: "B"))
        server.on("token B", page(until: 9, token: "C"))
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:*")
        #expect(server.names == ["bootstrap", "translations/19", "token A", "token B"])
    }

    @Test func `that make the pages form a cycle end the run`() async throws {
        let server = CannedServer()
        let fixture = try await synced(server)
        server.on("token A", page(until: 9, cursor: "B"))
        server.on("cursor B", page(until: 9, cursor: "C"))
        server.on("cursor C", page(until: 9, cursor: "D"))
        server.on("cursor D", page(until: 9, cursor: "B"))
        guard case .inconsistentRun = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(server.names.count < 20)
        #expect(try fixture.token() == "A")
    }
}

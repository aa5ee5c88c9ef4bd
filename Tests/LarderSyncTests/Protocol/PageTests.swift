// Proves that pages are decoded as the protocol defines them, and that a malformed one applies nothing.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite struct `Pages` {
    /// §1.4.1, §1.4.3
    @Test(arguments: Wiring.allCases)
    func `without changes still bring a new token, which is stored`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:*")
            let token = try fixture.token()
            // A change elsewhere moves the server's count, and with it the token.
            try await fixture.origin.createResource(Origin.ResourceID("tafsirs", 1))
            let report = try await fixture.sync("translations:*")
            #expect(report.mutations == 0)
            #expect(try fixture.token() != token)
        }
    }

    /// §1.4.2
    @Test(arguments: Wiring.allCases)
    func `in the middle of a run bring no token`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            for id in Int64(1)...3 { try await fixture.origin.addTranslations(id, count: 1) }
            fixture.script.plan(.fail(.connectionRefused), after: 1, where: { $0.path?.contains("/sync?") == true })
            _ = try await fixture.failure("translations:*", configure: { $0.perPage = 1 })
            #expect(try fixture.token() == nil)
            #expect(try fixture.resource(1)?.state == .ready)
        }
    }

    /// §1.4.4
    @Test func `of a bootstrap list resources with their snapshot paths`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(4, "RESOURCE_CREATE", snapshot: "/api/v4/resources/copies/x")], until: 9))
        server.on("/content/api/v4/resources/copies/x", snapshot(at: 9, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(19) == ["1": payload(1, "one")])
        #expect(try fixture.resource(19)?.snapshotPath == "/api/v4/resources/copies/x")
    }

    /// §1.4.5
    @Test func `may leave out what is null, and hold members of later versions`() async throws {
        let server = CannedServer()
        let bare = #"""
            {"sequence":1,"type":"RESOURCE_CREATE","resource_group":"translations","resource_id":19,
             "changed_at":"2026-05-05T10:05:00Z","snapshot_url":"/api/v4/resources/snapshots/translations/19",
             "later":{"a":[1,{}]}}
            """#
        let body = page([bare], until: 1).replacing("{\"sync\":{", with: "{\"more\":[],\"sync\":{\"other\":{},")
        server.on("bootstrap", body)
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(19).count == 1)
    }

    /// §1.4.6
    @Test(arguments: [
        page(until: 1).replacing("\"sync_until_sequence\":1,", with: ""),
        page(until: 1).replacing("\"has_more\":false,", with: ""),
        page(until: 1).replacing("\"next_page_url\":null,", with: ""),
        page(until: 1).replacing("\"next_sync_token\":\"T\",", with: ""),
        page(until: 1).replacing(",\"mutations\":[]", with: ""),
        page(until: 1, token: nil),
        page(until: 1, cursor: "C").replacing("\"/api/v4/resources/sync?cursor=C\"", with: "null"),
        page(until: 1).replacing("\"has_more\":false", with: "\"has_more\":\"false\""),
        page(until: 1).replacing("\"next_page_url\":null", with: "\"next_page_url\":\"/api/v4/resources/x\""),
        page(until: 1, cursor: "C").replacing("\"next_sync_token\":null", with: "\"next_sync_token\":\"T\""),
        page(until: 1).replacing(":[]", with: ":{}"),
        page(until: 1).replacing(":[]", with: ":[7]"),
        page(until: -1),
        "[]", "{}", "null", "{\"sync\":null}", "",
    ])
    func `that violate the protocol fail the run`(_ body: String) async throws {
        let server = CannedServer()
        server.on("bootstrap", body)
        let fixture = try SyncFixture(transport: server)
        guard case .wire(_, request: .page) = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.token() == nil)
    }

    /// §1.4.7
    @Test(arguments: [
        row(2, 1, "new").replacing("\"record_type\":\"translation\"", with: "\"record_type\":null"),
        row(2, 1, "new").replacing("\"record_key\":\"1\"", with: "\"record_key\":1"),
        row(2, 1, "new").replacing("\"record_key\":\"1\"", with: "\"record_key\":\"\""),
        row(2, 1, "new").replacing("\"data\":{\"id\":1,\"text\":\"new\"}", with: "\"data\":null"),
        row(2, 1, "new").replacing("\"data\":{\"id\":1,\"text\":\"new\"}", with: "\"data\":[1]"),
        row(2, 1, "new").replacing("2026-05-05T10:05:00Z", with: "yesterday"),
        row(2, 1, "new").replacing("\"sequence\":2", with: "\"sequence\":2.5"),
        row(2, 1, "new").replacing("\"resource_id\":19", with: "\"resource_id\":0"),
        change(2, "RESOURCE_INVALIDATE").replacing("/api/v4/resources/snapshots/translations/19", with: ""),
    ])
    func `with one bad change among good ones apply none of them`(_ bad: String) async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        server.on("token A", page([bad, row(3, 1, "good")], until: 9))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        guard case .wire(_, request: .page) = try await fixture.failure("translations:*") else {
            Issue.record("another reason")
            return
        }
        #expect(try fixture.token() == "A")
        #expect(try fixture.text(1) == payload(1, "one"))
    }
}

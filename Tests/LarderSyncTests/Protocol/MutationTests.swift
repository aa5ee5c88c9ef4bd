// Proves what each type of change does to a resource and its rows.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

@Suite struct `Each type of change` {
    /// §1.1.13, §1.5.1
    @Test(arguments: Wiring.allCases)
    func `RESOURCE_CREATE fetches the snapshot`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1)
            try await fixture.sync("translations:*")
            try await fixture.origin.addTranslations(20, count: 5)
            #expect(try await fixture.sync("translations:*").snapshots == 1)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.1.13, §1.5.2
    @Test(arguments: Wiring.allCases)
    func `RESOURCE_INVALIDATE replaces every row`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 5)
            try await fixture.sync("translations:*")
            try await fixture.origin.replace(19, with: Origin.translations(2, "new"))
            try await fixture.sync("translations:*")
            #expect(try fixture.translation(19).count == 2)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.5.3
    @Test(arguments: Wiring.allCases)
    func `RESOURCE_DELETE hides the resource and keeps its record`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 5)
            try await fixture.sync("translations:*")
            let sequence = try await fixture.origin.hide(19)
            #expect(try await fixture.sync("translations:*").hidden == 1)
            #expect(try fixture.translation(19) == [:])
            #expect(try fixture.resource(19)?.state == .hidden)
            #expect(try fixture.resource(19)?.appliedSequence == sequence)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.1.26, §1.5.4
    @Test(arguments: Wiring.allCases)
    func `RESOURCE_UPDATE leaves rows as they are and fetches nothing`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 5)
            try await fixture.sync("translations:*")
            let before = try #require(try fixture.resource(19))
            try await fixture.origin.touchResource(Origin.ResourceID("translations", 19))
            let report = try await fixture.sync("translations:*")
            #expect(report.snapshots == 0 && report.rowsChanged == 0 && report.mutations == 1)
            #expect(try fixture.resource(19)?.generation == before.generation)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.5.4
    @Test func `RESOURCE_UPDATE with a path still fetches nothing`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let path = "/api/v4/resources/snapshots/translations/19"
        server.on("token A", page([change(2, "RESOURCE_UPDATE", snapshot: path)], until: 2))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:*")
        #expect(server.names == ["bootstrap", "translations/19", "token A"])
        #expect(try fixture.translation(19).count == 1)
    }

    /// §1.5.5, §1.5.6, §1.5.7
    @Test(arguments: Wiring.allCases)
    func `row changes insert, replace and delete one row`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 12)
            try await fixture.sync("translations:*")
            try await fixture.origin.put(13, "created")
            try await fixture.origin.put(9, "updated")
            try await fixture.origin.delete(10)
            #expect(try await fixture.sync("translations:*").rowsChanged == 3)
            #expect(try fixture.text(13) == Origin.translation(13, "created"))
            #expect(try fixture.text(9) == Origin.translation(9, "updated"))
            #expect(try fixture.text(10) == nil)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.5.6
    @Test(arguments: Wiring.allCases)
    func `ROW_UPDATE is a whole row that replaces the old one`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.createResource(
                Origin.ResourceID("translations", 19),
                rows: [Origin.Row(type: "translation", key: "1", #"{"id":1,"text":"a","note":"b"}"#)])
            try await fixture.sync("translations:*")
            try await fixture.origin.put(1, "c")
            try await fixture.sync("translations:*")
            #expect(try fixture.text(1) == Origin.translation(1, "c"))
        }
    }

    /// §1.5.7
    @Test func `ROW_DELETE of a missing row succeeds`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        server.on("token A", page([row(2, 77, nil), row(3, 1, "new")], until: 3, token: "B"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        try await fixture.sync("translations:*")
        #expect(try fixture.translation(19) == ["1": payload(1, "new")])
        #expect(try fixture.token() == "B")
    }

    /// §1.5.8
    @Test(arguments: Wiring.allCases)
    func `a resource hidden, changed unseen and published again is as it is now`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 3)
            try await fixture.sync("translations:*")
            try await fixture.origin.hide(19)
            try await fixture.sync("translations:*")
            try await fixture.origin.put(1, "unseen")
            #expect(try await fixture.sync("translations:*").mutations == 0)
            try await fixture.origin.publish(19)
            #expect(try await fixture.sync("translations:*").snapshots == 1)
            #expect(try await fixture.differences(["translations:*"]) == [])
            try await fixture.origin.hide(19)
            try await fixture.origin.publish(19)
            try await fixture.origin.hide(19)
            try await fixture.sync("translations:*")
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.5.9
    @Test func `a type of a later version is skipped and reported`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one"))
        let later = #"{"sequence":2,"type":"ROW_MOVE","resource_group":"translations","resource_id":19}"#
        server.on("token A", page([later, row(3, 1, "new")], until: 3, token: "B"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        #expect(try await fixture.sync("translations:*").unknownMutations == 1)
        #expect(try fixture.text(1) == payload(1, "new"))
        let reported = SyncEvent.unknownMutation(type: "ROW_MOVE", ResourceKey("translations", 19))
        #expect(fixture.recordedEvents.contains(reported))
    }
}

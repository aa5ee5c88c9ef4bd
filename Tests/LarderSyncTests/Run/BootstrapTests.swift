// Proves that a bootstrap stores every listed resource, stores the token last, and is followed by incremental runs.

import LarderFormat
import LarderServer
import LarderSync
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A bootstrap` {
    @Test func `stores every listed resource and stores the token last`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 3000)
        try await fixture.origin.addTranslations(20, count: 10)
        let report = try await fixture.sync("translations:*")
        #expect(report.kind == .bootstrap)
        #expect(report.snapshots == 2)
        #expect(report.snapshotRows == 3010)
        #expect(
            try fixture.payload(ResourceKey("translations", 19), "translation", "2999")
                == "{\"id\":2999,\"text\":\"row 2999\"}")
        let state = try #require(try fixture.filterState("translations:*"))
        #expect(state.token != nil)
        #expect(state.members.count == 2)
        #expect(!state.isBootstrapping)
    }

    @Test func `is followed by runs that fetch only what has changed`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 30)
        _ = try await fixture.sync("translations:*")
        let resource = Origin.ResourceID("translations", 19)
        _ = try await fixture.origin.putRow(
            Origin.Row(type: "translation", key: "7", "{\"id\":7,\"text\":\"new\"}"), in: resource)
        _ = try await fixture.origin.deleteRow(Origin.RowKey("translation", "8"), in: resource)
        let report = try await fixture.sync("translations:*")
        #expect(report.kind == .incremental)
        #expect(report.rowsChanged == 2)
        #expect(report.snapshots == 0)
        #expect(
            try fixture.payload(ResourceKey("translations", 19), "translation", "7") == "{\"id\":7,\"text\":\"new\"}")
        #expect(try fixture.payload(ResourceKey("translations", 19), "translation", "8") == nil)
    }

    @Test func `follows a rejected token while the old rows stay readable, and sweeps removed resources`() async throws
    {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 30)
        try await fixture.origin.addTranslations(20, count: 30)
        _ = try await fixture.sync("translations:*")
        _ = try await fixture.origin.hideResource(Origin.ResourceID("translations", 20), reason: nil)
        try await fixture.origin.invalidateTokens()
        let report = try await fixture.sync("translations:*")
        #expect(report.kind == .bootstrap)
        #expect(report.hidden == 1)
        #expect(try fixture.payload(ResourceKey("translations", 19), "translation", "7") != nil)
        #expect(try fixture.payload(ResourceKey("translations", 20), "translation", "7") == nil)
    }
}

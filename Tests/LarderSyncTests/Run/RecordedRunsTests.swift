// Proves that a filter's record counts every row that a run wrote or deleted, those of whole resources too.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The recorded runs of a filter` {
    private func rowsWritten(_ fixture: SyncFixture) throws -> [Int64] {
        try #require(try fixture.filterState("translations:*")).runs.map(\.rowsWritten)
    }

    @Test func `count the rows of resources that a run hid or swept`() async throws {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        try await fixture.origin.addTranslations(20, count: 2)
        try await fixture.sync("translations:*")
        try await fixture.origin.hide(20)
        try await fixture.sync("translations:*")
        try await fixture.origin.hide(19)
        try await fixture.origin.invalidateTokens()
        try await fixture.sync("translations:*")
        #expect(try rowsWritten(fixture) == [5, 2, 3])
    }

    @Test func `count the rows of a resource whose snapshot is missing`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one", "two"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        server.on("token A", page([change(2, "RESOURCE_INVALIDATE")], until: 2, token: "B"))
        server.on("translations/19", status: 404, #"{"error":{"code":"snapshot_not_found","message":""}}"#)
        try await fixture.sync("translations:*")
        #expect(try rowsWritten(fixture) == [2, 2])
    }

    @Test func `count the rows written before a token was rejected`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1, token: "A"))
        server.on("translations/19", snapshot(at: 1, "one", "two"))
        let fixture = try SyncFixture(transport: server)
        try await fixture.sync("translations:*")
        server.on("token A", page([row(2, 1, "new")], until: 3, cursor: "c"))
        server.on("cursor c", status: 410, #"{"error":{"code":"resync_required","message":""}}"#)
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 3, token: "B"))
        server.on("translations/19", snapshot(at: 3, "new", "two", "three"))
        #expect(try await fixture.sync("translations:*").wasRejected)
        #expect(try rowsWritten(fixture) == [2, 1 + 3])
    }
}

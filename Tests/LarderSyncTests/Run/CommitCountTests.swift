// Proves how many commits a run costs: at most one for each small snapshot, and one for the row changes of a page.

import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The commits of a run` {
    @Test func `are at most one for each small snapshot, and a few for the run`() async throws {
        let fixture = try SyncFixture()
        for id in 1...40 { try await fixture.origin.addTranslations(Int64(id), count: 20) }
        let before = fixture.store.writerStatistics.commits
        #expect(try await fixture.sync("translations:*").snapshotRows == 800)
        #expect(fixture.store.writerStatistics.commits - before <= 40 + 5)
        #expect(try fixture.payload(ResourceKey("translations", 40), "translation", "20") != nil)
        #expect(try fixture.store.read { view in try view.resource(ResourceKey("translations", 7))?.rowCount } == 20)
    }

    @Test func `are one for the row changes of a page, whatever resources they are of`() async throws {
        let fixture = try SyncFixture()
        for id in 1...2 { try await fixture.origin.addTranslations(Int64(id), count: 20) }
        try await fixture.sync("translations:*")
        for number in 1...20 {
            for id in 1...2 {
                let text = Origin.translation(number, "new \(id)")
                let row = Origin.Row(type: "translation", key: String(number), text)
                _ = try await fixture.origin.putRow(row, in: Origin.ResourceID("translations", Int64(id)))
            }
        }
        let before = fixture.store.writerStatistics.commits
        let report = try await fixture.sync("translations:*")
        #expect(report.rowsChanged == 40 && report.pages == 1)
        // The binding to the server at the begin of the run, the page, and the token at its end.
        #expect(fixture.store.writerStatistics.commits - before <= 3)
        for id in 1...2 {
            let resource = ResourceKey("translations", Int64(id))
            #expect(
                try fixture.payload(resource, "translation", "20") == "{\"id\":20,\"text\":\"new \(id)\"}")
        }
    }

    @Test func `store the applied sequence of each resource that a page changes`() async throws {
        let server = CannedServer()
        let fixture = try await SyncFixture.synced(server, at: 10)
        server.on("token A", page([row(11, 1, "a"), row(12, 2, "b"), row(13, 1, nil)], until: 13, token: "B"))
        #expect(try await fixture.sync("translations:*").rowsChanged == 3)
        #expect(try fixture.translation(19) == ["2": payload(2, "b")])
        #expect(try fixture.resource(19)?.appliedSequence == 13)
        #expect(try fixture.resource(19)?.rowCount == 1)
    }
}

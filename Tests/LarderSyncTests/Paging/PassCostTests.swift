// Proves the cost of a pass: one read for an unchanged page, and one commit for a changed one.

import LarderFormat
import LarderStore
import LarderSync
import Synchronization
import Testing

@Suite struct `The cost of a pass over a list` {
    @Test(arguments: [Paging.offset, .keyset])
    func `is one read and no write for a page without changes`(_ paging: Paging) async throws {
        let fixture = try ListFixture()
        let server = ListServer(paging, keys: 1...100)
        try await fixture.reconcile(server, ListConfiguration(pageSize: 10))
        let before = try fixture.commit()
        let report = try await fixture.reconcile(server, ListConfiguration(pageSize: 10))
        // One read for each answer, and one that finds that no row is missing.
        #expect(report.rangeReads == report.requests + 1)
        #expect(report.writes == 0)
        // The mark, and nothing else.
        #expect(try fixture.commit() == before + 1)
    }

    @Test func `is one commit for a page with changes, whatever their number`() async throws {
        let fixture = try ListFixture()
        let server = ListServer(keys: 1...40)
        try await fixture.reconcile(server, ListConfiguration(pageSize: 10))
        server.change { state in
            for key in [3, 4, 27] { state.delete(key) }
            for key in [8, 9, 29] { state.put(key, "another") }
            for key in 41...44 { state.put(key, "new") }
        }
        let before = try fixture.commit()
        let report = try await fixture.reconcile(server, ListConfiguration(pageSize: 10))
        #expect(try fixture.isEqual(to: server))
        #expect((report.created, report.updated, report.deleted) == (4, 3, 3))
        #expect(try fixture.commit() == before + UInt64(report.writes) + 1)
        #expect(report.writes <= 5)
    }

    @Test func `notifies no observer of rows when nothing changed`() async throws {
        let fixture = try ListFixture()
        try await fixture.reconcile(ListServer(keys: 1...9))
        let changes = fixture.store.changes(in: .resource(fixture.resource))
        try await fixture.reconcile(ListServer(keys: 1...9))
        try await fixture.reconcile(ListServer(keys: 1...8))
        var iterator = changes.makeAsyncIterator()
        let set = try #require(await iterator.next())
        #expect(set.rows[fixture.resource]?.removals.map(\.key) == ["9"])
        #expect(set.rows[fixture.resource]?.upserts.isEmpty == true)
    }

    @Test func `makes an empty list ready`() async throws {
        let fixture = try ListFixture()
        let report = try await fixture.reconcile(ListServer(keys: []))
        #expect(report.writes == 0)
        #expect(try fixture.known()?.state == .ready)
        #expect(try fixture.known()?.rowCount == 0)
        #expect(try fixture.known()?.syncedAt != nil)
    }

    @Test func `does not touch a row whose payload is only spelled in another order`() async throws {
        let fixture = try ListFixture()
        let spellings = Mutex([
            "{\"id\":1,\"name\":\"a\"}", "{ \"name\": \"a\", \"id\": 1 }", "{\"id\":1,\"name\":\"b\"}",
        ])
        let server = ListServer.responding(keys: []) { _, _ in
            let text = spellings.withLock { $0.removeFirst() }
            return ListPage(items: [ListItem(key: "1", payload: Array(text.utf8))], hasMore: false)
        }
        #expect(try await fixture.reconcile(server).created == 1)
        #expect(try await fixture.reconcile(server).writes == 0)
        #expect(try await fixture.reconcile(server).updated == 1)
    }

    @Test func `writes a row of which only the time of its change is another`() async throws {
        let fixture = try ListFixture()
        for (time, updates) in [(5, 0), (5, 0), (6, 1)] as [(Int64, Int)] {
            let server = ListServer.responding(keys: []) { _, _ in
                ListPage(items: [ListItem(key: "1", payload: Array("{}".utf8), updatedAt: time)], hasMore: false)
            }
            #expect(try await fixture.reconcile(server).updated == updates)
        }
        #expect(fixture.changes.last?.updated.first?.members == [])
    }
}

// Proves that a write over a list row is not undone by a page on its way, and is kept when a pass fails.

import LarderFormat
import LarderStore
import LarderSync
import Testing

/// A list whose first page is on its way while something else happens.
private struct SlowSource: PageSource {
    let server: ListServer
    let meanwhile: @Sendable () async throws -> Void

    var paging: Paging { server.paging }

    func page(_ request: PageRequest) async throws -> ListPage {
        let page = try await server.page(request)
        if server.requests.count == 1 { try await meanwhile() }
        return page
    }
}

@Suite struct `A write over a row of a list` {
    private let fixture: ListFixture
    private let row: RowKey
    private let id = UUIDBytes(high: 7, low: 7)

    init() throws {
        fixture = try ListFixture()
        row = RowKey(resource: fixture.resource, type: "user", key: "2")
    }

    private func text() throws -> String? {
        try fixture.store.read { view in try view.payload(at: row) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func enqueue() async throws {
        let draft = OutboxDraft(
            id: id, lane: "lane", createdAt: 1, mutationType: "user", method: "PATCH", endpoint: "/users/2",
            payload: [])
        let effect = RowEffect(.patch(Array(#"{"own":1}"#.utf8)), at: row)
        try await fixture.store.write { try $0.enqueue(draft, effects: [effect]) }
    }

    private var overlays: [Overlay] {
        get throws { try fixture.store.read { view in try view.overlays(at: row) } }
    }

    @Test func `accepted while a page is on its way is not undone by that page`() async throws {
        try await fixture.put(1...6)
        try await enqueue()
        let server = ListServer(.offset, [1: "row 1", 2: "theirs", 3: "row 3", 4: "row 4", 5: "row 5", 6: "row 6"])
        let source = SlowSource(server: server) { [fixture, id] in
            try await fixture.store.write { try $0.completeEntry(id, at: 1) }
        }
        try await fixture.reconcile(source)
        #expect(try text()?.contains("own") == true)
        #expect(try text()?.contains("theirs") == true)
        #expect(try overlays == [])
        var findings: [String] = []
        _ = try fixture.store.verify { finding in findings.append("\(finding)") }
        #expect(findings == [])
    }

    @Test func `keeps its overlay when the pass fails, until the write is accepted`() async throws {
        struct Lost: Error {}
        try await fixture.put(1...6)
        try await enqueue()
        let source = SlowSource(server: ListServer(keys: 1...6)) { throw Lost() }
        _ = try await fixture.failure(source)
        #expect(try overlays.count == 1)
        try await fixture.store.write { [id] in try $0.completeEntry(id, at: 1) }
        #expect(try overlays == [])
        #expect(try text()?.contains("own") == true)
    }
}

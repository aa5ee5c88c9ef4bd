// Proves that a host with an open store is notified at once of changes that the tool makes in another process.
import LarderFormat
import LarderStore
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A host beside the tool` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path + "/store" }

    @Test func `is notified of a write that the tool removes`() async throws {
        let store = try Store.open(at: path, host: .test)
        let id = UUIDBytes(high: 2, low: 1)
        try await store.write { transaction in
            let draft = OutboxDraft(
                id: id, lane: "lane", createdAt: 1, mutationType: "note.create", method: "POST", endpoint: "/notes",
                payload: bytes("{}"))
            try transaction.enqueue(draft, effects: [])
        }
        let read: @Sendable (borrowing ReadView) throws -> Bool = { view in try view.outboxHead(id) != nil }
        var waiting = store.values(in: .outbox, read).makeAsyncIterator()
        var changes = store.changes().makeAsyncIterator()
        #expect(try await waiting.next() == true)
        #expect(try Tool.run("outbox", "drop", path, id.description, "--yes").status == 0)
        // The tool makes as many commits as it needs.
        while try await waiting.next() == true {}
        let change = await changes.next()
        #expect(change?.isEverything == true)
        #expect(change?.lanes.isEmpty == true)
        try store.close()
    }
}

// Proves that a small snapshot replaces all rows in one commit, which several share, or changes nothing.

import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A replacement at once` {
    private func rows(of resource: ResourceKey = translations, _ texts: [String: String]) throws -> SnapshotRows {
        var rows = SnapshotRows(of: resource, updatedAt: 1)
        for (key, text) in texts { try rows.append(bytes(text).rawSpan, type: "translation", key: key) }
        return rows
    }

    @Test func `shows the new rows and nothing of the old ones, in one commit`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let before = try store.read { view in view.commit }
        #expect(try await store.replaceAtOnce(rows(["1": "a", "2": "b"])) { $1.appliedSequence = 4 })
        #expect(try store.read { view in view.commit } == before + 1)
        #expect(try await store.replaceAtOnce(rows(["2": "c", "10": "d"])) { $1.appliedSequence = 5 })
        let shown = try store.read { view in try view.rows(in: .all(of: translations)) }
        #expect(shown.map(\.key.key) == ["2", "10"])
        #expect(shown.map(\.payload) == ["c", "d"].map(bytes))
        let resource = try store.read { view in try view.resource(translations) }
        #expect(resource?.state == .ready && resource?.rowCount == 2 && resource?.appliedSequence == 5)
        try await store.reclaim()
        #expect(try store.statistics().generations.counts == [1, 0, 0])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `whose last step throws changes nothing`() async throws {
        struct Refused: Error {}
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.replace(translations, with: [(key(1), bytes("old"))])
        await #expect(throws: Refused.self) {
            try await store.replaceAtOnce(rows(["1": "new"])) { _, _ in throw Refused() }
        }
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("old"))
        #expect(try store.statistics().generations.counts == [1, 0, 0])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `changes nothing where an index is over the rows, and else writes beside indexes`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.declareIndex(priceIndex)
        #expect(try await !store.replaceAtOnce(rows(["1": "{}"])) { _, _ in })
        #expect(try store.read { view in try view.resource(translations) } == nil)
        #expect(try await store.replaceAtOnce(rows(of: tafsirs, ["1": "{}"])) { _, _ in })
        #expect(try store.read { view in try view.resource(tafsirs)?.rowCount } == 1)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `waits for a snapshot that is being written, and a cancelled wait leaves the queue`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let staging = try await store.beginStaging(translations)
        let cancelled = Task { try await store.replaceAtOnce(rows(of: tafsirs, ["1": "a"])) { _, _ in } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        let waiting = (1...5).map { id in
            Task { try await store.replaceAtOnce(rows(of: ResourceKey("tafsirs", id), ["1": "b"])) { _, _ in } }
        }
        #expect(try store.statistics().resources.ready == 0)
        try await store.swap(staging) { _, _ in }
        for task in waiting { #expect(try await task.value) }
        #expect(try store.statistics().resources.ready == 6)
        // The turn is free again.
        try await store.replace(translations, with: [(key(1), bytes("c"))])
        #expect(try store.findings() == [])
        try store.close()
    }
}

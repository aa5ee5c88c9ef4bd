// Proves that a replacement shows exactly its last rows, and leaves the old rows when it fails or is out of date.

import LarderFormat
import LarderStore
import Testing

@Suite struct `A replacement` {
    private struct Interruption: Error {}

    private func fill(_ store: Store, rows: Range<Int>, appliedSequence: Int64, word: String) async throws {
        try await store.replace(translations, appliedSequence: appliedSequence, schemaVersion: 3) { writer in
            for number in rows {
                let payload = bytes("{\"word\":\"\(word)\",\"number\":\(number)}")
                try await writer.append(payload, type: "translation", key: String(number), updatedAt: 1)
            }
        }
    }

    @Test func `leaves exactly the rows that were appended last`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fill(store, rows: 0..<30_000, appliedSequence: 5, word: "old")
        try await fill(store, rows: 10_000..<40_000, appliedSequence: 7, word: "new")
        try store.read { view in
            let payloads = [try view.payload(at: key(9_999)), try view.payload(at: key(10_000))]
            #expect(payloads == [nil, bytes("{\"word\":\"new\",\"number\":10000}")])
            let count = try view.forEachRow(in: .all(of: translations)) { _ in }
            #expect(count == 30_000)
            let found = try view.resource(translations)
            let resource = try #require(found)
            #expect(resource.rowCount == 30_000)
            #expect(resource.appliedSequence == 7)
            #expect(resource.schemaVersion == 3)
            #expect(resource.syncedAt == 1_700_000_000_000)
            #expect(resource.stagingGeneration == nil)
        }
        try store.close()
    }

    @Test func `that fails or is out of date leaves the old rows and lets the next one begin`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fill(store, rows: 0..<10, appliedSequence: 5, word: "old")
        await #expect(throws: Interruption.self) {
            try await store.replace(translations, appliedSequence: 6) { writer in
                try await writer.append(bytes("{}"), type: "translation", key: "1", updatedAt: 1)
                try await writer.flush()
                throw Interruption()
            }
        }
        await #expect(throws: StoreError.stagingSuperseded(translations)) {
            try await fill(store, rows: 0..<10, appliedSequence: 4, word: "older")
        }
        try store.read { view in
            let payload = try view.payload(at: key(1))
            #expect(payload == bytes("{\"word\":\"old\",\"number\":1}"))
            let appliedSequence = try view.resource(translations)?.appliedSequence
            #expect(appliedSequence == 5)
        }
        try await fill(store, rows: 0..<3, appliedSequence: 5, word: "same")
        #expect(try store.read { view in try view.resource(translations)?.rowCount } == 3)
        try store.close()
    }

    @Test func `that is repeated leaves what a restored server has sent since`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fill(store, rows: 0..<3, appliedSequence: 50, word: "seed")
        try await store.write { try $0.beginTimeline() }
        // No word of the server since: still the same content.
        try await fill(store, rows: 0..<4, appliedSequence: 50, word: "seed")
        #expect(try store.read { view in try view.resource(translations)?.timeline } == 0)
        let staging = try await store.beginStaging(translations)
        try await store.swap(staging) { _, record in record.applied = ServerPosition(1, 20) }
        await #expect(throws: StoreError.stagingSuperseded(translations)) {
            try await fill(store, rows: 0..<3, appliedSequence: 50, word: "seed")
        }
        let known = try store.read { view in try view.resource(translations) }
        #expect(known?.rowCount == 0 && known?.appliedSequence == 20 && known?.timeline == 1)
        try store.close()
    }

    @Test(arguments: [ResourceState.hidden, .empty])
    func `older than the withdrawal restores nothing`(state: ResourceState) async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.write { try $0.withdraw(translations, at: ServerPosition(0, 60), as: state) }
        await #expect(throws: StoreError.stagingSuperseded(translations)) {
            try await fill(store, rows: 0..<3, appliedSequence: 50, word: "seed")
        }
        let known = try store.read { view in try view.resource(translations) }
        #expect(known?.state == state && known?.appliedSequence == 60)
        try store.close()
    }

    @Test func `counts its commits as bulk work`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fill(store, rows: 0..<10, appliedSequence: 0, word: "a")
        try await store.reclaim()
        let statistics = store.writerStatistics
        #expect(statistics.bulkCommits >= 1)
        #expect(statistics.commits >= statistics.bulkCommits + 2)
        try store.close()
    }
}

// Proves that last uses are collected in memory, and are written after an hour, after many uses, or at the close.

import LarderFormat
import LarderStore
import Testing

@Suite struct `Recorded usage` {
    private let directory = TemporaryStore()

    private func lastUse(_ store: Store) throws -> Int64? {
        try store.read { view in try view.responses(forKey: "k") }.first?.record.lastUsedAt
    }

    @Test func `is written when the store closes`() async throws {
        let store = try directory.open()
        let entry = try await store.put(response("k"))
        store.usage.addUse(ofResponse: entry.record.blob, at: entry.place, now: 700)
        #expect(store.usage.lastUse(ofResponse: entry.record.blob) == 700)
        #expect(try lastUse(store) == 5)
        try store.close()
        let again = try directory.open()
        #expect(try lastUse(again) == 700)
        #expect(try again.findings() == [])
        try again.close()
    }

    @Test func `is due after an hour, and after many uses`() async throws {
        let store = try directory.open()
        let entry = try await store.put(response("k"))
        let usage = store.usage
        func use(_ now: Int64) -> Bool { usage.addUse(ofResponse: entry.record.blob, at: entry.place, now: now) }
        #expect(!use(1000))
        #expect(!use(1000 + UsageLog.interval - 1))
        #expect(use(1000 + UsageLog.interval))
        #expect(usage.drain(now: 5_000_000).count == 1)
        #expect(usage.isEmpty)
        #expect(!use(5_000_001))
        // A clock that moves backwards begins a new hour.
        #expect(!use(4_000_000))
        #expect(use(4_000_000 + UsageLog.interval))
        var isDue = false
        for number in 0..<2000 where !isDue {
            isDue = usage.addUse(ofResponse: Int64(number), at: entry.place, now: 4_000_001)
        }
        #expect(isDue)
        try store.close()
    }

    @Test func `of a response that was replaced meanwhile is discarded`() async throws {
        let store = try directory.open()
        let entry = try await store.put(response("k"))
        store.usage.addUse(ofResponse: entry.record.blob, at: entry.place, now: 700)
        try await store.put(response("k", etag: "2"))
        try store.close()
        let again = try directory.open()
        #expect(try lastUse(again) == 5)
        try again.close()
    }
}

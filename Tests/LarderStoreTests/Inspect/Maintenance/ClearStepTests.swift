// Proves that clearing removes a bounded part of what is stored in each of its commits, and leaves a sound store after each.

import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite(.timeLimit(.minutes(10))) struct `A step of clearing` {
    private let directory = TemporaryStore()

    private func applyOverlays(_ store: Store, _ resource: ResourceKey, rows: Int, bytes count: Int) throws {
        let payload = [UInt8](repeating: 7, count: count)
        try store.writeBlocking(durability: .relaxed) { transaction in
            for number in 1...rows {
                try transaction.applyOverlay(
                    .replacement(payload, codec: .opaque), at: key(number, resource), updatedAt: 1)
            }
        }
    }

    /// What each step of clearing resources removes.
    private func steps(_ store: Store) throws -> [(bytes: Int64, records: Int)] {
        var steps: [(bytes: Int64, records: Int)] = []
        var isMore = true
        while isMore {
            let before = (bytes: try size(store), records: try store.recordCount(of: .overlay))
            isMore = try store.writeBlocking { transaction in try transaction.clearSomeResources() }
            steps.append((before.bytes - (try size(store)), before.records - (try store.recordCount(of: .overlay))))
            #expect(try store.findings() == [])
        }
        return steps
    }

    @Test func `is bounded by bytes where local changes are long`() async throws {
        let store = try directory.open()
        try applyOverlays(store, translations, rows: 100, bytes: 20_000)
        let steps = try steps(store)
        // A change and what is shown of it lie in the store each.
        #expect(steps.allSatisfy { $0.bytes < 600_000 } && steps.count >= 7, "\(steps)")
        #expect(try store.recordCount(of: .overlay) == 0 && store.recordCount(of: .resources) == 0)
        try store.close()
    }

    @Test func `is bounded by records where they are many`() async throws {
        let store = try directory.open()
        try await store.put([key(1)])
        try applyOverlays(store, translations, rows: 1000, bytes: 10)
        for id in 1...100 as ClosedRange<Int64> {
            try applyOverlays(store, ResourceKey("tafsirs", id), rows: 3, bytes: 10_000)
        }
        let steps = try steps(store)
        #expect(steps.allSatisfy { $0.records <= 256 && $0.bytes < 600_000 }, "\(steps)")
        #expect(try store.recordCount(of: .overlay) == 0 && store.recordCount(of: .resources) == 0)
        try await store.clear(discardingUnsent: true)
        #expect(try size(store) == 0)
        try store.close()
    }
}

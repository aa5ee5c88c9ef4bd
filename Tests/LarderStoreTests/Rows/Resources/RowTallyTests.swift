// Proves that the row counts of a resource are right within a transaction, after it, and after a failure.
import LarderFormat
import LarderStore
import Testing

@Suite struct `Tallies of rows` {
    private struct Failure: Error {}

    private let temporary = TemporaryStore()

    private func resource(_ store: Store, _ name: ResourceKey = translations) throws -> Resource {
        try #require(try store.read { try $0.resource(name) })
    }

    @Test func `a transaction reads what it has counted`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(2)])
        let before = try resource(store).byteCount
        try await store.write { transaction in
            func counts() throws -> [Int] {
                guard let resource = try transaction.resource(translations) else { return [] }
                return [resource.rowCount, resource.byteCount]
            }
            let row = before / 2
            try transaction.put(bytes("3"), at: key(3), updatedAt: 1)
            #expect(try counts() == [3, before + row])
            try transaction.pin(translations)
            #expect(try counts() == [3, before + row])
            try transaction.removeRow(at: key(1))
            try transaction.put(bytes("22"), at: key(2), updatedAt: 1)
            #expect(try counts() == [2, before + 1])
        }
        #expect(try resource(store).rowCount == 2)
        #expect(try resource(store).byteCount == before + 1)
        #expect(try resource(store).isPinned)
        #expect(try store.findings() == [])
    }

    @Test func `rows discarded in the transaction that stored them are not counted`() async throws {
        let store = try temporary.open()
        try await store.put([key(1), key(1, tafsirs)])
        let one = try resource(store).byteCount
        try await store.write { transaction in
            try transaction.put(bytes("2"), at: key(2), updatedAt: 1)
            try transaction.evict(translations)
            try transaction.put(bytes("2"), at: key(2, tafsirs), updatedAt: 1)
            try transaction.withdraw(tafsirs, at: ServerPosition(0, 1), as: .hidden)
        }
        #expect(try resource(store).evictedByteCount == 2 * one)
        #expect([try resource(store).rowCount, try resource(store, tafsirs).rowCount] == [0, 0])
        #expect(try store.findings() == [])
        // Rows put behind that are in another generation.
        try await store.write { transaction in
            try transaction.put(bytes("3"), at: key(3), updatedAt: 1)
            try transaction.evict(translations)
            for number in 4...6 { try transaction.put(bytes("4"), at: key(number), updatedAt: 1) }
        }
        #expect(try resource(store).rowCount == 3)
        #expect(try store.keys(.all(of: translations)) == ["4", "5", "6"])
        #expect(try store.findings() == [])
    }

    @Test func `a write that fails leaves nothing counted`() async throws {
        let store = try temporary.open()
        try await store.put([key(1)])
        let before = try resource(store)
        await #expect(throws: Failure.self) {
            try await store.write { transaction in
                try transaction.put(bytes("2"), at: key(2), updatedAt: 1)
                throw Failure()
            }
        }
        #expect(try resource(store) == before)
        try await store.put([key(3)])
        #expect(try resource(store).rowCount == 2)
        #expect(try store.findings() == [])
    }

    @Test func `a row materialized from a released write is counted`() async throws {
        let store = try temporary.open()
        try await store.put([key(1)])
        try await store.write { transaction in
            try transaction.evict(translations)
            let sequence = try transaction.applyOverlay(.replacement(bytes("mine")), at: key(2), updatedAt: 1)
            // It stays while the rows are not here.
            try transaction.confirmOverlay(at: key(2), sequence: sequence)
        }
        #expect(try resource(store).overlayCount == 1)
        // With the resource back, the end of the transaction makes it the row.
        try await store.write { try $0.markComplete(translations, now: 1) }
        #expect(try resource(store).overlayCount == 0)
        #expect(try resource(store).rowCount == 1)
        #expect(try store.findings() == [])
    }

    @Test func `counted bytes stay within the cap`() async throws {
        let cap: Int64 = 200_000
        let store = try temporary.open(StoreOptions(sizeCap: cap))
        for resource in 0..<40 {
            let name = ResourceKey("translations", Int64(resource))
            try await store.put((0..<100).map { key($0 * 1_000_000, name) })
            #expect(try store.read { try $0.storedSize() } <= cap)
        }
        let use = try store.spaceUse()
        #expect(use.evictable > 0 && use.evictable <= use.stored)
        #expect(try store.findings() == [])
    }
}

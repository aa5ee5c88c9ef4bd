// Proves that a store with a cap evicts to fit new content, and refuses what cannot fit.

import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `A store with a cap` {
    @Test func `evicts a resource to fit a new snapshot, and reports it`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 350_000))
        for id in 1...5 as ClosedRange<Int64> {
            try await fill(store, id)
            #expect(try size(store) <= 350_000)
        }
        let states = try (1...5).map { try state(store, $0) }
        #expect(states.last == .ready)
        #expect(states.count { $0 == .evicted } == 2)
        let evictions = try store.read { view in try view.evictions() }
        #expect(evictions.count == 2)
        #expect(evictions.allSatisfy { $0.reason == .cap && $0.bytes > 100_000 })
        let evicted = try #require(evictions.first)
        guard case .resource(let resource) = evicted.subject else {
            Issue.record("no resource was evicted")
            return
        }
        let known = try store.read { view in try view.resource(resource) }
        #expect(known?.evictedByteCount == Int(evicted.bytes))
        #expect(known?.snapshotPath == "/copy")
        #expect(known?.byteCount == 0)
        #expect(try store.keys(.all(of: resource)) == [])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `removes garbage before it evicts anything`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 350_000))
        for round in 0..<10 as Range<Int64> {
            try await fill(store, 1, rows: 10 + Int(round % 2))
            try await fill(store, 2)
            #expect(try size(store) <= 350_000)
        }
        #expect(try store.read { view in try view.evictions() } == [])
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `refuses what cannot fit beside pinned content, and is unchanged`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 350_000))
        for id in 1...3 as ClosedRange<Int64> {
            try await fill(store, id)
            try await store.write { transaction in try transaction.pin(big(id)) }
        }
        let before = try contents(store)
        let failure = await #expect(throws: StoreError.self) { try await put(store, 60_000) }
        guard case .full(let shortage)? = failure else {
            Issue.record("not full: \(String(describing: failure))")
            return
        }
        #expect(shortage.cap == 350_000)
        #expect(shortage.needed > 60_000)
        #expect(shortage.missing > 0 && shortage.missing < shortage.needed)
        #expect(shortage.evictable == 0)
        #expect(shortage.use.pinned > 300_000)
        #expect(shortage.use.evictable == 0)
        #expect(try contents(store) == before)
        // A smaller one fits, and unpinned content is evicted.
        try await put(store, 10_000)
        try await store.write { transaction in try transaction.pin(big(2), false) }
        try await put(store, 60_000)
        #expect(try state(store, 2) == .evicted)
        #expect(try state(store, 1) == .ready)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `passes over recently read content once`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 350_000))
        for id in 1...3 as ClosedRange<Int64> { try await fill(store, id) }
        for id in [1, 3] as [Int64] {
            _ = try store.read { view in
                try view.payload(at: RowKey(resource: big(id), type: "row", key: "1"))
            }
        }
        try await fill(store, 4)
        #expect(try state(store, 2) == .evicted)
        #expect(try state(store, 1) == .ready)
        #expect(try state(store, 3) == .ready)
        try store.close()
    }

    @Test func `does not evict what the same write changes`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 350_000))
        try await fill(store, 1, rows: 30)
        let resource = big(1)
        await #expect(throws: StoreError.self) {
            try await store.write { transaction in
                let payload = [UInt8](repeating: 7, count: 100_000)
                try transaction.put(payload, at: RowKey(resource: resource, type: "row", key: "new"), updatedAt: 1)
            }
        }
        #expect(try state(store, 1) == .ready)
        #expect(try store.keys(.all(of: resource)).count == 30)
        try store.close()
    }

    @Test func `keeps the old rows when their replacement does not fit beside them`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 350_000))
        try await fill(store, 1, rows: 20)
        await #expect(throws: StoreError.self) { try await fill(store, 1, rows: 21) }
        #expect(try store.keys(.all(of: big(1))).count == 20)
        #expect(try state(store, 1) == .ready)
        try await store.reclaim()
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `lets the small writes of a commit through when one is too large`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open(StoreOptions(sizeCap: 100_000))
        let outcomes = try await commitTogether(
            store,
            (0..<4).map { number in
                { transaction in
                    let payload = [UInt8](repeating: 1, count: number == 2 ? 200_000 : 100)
                    try transaction.put(payload, at: key(number), updatedAt: 1)
                    return number
                }
            })
        #expect(outcomes.map { (try? $0.get()) != nil } == [true, true, false, true])
        #expect(try store.keys(.all(of: translations)) == ["0", "1", "3"])
        try store.close()
    }

    private func put(_ store: Store, _ count: Int) async throws {
        try await store.write { transaction in
            try transaction.put([UInt8](repeating: 9, count: count), at: key("x"), updatedAt: 1)
        }
    }
}

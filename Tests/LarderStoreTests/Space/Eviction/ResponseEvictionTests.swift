// Proves that responses are evicted by last use together with rows, and that pinned and open ones are treated rightly.

import LarderFormat
import LarderStore
import Synchronization
import Testing

@Suite struct `Responses in a store with a cap` {
    private let directory = TemporaryStore()

    private func body(_ count: Int, _ byte: UInt8 = 7) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func keys(_ store: Store) throws -> Set<String> {
        Set(try store.read { view in try view.responses(after: nil, limit: .max) }.map(\.record.key))
    }

    @Test func `are evicted for newer ones, with their bodies, and one journal record for many`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 100_000))
        for number in 0..<200 {
            try await store.put(response("k\(number)", receivedAt: Int64(number)), body: body(1_000))
            #expect(try size(store) <= 100_000)
        }
        let remaining = try keys(store)
        #expect(remaining.contains("k199") && !remaining.contains("k0"))
        #expect((60...90).contains(remaining.count))
        let evictions = try store.read { view in try view.evictions() }
        let gone = evictions.reduce(0) { sum, eviction in
            guard case .responses(let count) = eviction.subject else { return -1000 }
            return sum + count
        }
        #expect(gone + remaining.count == 200)
        #expect(evictions.count < gone / 3)
        try await store.reclaim()
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `are evicted by last use, even if that is not written yet`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 300_000))
        var entries: [ResponseEntry] = []
        let now = store.sizeCap.map { _ in HostServices.test.now() } ?? 0
        for number in 0..<12 {
            var record = response("k\(number)")
            record.lastUsedAt = now - 1_000_000 + Int64(number)
            entries.append(try await store.put(record, body: body(20_000)))
        }
        store.usage.addUse(ofResponse: entries[0].record.blob, at: entries[0].place, now: now)
        for number in 12..<20 { try await store.put(response("k\(number)", receivedAt: now), body: body(20_000)) }
        let remaining = try keys(store)
        #expect(remaining.contains("k0") && !remaining.contains("k1") && !remaining.contains("k2"))
        try store.close()
    }

    @Test func `that are pinned are kept, and content that does not fit beside them is refused`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 300_000))
        for number in 0..<10 {
            var record = response("k\(number)")
            record.isPinned = number < 4
            try await store.put(record, body: body(50_000))
        }
        #expect(try keys(store).isSuperset(of: ["k0", "k1", "k2", "k3"]))
        await #expect(throws: StoreError.self) { try await store.put(response("large"), body: body(100_000)) }
        #expect(try keys(store).isSuperset(of: ["k0", "k1", "k2", "k3"]))
        #expect(try await store.pinResponses(forKey: "k0", false) == 1)
        #expect(try await store.pinResponses(forKey: "none") == 0)
        try await store.put(response("large"), body: body(100_000))
        #expect(try !keys(store).contains("k0"))
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `that are being read are evicted last, and their reader gets an error`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 300_000))
        let entry = try await store.put(response("held", receivedAt: 1), body: body(60_000, 9))
        let handle = try #require(try store.blob(entry.record.blob))
        for number in 0..<20 { try await store.put(response("k\(number)", receivedAt: 5), body: body(60_000)) }
        #expect(try keys(store).contains("held"))
        var read = 0
        try handle.read(0..<60_000) { span in read += span.byteCount }
        #expect(read == 60_000)
        // Nothing else is left to evict.
        try await store.put(response("large"), body: body(270_000))
        #expect(try keys(store) == ["large"])
        #expect(throws: StoreError.blobRemoved) { try handle.read(0..<60_000) { _ in } }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `larger than the cap are refused while they arrive, and leave nothing`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 400_000))
        try await store.put(response("small"), body: body(10_000))
        let writer = try store.makeBlob()
        await #expect(throws: StoreError.self) {
            for _ in 0..<20 {
                writer.append(body(50_000).rawSpan)
                try await writer.flush()
            }
        }
        writer.cancel()
        try await store.put(response("next"), body: body(300_000))
        try await store.reclaim()
        #expect(try keys(store).contains("next"))
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `and rows are weighed against each other`() async throws {
        let store = try directory.open(StoreOptions(sizeCap: 500_000))
        try await fill(store, 1, rows: 20)
        for number in 0..<10 {
            try await store.put(response("k\(number)", receivedAt: 5), body: body(20_000))
        }
        // The responses were not used since 1970, and the rows have just come.
        try await store.write { transaction in
            try transaction.update(big(1)) { $0.syncedAt = HostServices.test.now() }
        }
        for number in 10..<20 { try await store.put(response("k\(number)", receivedAt: 5), body: body(20_000)) }
        #expect(try state(store, 1) == .ready)
        try store.close()
    }
}

@Suite struct `A sweep` {
    @Test func `records which resources were read, once an hour`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let now = HostServices.test.now()
        try await fill(store, 1)
        try await fill(store, 2)
        _ = try store.read { view in try view.payload(at: bigKey(1, 1)) }
        try await store.sweep(now: now)
        let used = try store.read { view in try [1, 2].map { try view.resource(big($0))?.usedAt } }
        #expect(used == [now, nil])
        _ = try store.read { view in try view.payload(at: bigKey(1, 1)) }
        try await store.sweep(now: now + 10)
        #expect(try store.read { view in try view.resource(big(1))?.usedAt } == now)
        try await store.sweep(now: now + 3_600_000)
        #expect(try store.read { view in try view.resource(big(1))?.usedAt } == now + 3_600_000)
        #expect(try store.findings() == [])
        try store.close()
    }
}

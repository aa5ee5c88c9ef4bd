// Proves that what is to be removed is found at the first key of its table, by an open and by each step, and that every
// step is bounded and goes on where the last one ended.

import LMDBCalls
import LarderFormat
import LarderJSON
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite(.timeLimit(.minutes(10))) struct `The lookups of an open` {
    private let directory = TemporaryStore()

    /// Lookups and cursor steps of an open: on this thread, and with those on the writer's.
    private func costOfOpen() throws -> (here: [Int], all: [Int]) {
        let before = lmdb_calls_of_this_thread()
        let store = try directory.open()
        let after = lmdb_calls_of_this_thread()
        let here = [after.lookups - before.lookups, after.steps - before.steps]
        // The thread began with this open.
        let writer = try store.writeBlocking { _ in lmdb_calls_of_this_thread() }
        try store.close()
        return (here, [here[0] + writer.lookups, here[1] + writer.steps])
    }

    private func fill(generations: Int64, blobs: Int64) throws {
        let store = try directory.open()
        try store.writeBlocking(durability: .relaxed) { transaction in
            for number in 1...generations {
                let resource = ResourceKey("g", number)
                let generation = try transaction.makeGeneration(of: resource)
                try transaction.update(resource) {
                    $0.state = .ready
                    $0.liveGeneration = generation
                }
            }
            for number in 1...blobs { try transaction.putBlob(number, BlobRecord(byteCount: 0, digest: 0)) }
        }
        try store.close()
    }

    @Test func `are as many for 100,000 blobs and 10,000 generations as for one`() throws {
        try fill(generations: 1, blobs: 1)
        let small = try costOfOpen().all
        try fill(generations: 10_000, blobs: 100_000)
        let large = try costOfOpen().all
        #expect(large == small)
        #expect(small[0] > 0 && small[0] < 20 && small[1] < 20, "\(small)")
    }

    @Test func `do not grow with garbage that another process left`() throws {
        try fill(generations: 1, blobs: 1)
        let clean = try costOfOpen().here
        try leaveGarbage((2...1000).map { GarbageKey(.blob, $0) }, in: directory)
        let left = try costOfOpen().here
        #expect(left[0] - clean[0] <= 1 && left[1] - clean[1] <= 3, "\(clean) \(left)")
    }
}

/// Enters ranges as another process does that ends before it removes them.
private func leaveGarbage(_ keys: [GarbageKey], in directory: TemporaryStore) throws {
    let other = UUIDBytes(high: 0x7d9c_1a52_3e64_4f0b, low: 0x9a8d_0000_0000_0001)
    let raw = try RawStore(directory.path)
    try raw.replace(
        [],
        by: keys.map { key in
            RawRecord(table: .garbage, key: key.bytes, value: [])
                .resealed(GarbageRecord(process: other).encode())
        })
    try raw.close()
}

@Suite(.timeLimit(.minutes(10))) struct `Removing garbage` {
    private let directory = TemporaryStore()

    /// What the writer's thread was asked to do by `body`.
    private func cost(_ store: Store, _ body: (inout Transaction) throws -> Void) throws -> (lookups: Int, steps: Int) {
        try store.writeBlocking { transaction in
            let before = lmdb_calls_of_this_thread()
            try body(&transaction)
            let after = lmdb_calls_of_this_thread()
            return (after.lookups - before.lookups, after.steps - before.steps)
        }
    }

    /// Begins and gives up blobs of a chunk each, and removes them.
    private func costOfBlobs(_ count: Int64, _ store: Store) throws -> Int {
        let payload = [UInt8](repeating: 1, count: 100)
        try store.writeBlocking { transaction in
            for _ in 0..<count {
                let blob = try transaction.beginBlob()
                _ = try transaction.putChunk(payload.rawSpan, 0, of: blob)
                try transaction.discardStagedBlob(blob)
            }
            transaction.effects.hasGarbage = false
        }
        return try cost(store) { transaction in
            var place = GarbageKey.removable
            while try transaction.reclaimSome(from: &place, isTimeUp: { false }) {}
        }.lookups
    }

    @Test func `costs the same for each, however many there are`() throws {
        let store = try directory.open()
        let few = try costOfBlobs(50, store)
        let many = try costOfBlobs(500, store)
        #expect(many <= few * 10 && few <= 50 * 12, "\(few) \(many)")
        #expect(try store.statistics().storedSize == 0)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `of an index continues at the generation where it stopped`() async throws {
        let store = try directory.open()
        let index = IndexDefinition(name: "n", group: "big", type: "row", path: JSONPath("$.n")!)
        try await store.declareIndex(index)
        for id in 1...40 as ClosedRange<Int64> { try await store.put([bigKey(1, id), bigKey(2, id)]) }
        let other = IndexDefinition(name: "m", group: "big", type: "row", path: JSONPath("$.m")!)
        try await store.declareIndex(other)
        let number = try #require(try store.read { view in try view.index(named: "n") }).number
        // In one transaction, so that nothing is removed in the background.
        let lookups = try store.writeBlocking { transaction in
            #expect(try transaction.removeIndex(named: "n"))
            var lookups: [Int] = []
            var place = GarbageKey.removable
            var isMore = true
            while isMore {
                let before = lmdb_calls_of_this_thread()
                // One entry a step.
                isMore = try transaction.reclaimSome(from: &place, bytes: 1, isTimeUp: { false })
                lookups.append(lmdb_calls_of_this_thread().lookups - before.lookups)
            }
            return lookups
        }
        #expect(lookups.count >= 80)
        #expect(lookups.allSatisfy { $0 <= 12 }, "\(lookups)")
        #expect(
            try store.read { view in try view.tables.isInGarbage(GarbageKey(.index, number), in: view.transaction) }
                == false)
        #expect(try store.recordCount(of: .indexes) == 80 + 1)
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `that a killed process has begun continues`() async throws {
        let first = try directory.open()
        try await fill(first, 1, rows: 100)
        try await fill(first, 2, rows: 10)
        try first.writeBlocking { transaction in
            try transaction.evict(big(1))
            var place = GarbageKey.removable
            #expect(try transaction.reclaimSome(from: &place, bytes: 300_000, isTimeUp: { false }))
            transaction.effects.hasGarbage = false
        }
        let half = try first.statistics().generations
        #expect(half.counts == [1, 0, 1] && half.garbageRows < 75 && half.garbageRows > 60)
        #expect(try first.spaceUse().garbage == half.garbageBytes)
        #expect(try first.findings() == [])
        try first.close()
        let store = try directory.open()
        try await store.eventually { try store.statistics().generations.counts == [1, 0, 0] }
        #expect(try store.findings() == [])
        try store.close()
    }

    @Test func `skips content in use, and keys that no writer makes`() async throws {
        let first = try directory.open()
        try await fill(first, 1)
        try await first.put(response("k"), body: [UInt8](repeating: 1, count: 50_000))
        try await first.declareIndex(IndexDefinition(name: "n", group: "big", type: "row", path: JSONPath("$.n")!))
        try first.close()
        let wrong = [GarbageKey(.generation, 1), GarbageKey(.index, 1), GarbageKey(.blob, 1)]
        try leaveGarbage(wrong, in: directory)
        let raw = try RawStore(directory.path)
        // A record that does not verify, of a range that nothing leads to.
        var damaged = RawRecord(table: .garbage, key: GarbageKey(.generation, 77).bytes, value: []).resealed([])
        damaged.value[5] ^= 1
        try raw.replace([], by: [damaged, RawRecord(table: .garbage, key: [0x15, 0x02, 0x02], value: [1])])
        try raw.close()
        let store = try directory.open()
        try await store.put(response("other"), body: [UInt8](repeating: 1, count: 50_000))
        try await store.write { transaction in
            for found in try transaction.responsePlaces(forKey: "other", where: { _ in true }) {
                try transaction.removeResponse(at: found.place)
            }
        }
        try await store.eventually { try store.recordCount(of: .garbage) == 4 }
        #expect(try store.keys(.all(of: big(1))).count == 10)
        #expect(try store.storedResponse("k", language: "de") != nil)
        let pointers = try store.findings().filter { $0.kind == .pointer && $0.table == "garbage" }
        #expect(pointers.map(\.location) == ["generation 1", "index 1", "blob 1"])
        try store.close()
    }

    @Test func `is verified: discarded content is recorded, and unfinished content has its record`() async throws {
        let store = try directory.open()
        _ = try await store.beginStaging(translations)
        let writer = try store.makeBlob()
        writer.append([UInt8](repeating: 7, count: 600_000).rawSpan)
        try await writer.flush()
        #expect(try store.findings() == [])
        let raw = try RawStore(directory.path)
        let entered = try raw.records().filter { $0.table == .garbage }
        #expect(try entered.map { try GarbageKey(decoding: $0.key.rawSpan).kind } == [.stagedGeneration, .stagedBlob])
        try raw.replace(entered, by: [])
        #expect(Set(try store.findings().map(\.kind)) == [.orphan, .pointer, .counter])
        try raw.replace([], by: entered)
        let generations = try raw.records().filter { $0.table == .generations }
        try raw.replace(generations, by: [])
        #expect(Set(try store.findings().map(\.kind)) == [.orphan, .pointer, .counter])
        try raw.replace([], by: generations)
        #expect(try store.findings() == [])
        try raw.close()
        withExtendedLifetime(writer) {}
        try store.close()
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Bodies that another process discarded` {
    private let directory = TemporaryStore()

    /// A store with two bodies, the first of which another process gave up.
    private func fill() async throws -> [Int64] {
        let store = try directory.open()
        let entries = [
            try await store.put(response("a"), body: [UInt8](repeating: 1, count: 50_000)),
            try await store.put(response("b"), body: [UInt8](repeating: 2, count: 50_000)),
        ]
        try store.writeBlocking { transaction in
            try transaction.removeResponse(at: entries[0].place)
            transaction.effects.hasGarbage = false
        }
        try store.close()
        return entries.map(\.record.blob)
    }

    @Test func `are kept while any process reads bodies, and a process's own are removed`() async throws {
        let blobs = try await fill()
        let lock = UseLock("bodies.lock", in: directory.path)
        lock.begin()
        let store = try directory.open()
        try await store.eventually { !store.shared.reclaimer.isWanted }
        try await store.write { transaction in
            for found in try transaction.responsePlaces(forKey: "b", where: { _ in true }) {
                try transaction.removeResponse(at: found.place)
            }
        }
        try await store.eventually {
            try store.read { view in try view.tables.garbage(.blob, in: view.transaction) } == [blobs[0]]
        }
        try await store.reclaim()
        #expect(try store.read { view in try view.tables.garbage(.blob, in: view.transaction) } == [blobs[0]])
        lock.end()
        try await store.reclaim()
        #expect(try store.recordCount(of: .blobs) == 0)
        #expect(try store.recordCount(of: .garbage) == 0)
        try store.close()
    }

    @Test func `are removed when their space is needed`() async throws {
        _ = try await fill()
        let lock = UseLock("bodies.lock", in: directory.path)
        lock.begin()
        let store = try directory.open(StoreOptions(sizeCap: 120_000))
        try await store.write { transaction in
            for found in try transaction.responsePlaces(forKey: "b", where: { _ in true }) {
                try transaction.updateResponse(at: found.place, blob: found.blob) { $0.isPinned = true }
            }
        }
        try await store.put(response("c"), body: [UInt8](repeating: 3, count: 50_000))
        #expect(try store.read { view in try view.tables.garbage(.blob, in: view.transaction) } == [])
        lock.end()
        try store.close()
    }
}

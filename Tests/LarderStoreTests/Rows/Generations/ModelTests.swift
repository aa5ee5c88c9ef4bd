// Proves that a store holds what a dictionary would after random changes, and verifies without findings.

import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `Any history of changes` {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `leaves what a dictionary would hold, and nothing for verify to find`(seed: UInt64) async throws {
        var model = Model(seed: seed)
        let directory = TemporaryStore()
        var store = try directory.open()
        for batch in 0..<12 {
            for _ in 0..<25 { try await model.step(store) }
            if batch % 3 == 2 {
                // What is staged now is left behind.
                _ = try await store.beginStaging(model.resources[batch % model.resources.count])
                try store.close()
                store = try directory.open()
            }
            if batch % 4 == 3 { try await store.reclaim() }
            let found = try store.read { view in
                try model.resources.flatMap { try view.rows(in: .all(of: $0)) }
            }
            #expect(
                found.map(\.key) == model.rows.keys.sorted() && found.allSatisfy { model.rows[$0.key] == $0.payload },
                "seed \(seed), batch \(batch)")
            #expect(try store.findings() == [], "seed \(seed), batch \(batch)")
        }
        try await store.reclaim()
        #expect(try store.statistics().rows == Int64(model.rows.count), "seed \(seed)")
        #expect(try store.findings() == [], "seed \(seed)")
        try store.close()
    }
}

/// What the store should show, and the dice that decide what happens next.
private struct Model {
    let resources = [ResourceKey("a", -1), ResourceKey("a", 2), ResourceKey("b", 1)].sorted()
    var rows: [RowKey: [UInt8]] = [:]
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func step(_ store: Store) async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...9: try await put(store)
        case 10...14: try await remove(store)
        case 15...16: try await replace(store)
        case 17: try await withdraw(store)
        case 18: try await abandon(store)
        default: try await store.reclaim()
        }
    }

    private mutating func anyKey(of resource: ResourceKey? = nil) -> RowKey {
        let names = ["-3", "0", "9", "10", "007", "", "a", "a\u{0}", "ab", "é", "e\u{301}", "\u{1F600}"]
        return RowKey(
            resource: resource ?? resources.randomElement(using: &random)!,
            type: ["", "verse", "verses"].randomElement(using: &random)!, key: names.randomElement(using: &random)!)
    }

    private mutating func anyPayload() -> [UInt8] {
        let size = [0, 1, 40, 3_000, 20_000].randomElement(using: &random)!
        return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
    }

    private mutating func put(_ store: Store) async throws {
        let changes = (0..<Int.random(in: 1...5, using: &random)).map { _ in (anyKey(), anyPayload()) }
        try await store.write(durability: .relaxed) { transaction in
            for (key, payload) in changes { try transaction.put(payload, at: key, updatedAt: 1) }
        }
        for (key, payload) in changes { rows[key] = payload }
    }

    private mutating func remove(_ store: Store) async throws {
        let key = anyKey()
        let wasThere = try await store.write(durability: .relaxed) { try $0.removeRow(at: key) }
        #expect(wasThere == (rows.removeValue(forKey: key) != nil))
    }

    private mutating func replace(_ store: Store) async throws {
        let resource = resources.randomElement(using: &random)!
        let copy = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            (key: anyKey(of: resource), payload: anyPayload())
        }
        try await store.replace(resource, with: copy)
        rows = rows.filter { $0.key.resource != resource }
        for (key, payload) in copy { rows[key] = payload }
    }

    private mutating func withdraw(_ store: Store) async throws {
        let resource = resources.randomElement(using: &random)!
        let state: ResourceState = Bool.random(using: &random) ? .hidden : .evicted
        try await store.write { try $0.withdraw(resource, at: ServerPosition(0, 3), as: state) }
        rows = rows.filter { $0.key.resource != resource }
    }

    private mutating func abandon(_ store: Store) async throws {
        let staging = try await store.beginStaging(resources.randomElement(using: &random)!)
        var batch = RowBatch(for: staging)
        let key = anyKey(of: staging.resource)
        try batch.append(anyPayload().rawSpan, type: key.type, key: key.key, updatedAt: 1)
        try await store.stage(batch, in: staging)
        await store.discard(staging)
    }
}

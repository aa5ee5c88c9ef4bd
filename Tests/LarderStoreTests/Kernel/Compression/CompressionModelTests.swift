// Proves that a compressed store holds what a dictionary would after random changes, trainings and opens.

#if Compression
import LarderCompression
import LarderEngine
import LarderFormat
import LarderStore
import Testing

@Suite struct `Any history of changes of compressed rows` {
    private let resources = [translations, tafsirs, ResourceKey("translations", 20)]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `leaves what a dictionary would hold, and nothing for verify to find`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var model: [RowKey: [UInt8]] = [:]
        let directory = TemporaryStore()
        var store = try directory.open(options(&random))
        for step in 0..<60 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: try await change(store, &model, &random)
            case 5...6: try await replace(store, &model, &random)
            case 7: _ = try await store.trainDictionary(for: "translations")
            case 8: try await store.reclaim()
            default:
                try store.close()
                store = try directory.open(options(&random))
            }
            let found = try store.read { view in try resources.flatMap { try view.rows(in: .all(of: $0)) } }
            #expect(found.count == model.count, "seed \(seed), step \(step)")
            #expect(found.allSatisfy { model[$0.key] == $0.payload }, "seed \(seed), step \(step)")
            if step % 10 == 9 { #expect(try store.findings() == [], "seed \(seed), step \(step)") }
        }
        try store.close()
    }

    private func options(_ random: inout SeededGenerator) -> StoreOptions {
        .compressed([["translations"], ["translations", "tafsirs"], []].randomElement(using: &random)!)
    }

    private func payload(_ random: inout SeededGenerator) -> [UInt8] {
        let number = Int.random(in: 0..<100_000, using: &random)
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: noise(number % 3000, seed: UInt64(number))
        case 1: [UInt8](repeating: UInt8(number % 256), count: number % 5000)
        default: translationPayload(number, size: 80 + number % 400)
        }
    }

    private func change(
        _ store: Store, _ model: inout [RowKey: [UInt8]], _ random: inout SeededGenerator
    ) async throws {
        let changes = (0..<20).map { _ in
            (
                key(Int.random(in: 0..<200, using: &random), resources.randomElement(using: &random)!),
                Bool.random(using: &random) ? payload(&random) : nil
            )
        }
        try await store.write(durability: .relaxed) { transaction in
            for (key, payload) in changes {
                if let payload {
                    try transaction.put(payload, at: key, updatedAt: 1)
                } else {
                    try transaction.removeRow(at: key)
                }
            }
        }
        for (key, payload) in changes { model[key] = payload }
    }

    private func replace(
        _ store: Store, _ model: inout [RowKey: [UInt8]], _ random: inout SeededGenerator
    ) async throws {
        let resource = resources.randomElement(using: &random)!
        let rows = (0..<Int.random(in: 1...300, using: &random)).map { (key($0, resource), payload(&random)) }
        try await store.replace(resource, with: rows)
        model = model.filter { $0.key.resource != resource }
        for (key, payload) in rows { model[key] = payload }
    }
}
#endif

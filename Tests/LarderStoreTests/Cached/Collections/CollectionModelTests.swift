// Proves that collections behave as a dictionary does after random changes.

import LarderFormat
import LarderStore
import Testing

/// What collections are, in a dictionary.
private struct Model {
    var collections: [CollectionName: [RowKey]] = [:]
    var rows: Set<RowKey> = []
}

@Suite struct `Collections beside a dictionary` {
    private let directory = TemporaryStore()

    private static let names = (0..<6).map { number in
        CollectionName(
            class: number < 4 ? "translation" : "note", query: String(repeating: "q", count: number * 90),
            reference: number % 3 == 2 ? .init(row: key(number), attribute: "a") : nil)
    }
    private static let rows = (1...8).map { key($0) } + [key(1, tafsirs), key("x")]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `agree after any history`(seed: UInt64) async throws {
        let store = try directory.open()
        var random = SeededGenerator(seed: seed)
        var model = Model()
        for step in 0..<300 {
            let name = try #require(Self.names.randomElement(using: &random))
            let row = try #require(Self.rows.randomElement(using: &random))
            let count = Int.random(in: 0...12, using: &random)
            let rows = (0..<count).compactMap { _ in Self.rows.randomElement(using: &random) }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                model.collections[name] = rows
                try await store.put(name, rows, at: Int64(step))
            case 5:
                let removed = try await store.write { transaction in try transaction.removeCollection(name) }
                #expect(removed == model.collections.removeValue(forKey: name), "seed \(seed) step \(step)")
            case 6:
                try await store.write { transaction in try transaction.removeCollections(ofClass: name.className) }
                model.collections = model.collections.filter { $0.key.className != name.className }
            case 7:
                model.rows.remove(row)
                try await store.write { transaction in try transaction.removeRow(at: row) }
            default:
                model.rows.insert(row)
                try await store.put([row])
            }
            try check(store, model, "seed \(seed) step \(step)")
        }
        #expect(try store.findings() == [], "seed \(seed)")
        try store.close()
    }

    private func check(_ store: Store, _ model: Model, _ place: String) throws {
        try store.read { view in
            for name in Self.names {
                let found = try view.collection(name)
                guard let found, let rows = model.collections[name] else {
                    #expect((found == nil) == (model.collections[name] == nil), "\(place)")
                    continue
                }
                let content = try view.rows(of: found)
                #expect(content.rows.map(\.key) == rows.filter(model.rows.contains), "\(place)")
                #expect(content.missing == rows.filter { !model.rows.contains($0) }, "\(place)")
            }
            for row in Self.rows {
                let holders = Set(try view.collections(holding: row).map(\.name))
                let expected = Set(model.collections.filter { $0.value.contains(row) }.keys)
                #expect(holders == expected, "\(place)")
            }
        }
    }
}

// Proves that indexes give what the rows say, in order, whole and in batches, after random changes.

import LarderFormat
import LarderStore
import Testing

/// A value of each kind that a payload may have, often the same.
private func randomJSON(_ generator: inout SeededGenerator) -> (text: String, value: IndexValue) {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return ("null", .null)
    case 1: return ("true", .integer(1))
    case 2, 3:
        let number = Int64.random(in: -3...3, using: &generator)
        return ("\(number)", .integer(number))
    case 4:
        let number = Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
        return ("\(number)", .integer(number))
    case 5, 6:
        let number = Double(Int.random(in: -6...6, using: &generator)) / 2
        return ("\(number)", .real(number))
    case 7:
        let number = Double(bitPattern: generator.next())
        return number.isFinite ? ("\(number)", .real(number)) : ("-0.0", .real(0))
    case 8:
        let text = String(repeating: "xY", count: 110) + ["", "a", "b", "B"].randomElement(using: &generator)!
        return ("\"\(text)\"", .text(text))
    default:
        let text = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
            ["a", "A", "b", "é", "0", "_"].randomElement(using: &generator)!
        }.joined()
        return ("\"\(text)\"", .text(text))
    }
}

@Suite struct `Secondary indexes under random changes` {
    private let temporary = TemporaryStore()

    /// What an index should answer, from the model.
    private func expected(
        _ model: [Int: IndexValue], _ range: IndexRange, _ collation: IndexCollation
    ) -> [Int] {
        model.filter { range.contains($0.value, collation) }.sorted { left, right in
            if collation.precedes(left.value, right.value) { return true }
            if collation.precedes(right.value, left.value) { return false }
            return left.key < right.key
        }.map(\.key)
    }

    private func randomRange(_ generator: inout SeededGenerator) -> IndexRange {
        func bound() -> IndexRange.Bound? {
            if Bool.random(using: &generator) { return nil }
            return IndexRange.Bound(randomJSON(&generator).value, isInclusive: Bool.random(using: &generator))
        }
        if Int.random(in: 0..<3, using: &generator) == 0 { return .equal(randomJSON(&generator).value) }
        return IndexRange(lower: bound(), upper: bound())
    }

    @Test(arguments: [1, 2, 3, UInt64.random(in: 4 ... .max)])
    func `return what the rows contain, in order, whole and in batches`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try temporary.open()
        let names = ["binary", "nocase"]
        func declare(_ name: String) async throws {
            var definition = priceIndex
            definition.name = name
            definition.collation = name == "nocase" ? .nocase : .binary
            try await store.declareIndex(definition)
        }
        try await declare("binary")
        var model: [Int: IndexValue] = [:]
        for round in 0..<40 {
            if round == 15 { try await declare("nocase") }
            if round % 10 == 9 {
                var rows: [(key: RowKey, payload: [UInt8])] = []
                model = [:]
                for number in (1...60).shuffled(using: &generator).prefix(40) {
                    let (text, value) = randomJSON(&generator)
                    rows.append((key(number), priced(text)))
                    model[number] = value
                }
                try await store.replace(translations, with: rows)
            } else {
                var changes: [(Int, String?)] = []
                for _ in 0..<6 {
                    let number = Int.random(in: 1...60, using: &generator)
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        model[number] = nil
                        changes.append((number, nil))
                    } else {
                        let (text, value) = randomJSON(&generator)
                        model[number] = value
                        changes.append((number, text))
                    }
                }
                try await store.write { [changes] transaction in
                    for (number, text) in changes {
                        if let text {
                            try transaction.put(priced(text), at: key(number), updatedAt: 1)
                        } else {
                            try transaction.removeRow(at: key(number))
                        }
                    }
                }
            }
            let range = randomRange(&generator)
            for name in names.prefix(round < 15 ? 1 : 2) {
                let collation: IndexCollation = name == "nocase" ? .nocase : .binary
                let wanted = expected(model, range, collation).map(String.init)
                let whole = try store.keys(of: name, range)
                #expect(whole == wanted, "seed \(seed), round \(round), \(name), \(range)")
                let batched = try inBatches(store, name, range, reversed: Bool.random(using: &generator))
                #expect(batched == wanted, "seed \(seed), round \(round), \(name) in batches, \(range)")
            }
        }
        let findings = try store.findings()
        #expect(findings == [], "seed \(seed)")
        try await store.reclaim()
        let count = try store.read { view in try view.recordCount(of: .indexes) }
        #expect(count == 2 + 2 * model.count, "seed \(seed)")
    }

    /// The keys in ascending order, read a few at a time in either direction.
    private func inBatches(
        _ store: Store, _ name: String, _ range: IndexRange, reversed: Bool
    ) throws -> [String] {
        try store.read { view in
            let index = try #require(try view.index(named: name))
            var found: [String] = []
            var last: IndexEntry?
            while true {
                let batch = try view.indexEntries(
                    of: index, in: translations, range: range, reversed: reversed, limit: 3, after: last)
                guard let end = batch.last else { return reversed ? found.reversed() : found }
                found += batch.map(\.key)
                last = end
            }
        }
    }
}

// Proves that rows under overlays behave as a dictionary does after random changes.

import LarderFormat
import LarderStore
import Testing

/// What a store holds of one resource: the server's rows, and the overlays of each row by sequence.
private struct Model {
    var server: [Int: String] = [:]
    var overlays: [Int: [(sequence: Int64, text: String?)]] = [:]

    var shown: [Int: String] {
        var shown = server
        for (number, stack) in overlays {
            if let top = stack.last { shown[number] = top.text }
        }
        return shown
    }

    func keys(in range: ClosedRange<Int>, reversed: Bool) -> [Int] {
        let keys = shown.keys.filter { range.contains($0) }.sorted()
        return reversed ? keys.reversed() : keys
    }
}

private enum Step: Sendable {
    case put(Int, String)
    case remove(Int)
    case applyOverlay(Int, String?)
    case removeOverlay(Int, Int64)
    case replaceAll([Int: String])
    case withdraw
}

@Suite struct `Overlays under random changes` {
    private let temporary = TemporaryStore()

    private func text(_ generator: inout SeededGenerator) -> String {
        #"{"p":\#(Int.random(in: 0..<6, using: &generator)),"t":\#(generator.next() % 1000)}"#
    }

    private func step(_ model: inout Model, _ generator: inout SeededGenerator) -> Step {
        let number = Int.random(in: 1...12, using: &generator)
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            let numbers = (1...12).filter { _ in Bool.random(using: &generator) }
            model.server = [:]
            for number in numbers { model.server[number] = text(&generator) }
            return .replaceAll(model.server)
        case 1:
            model.server = [:]
            return .withdraw
        case 2...6:
            let text = text(&generator)
            model.server[number] = text
            return .put(number, text)
        case 7, 8:
            model.server[number] = nil
            return .remove(number)
        case 9...14:
            return .applyOverlay(number, Int.random(in: 0..<3, using: &generator) == 0 ? nil : text(&generator))
        default:
            guard let stack = model.overlays[number], !stack.isEmpty else { return .remove(99) }
            let place = Int.random(in: stack.indices, using: &generator)
            model.overlays[number]?.remove(at: place)
            return .removeOverlay(number, stack[place].sequence)
        }
    }

    private func perform(_ step: Step, _ store: Store, _ model: inout Model) async throws {
        switch step {
        case .put(let number, let text):
            try await store.write { try $0.put(bytes(text), at: key(number), updatedAt: 1) }
        case .remove(let number): try await store.write { try $0.removeRow(at: key(number)) }
        case .applyOverlay(let number, let text):
            let change = text.map { OverlayChange.replacement(bytes($0)) } ?? .removal
            let sequence = try await store.write { try $0.applyOverlay(change, at: key(number), updatedAt: 1) }
            model.overlays[number, default: []].append((sequence, text))
        case .removeOverlay(let number, let sequence):
            let isGone = try await store.write { try $0.removeOverlay(at: key(number), sequence: sequence) }
            #expect(isGone)
        case .replaceAll(let rows):
            try await store.replace(translations, with: rows.map { (key($0.key), bytes($0.value)) })
        case .withdraw: try await store.write { try $0.withdraw(translations, as: .hidden) }
        }
    }

    @Test(arguments: [1, 2, 3, UInt64.random(in: 4 ... .max)])
    func `behave as a dictionary does`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try temporary.open()
        try await store.declareIndex(priceIndex)
        var model = Model()
        for round in 0..<150 {
            let step = step(&model, &generator)
            try await perform(step, store, &model)
            let low = Int.random(in: 0...12, using: &generator)
            let range = low...Int.random(in: low...13, using: &generator)
            let reversed = Bool.random(using: &generator)
            let limit = Bool.random(using: &generator) ? Int.max : Int.random(in: 0...5, using: &generator)
            let rows = try store.read { view in
                try view.rows(
                    in: .keys(
                        from: "\(range.lowerBound)", through: "\(range.upperBound)", type: "translation",
                        of: translations),
                    reversed: reversed, limit: limit)
            }
            let wanted = model.keys(in: range, reversed: reversed).prefix(limit)
            #expect(rows.map(\.key.key) == wanted.map(String.init), "seed \(seed), round \(round), \(step)")
            #expect(
                rows.map(\.payload) == wanted.map { bytes(model.shown[$0] ?? "") }, "seed \(seed), round \(round)")
            let single = try store.read { view in
                try (1...12).map { number in try view.payload(at: key(number)) }
            }
            #expect(single == (1...12).map { model.shown[$0].map(bytes) }, "seed \(seed), round \(round), \(step)")
            try checkIndex(store, model, reversed: reversed, "seed \(seed), round \(round), \(step)")
        }
        try await store.reclaim()
        let findings = try store.findings()
        #expect(findings == [], "seed \(seed)")
    }

    private func checkIndex(_ store: Store, _ model: Model, reversed: Bool, _ comment: Comment) throws {
        let wanted = model.shown.sorted { left, right in
            let prices = (left.value.dropFirst(5).first, right.value.dropFirst(5).first)
            if let first = prices.0, let second = prices.1, first != second { return first < second }
            return left.key < right.key
        }.map { String($0.key) }
        let found = try store.keys(of: "price", reversed: reversed)
        #expect(found == (reversed ? wanted.reversed() : wanted), comment)
    }
}

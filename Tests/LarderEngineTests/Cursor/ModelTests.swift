// Proves that a table behaves as a sorted array does after random changes (pitfalls P38 to P42).

import Foundation
import LarderEngine
import Testing

/// Pitfalls P38 to P42, by comparison: the engine against a sorted array, step by step.
@Suite struct `A table` {
    @Test(arguments: 1...12) func `behaves as a sorted array`(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var environment = try Environment.open(path: directory.path, options: .growing(from: 256 << 10))
        let table = environment.table("one")
        var generator = SeededGenerator(seed: seed)
        var model = Model()
        for round in 0..<40 {
            let before = (model, generator)
            var isCommitted = true
            do {
                try environment.writeBlocking(durability: .relaxed) { transaction in
                    // The closure runs again when the map grows.
                    (model, generator) = before
                    for _ in 0..<Int.random(in: 1...120, using: &generator) {
                        try change(&transaction, table, &model, &generator)
                    }
                    isCommitted = Int.random(in: 0..<8, using: &generator) != 0
                    if !isCommitted { throw CancellationError() }
                }
            } catch is CancellationError {
                model = before.0
            }
            try environment.read { view in try compare(view, table, model, &generator, "seed \(seed), round \(round)") }
            if Int.random(in: 0..<5, using: &generator) == 0 {
                try environment.close()
                // Without the copy of the meta pages the next open has to find the whole file sound.
                if Bool.random(using: &generator) {
                    try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
                }
                environment = try Environment.open(path: directory.path, options: .growing(from: 256 << 10))
            }
        }
        try environment.close()
    }

    private func change(
        _ transaction: inout WriteTransaction, _ table: Table, _ model: inout Model,
        _ generator: inout SeededGenerator
    ) throws {
        let row = Row(key: key(&generator), value: value(&generator))
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<10:
            try transaction.set(row.key, row.value, in: table)
            model.set(row)
        case 10..<12:
            let isAppended = unsafe try transaction.append(row.value.span.bytes, forKey: row.key.span.bytes, in: table)
            #expect(isAppended == model.append(row))
        case 12..<16:
            #expect(try transaction.remove(key: row.key, in: table) == model.remove(row.key))
        case 16..<18:
            let limit = Int.random(in: 0...60, using: &generator) * (Bool.random(using: &generator) ? 1 : 100)
            let end = key(&generator)
            let removed = try transaction.withCursor(in: table) { cursor in
                unsafe try cursor.removeWhile(from: row.key.span.bytes, limit: limit) { entry in
                    array(entry.key).lexicographicallyPrecedes(end)
                }
            }
            #expect(removed == model.remove(from: row.key, to: end, limit: limit))
        default:
            let found = unsafe try transaction.reader.value(forKey: row.key.span.bytes, in: table)
            let copy: [UInt8]? = if let found { array(found) } else { nil }
            #expect(copy == model.value(row.key))
            #expect(try transaction.reader.statistics(of: table).entries == model.rows.count)
        }
    }

    private func compare(
        _ view: ReadTransaction, _ table: Table, _ model: Model, _ generator: inout SeededGenerator,
        _ label: String
    ) throws {
        #expect(try view.contents(of: table) == model.rows, "\(label)")
        try view.withCursor(in: table) { cursor in
            var backwards: [Row] = []
            while let entry = try cursor.previous() { backwards.append(row(entry)) }
            #expect(backwards == model.rows.reversed(), "\(label)")
        }
        var position: Int?
        try view.withCursor(in: table) { cursor in
            for step in 0..<80 {
                let wanted = key(&generator)
                let found: Row?
                let expected: Int?
                switch Int.random(in: 0..<7, using: &generator) {
                case 0: (found, expected) = (copy(try cursor.first()), model.rows.isEmpty ? nil : 0)
                case 1: (found, expected) = (copy(try cursor.last()), model.rows.isEmpty ? nil : model.rows.count - 1)
                case 2:
                    found = copy(unsafe try cursor.seek(wanted.span.bytes))
                    expected = model.index(atOrAfter: wanted)
                case 3:
                    found = copy(unsafe try cursor.seek(before: wanted.span.bytes))
                    expected = model.index(before: wanted)
                case 4 where position != nil:
                    found = copy(try cursor.next())
                    expected = position.flatMap { $0 + 1 < model.rows.count ? $0 + 1 : nil }
                case 5 where position != nil:
                    found = copy(try cursor.previous())
                    expected = position.flatMap { $0 > 0 ? $0 - 1 : nil }
                case 6 where position != nil: (found, expected) = (copy(try cursor.current()), position)
                default: continue
                }
                #expect(found == expected.map { model.rows[$0] }, "\(label), step \(step)")
                // From an end, only the absolute moves go on.
                position = expected
            }
        }
    }

    private func copy(_ entry: consuming Entry?) -> Row? {
        if let entry { row(entry) } else { nil }
    }

    private func key(_ generator: inout SeededGenerator) -> [UInt8] {
        let length = Int.random(in: 0..<10, using: &generator) == 0 ? Int.random(in: 1...511, using: &generator) : 2
        return (0..<length).map { UInt8.random(in: $0 == 0 ? 0...7 : 0...255, using: &generator) }
    }

    private func value(_ generator: inout SeededGenerator) -> [UInt8] {
        let length =
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: Int.random(in: 0...40_000, using: &generator)
            case 1..<4: 0
            default: Int.random(in: 1...300, using: &generator)
            }
        return [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: length)
    }
}

/// What a table should be: rows in the order of their keys.
private struct Model {
    private(set) var rows: [Row] = []

    func index(atOrAfter key: [UInt8]) -> Int? {
        let index = position(key)
        return index < rows.count ? index : nil
    }

    func index(before key: [UInt8]) -> Int? {
        let index = position(key)
        return index > 0 ? index - 1 : nil
    }

    func value(_ key: [UInt8]) -> [UInt8]? {
        let index = position(key)
        return index < rows.count && rows[index].key == key ? rows[index].value : nil
    }

    mutating func set(_ row: Row) {
        _ = remove(row.key)
        rows.insert(row, at: position(row.key))
    }

    mutating func append(_ row: Row) -> Bool {
        guard position(row.key) == rows.count else { return false }
        rows.append(row)
        return true
    }

    mutating func remove(_ key: [UInt8]) -> Bool {
        let index = position(key)
        guard index < rows.count, rows[index].key == key else { return false }
        rows.remove(at: index)
        return true
    }

    mutating func remove(from start: [UInt8], to end: [UInt8], limit: Int) -> Int {
        let first = position(start)
        let last = min(max(first, position(end)), first + limit)
        rows.removeSubrange(first..<last)
        return last - first
    }

    /// The number of rows with smaller keys.
    private func position(_ key: [UInt8]) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

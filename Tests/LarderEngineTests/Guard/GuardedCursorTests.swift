// Proves that a cursor over checked pages, which steps on a leaf by itself, is where liblmdb's would be.

import Foundation
import LarderEngine
import Testing

@Suite struct `A cursor over checked pages` {
    /// The table has large values among small ones, and leaves of a few rows.
    @Test(arguments: 1...4) func `follows the rows, whatever the order of moves`(seed: UInt64) throws {
        let store = try GuardedStore(seed: seed)
        let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
        let rows = try #require(store.rows["deep"])
        var generator = SeededGenerator(seed: seed)
        try environment.read { view in
            try view.withCursor(in: environment.table("deep")) { cursor in
                var place = 0
                _ = try cursor.first()
                for move in 0..<4000 {
                    let found = try self.move(&cursor, over: rows, &place, &generator)
                    #expect(found == rows[place], "move \(move)")
                }
            }
        }
        try environment.close()
    }

    /// Where a row beyond the damaged one came next, its leaf would not be checked.
    @Test func `stays where it is when it cannot move to a damaged entry`() throws {
        var cases = 0
        for seed in 1...12 as ClosedRange<UInt64> {
            let store = try GuardedStore(seed: seed)
            let rows = try #require(store.rows["deep"])
            // A large value that is the last one of a leaf.
            let last = (1..<rows.count - 1).first { place in
                let leaves = (place - 1...place + 1).map { store.leaf(of: rows[$0].key) }
                return rows[place].value.count > 9000 && leaves[0] == leaves[1] && leaves[1] != leaves[2]
            }
            guard let last else { continue }
            cases += 1
            let leaf = store.leaf(of: rows[last].key)
            let node = leaf + store.u16(leaf + store.u16(leaf + 12) - 2)
            // The size of the value is beyond the file.
            try store.flipping(0x40, at: node + 3) {
                let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
                try environment.read { view in
                    try view.withCursor(in: environment.table("deep")) { cursor in
                        let before = rows[last - 1].key
                        _ = unsafe try cursor.seek(before.span.bytes)
                        for _ in 0..<3 {
                            let next = try? entry(.next, &cursor)
                            #expect(next == nil)
                        }
                        let present = try entry(.current, &cursor)
                        #expect(present == rows[last - 1])
                        let previous = try entry(.previous, &cursor)
                        #expect(previous == rows[last - 2])
                    }
                }
                try environment.close()
            }
        }
        #expect(cases > 1)
    }

    @Test func `has no position when its first move was to a damaged entry`() throws {
        let directory = TemporaryDirectory()
        var environment = try Environment.open(path: directory.path, options: .small)
        for number in 0..<5 { try environment.set([UInt8(number)], [7]) }
        try environment.set([9], [UInt8](repeating: 7, count: 9000))
        try environment.close()
        let file = URL(fileURLWithPath: directory.path + "/data.mdb")
        var data = try Data(contentsOf: file)
        // The node of a large value: its size, its flag, the size of the key, and the key.
        let node = Data([0x28, 0x23, 0, 0, 1, 0, 1, 0, 9])
        while let place = data.range(of: node) { data[place.lowerBound + 3] = 0x40 }
        let handle = try FileHandle(forUpdating: file)
        try handle.write(contentsOf: data)
        try handle.close()
        environment = try Environment.open(
            path: directory.path,
            options: EnvironmentOptions(
                access: .readOnly, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30))
        try environment.read { view in
            try view.withCursor(in: environment.table("one")) { cursor in
                let moves = [try? entry(.last, &cursor), try? entry(.previous, &cursor), try? entry(.last, &cursor)]
                #expect(moves == [nil, nil, nil])
                let first = try entry(.next, &cursor)
                #expect(first?.key == [0])
            }
        }
        try environment.close()
    }

    private enum Move { case next, current, previous, last }

    /// Moves the cursor, and returns the row that it is at; nil for none.
    private func entry(_ move: Move, _ cursor: inout Cursor) throws -> Row? {
        switch move {
        case .next: if let entry = try cursor.next() { return row(entry) }
        case .current: if let entry = try cursor.current() { return row(entry) }
        case .previous: if let entry = try cursor.previous() { return row(entry) }
        case .last: if let entry = try cursor.last() { return row(entry) }
        }
        return nil
    }

    /// Moves the cursor and `place` in the same way, and returns the row that the cursor is at; nil where it should be
    /// at one, and is not.
    private func move(
        _ cursor: inout Cursor, over rows: [Row], _ place: inout Int, _ generator: inout SeededGenerator
    ) throws -> Row? {
        switch Int.random(in: 0..<30, using: &generator) {
        case 0:
            place = 0
            if let entry = try cursor.first() { return row(entry) }
        case 1:
            place = rows.count - 1
            if let entry = try cursor.last() { return row(entry) }
        case 2:
            if let entry = try cursor.current() { return row(entry) }
        case 3:
            place = Int.random(in: 0..<rows.count, using: &generator)
            let key = rows[place].key
            if let entry = unsafe try cursor.seek(key.span.bytes) { return row(entry) }
        case 4:
            place = Int.random(in: 0..<rows.count - 1, using: &generator)
            let key = rows[place + 1].key
            if let entry = unsafe try cursor.seek(before: key.span.bytes) { return row(entry) }
        case 5..<20:
            if let entry = try cursor.next() {
                place += 1
                return row(entry)
            }
            return place == rows.count - 1 ? rows[place] : nil
        default:
            if let entry = try cursor.previous() {
                place -= 1
                return row(entry)
            }
            return place == 0 ? rows[place] : nil
        }
        return nil
    }
}

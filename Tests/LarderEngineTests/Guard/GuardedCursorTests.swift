// Proves that a cursor over checked pages, which steps on a leaf by itself, is where liblmdb's would be.

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

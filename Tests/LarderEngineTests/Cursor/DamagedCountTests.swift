// Proves that removing entries ends with an error where a table has more of them than its count.

import LarderEngine
import Testing

@Suite struct `Removing from a table whose count of entries was damaged` {
    /// A cycle of damaged pages shows the same entries again and again; the count bounds what is removed.
    @Test(arguments: [0, 1, 29]) func `ends with an error when the count is used up, and changes nothing`(
        count: UInt8
    ) throws {
        let store = try DamagedStore()
        try store.change { $0[store.description + 32] = count }
        let environment = try store.open()
        let before = try environment.contents()
        #expect(before.count == 30)
        let table = environment.table("one")
        var asked = 0
        #expect(throws: EngineError.corrupted) {
            try environment.writeBlocking { transaction in
                // The transaction fails even where the error is not passed on.
                _ = try? transaction.withCursor(in: table) { cursor in
                    let start: [UInt8] = [0]
                    return unsafe try cursor.removeWhile(from: start.span.bytes, limit: .max) { _ in
                        asked += 1
                        return true
                    }
                }
            }
        }
        #expect(asked <= Int(count) + 1)
        #expect(try environment.contents() == before)
        try environment.close()
    }

    @Test func `needs no count that is right before what is removed`() throws {
        let store = try DamagedStore()
        try store.change { $0[store.description + 32] = 31 }
        let environment = try store.open()
        let table = environment.table("one")
        let removed = try environment.writeBlocking { transaction in
            try transaction.withCursor(in: table) { cursor in
                let start: [UInt8] = [0]
                return unsafe try cursor.removeWhile(from: start.span.bytes, limit: 12) { _ in true }
            }
        }
        #expect(removed == 12)
        #expect(try environment.contents().count == 18)
        try environment.close()
    }
}

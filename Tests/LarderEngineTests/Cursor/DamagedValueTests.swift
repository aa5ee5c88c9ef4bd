// Proves that a value whose size or place was damaged in the file is an error, and never ends the process.

import Foundation
import LarderEngine
import Testing

@Suite struct `A value whose size or place was damaged` {
    /// Every bit of a node's four bytes of size, in a page and for a value in pages of its own.
    @Test(arguments: [7, 3]) func `is an error wherever it would be beyond the file, read by key or by cursor`(
        row: UInt8
    ) throws {
        let store = try DamagedStore()
        let node = store.node(of: row)
        for bit in 0..<32 {
            try store.change { $0[node + [0, 1, 2, 3][bit / 8]] ^= 1 << UInt8(bit % 8) }
            let size =
                Int(store.changed[node]) | Int(store.changed[node + 1]) << 8
                | Int(store.changed[node + 2]) << 16 | Int(store.changed[node + 3]) << 24
            let lines = try store.read(row)
            #expect(lines.count == 5, "bit \(bit): \(lines)")
            if size > store.changed.count { #expect(lines.allSatisfy { $0.contains(damaged) }, "\(bit): \(lines)") }
        }
    }

    /// The open has checked the pages, so that no read checks them again.
    @Test(arguments: [7, 3]) func `is an error where the file is changed while it is open`(row: UInt8) throws {
        let store = try DamagedStore()
        let environment = try store.openChecked()
        let table = environment.table("one")
        try store.overwrite([0xFF, 0xFF, 0xFF, 0x7F], at: store.node(of: row))
        // Only the sizes are read: bytes beyond the file would end the process.
        #expect(throws: EngineError.corrupted) {
            try environment.read { view in
                let key = DamagedStore.key(row)
                return unsafe try view.value(forKey: key.span.bytes, in: table)?.byteCount ?? 0
            }
        }
        #expect(throws: EngineError.corrupted) {
            try environment.read { view in
                try view.withCursor(in: table) { cursor in
                    var size = 0
                    while let entry = try cursor.next() { size += entry.value.byteCount }
                    return size
                }
            }
        }
        try environment.close()
    }

    @Test func `is an error for a key whose size is beyond the file`() throws {
        let store = try DamagedStore()
        try store.change { bytes in
            for byte in 6..<8 { bytes[store.node(of: 0) + byte] = 0xFF }
        }
        #expect(try store.read(0).contains { $0.hasPrefix("cursor ") && $0.contains(damaged) })
    }

    @Test func `is an error for pages of its own that would end beyond the file`() throws {
        let store = try DamagedStore()
        let last = UInt8(store.changed.count / 4096 - 1)
        // The number of the value's first page follows the key.
        try store.change { $0[store.node(of: 3) + 8 + DamagedStore.key(3).count] = last }
        #expect(try store.read(3).allSatisfy { $0.contains(damaged) })
    }

    /// LMDB then returns a key and no value. LMDB: `P_LEAF2`.
    @Test func `is an error in a page whose flags say that it has keys only`() throws {
        let store = try DamagedStore()
        let page = store.node(of: 7) / 4096 * 4096
        try store.change { $0[page + 10] |= 0x20 }
        let lines = try store.read(7)
        #expect(lines.count == 5)
        #expect(lines.contains { $0.hasPrefix("cursor ") && $0.contains(damaged) }, "\(lines)")
    }

    /// Part of the texts of both errors of a damaged page.
    private var damaged: String { "of the data file is damaged" }
}

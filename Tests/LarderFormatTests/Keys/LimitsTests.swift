// Proves that the limits of names and payloads hold to the byte.

import LarderFormat
import Testing

@Suite struct `The limits of names` {
    private let resource = ResourceKey("translations", 19)

    @Test func `hold for the whole address of a row, to the byte`() throws {
        // 14 bytes of group, 2 of id, 7 of type, 2 around the key.
        let longest = String(repeating: "k", count: 480 - 14 - 2 - 7 - 2)
        try RowKeyCoding.checkBudget(resource: resource, type: "verse", key: longest)
        #expect(throws: FormatError.keyTooLong(actual: 481, limit: 480)) {
            try RowKeyCoding.checkBudget(resource: resource, type: "verse", key: longest + "k")
        }
    }

    @Test func `are of the encoded length, escapes included`() {
        #expect(throws: FormatError.keyTooLong(actual: 129, limit: 128)) {
            try Limits.check(group: String(repeating: "a", count: 127))
        }
        #expect(throws: FormatError.keyTooLong(actual: 202, limit: 128)) {
            try Limits.check(rowType: String(repeating: "\0", count: 100))
        }
        #expect(throws: FormatError.keyTooLong(actual: 257, limit: 256)) {
            try Limits.check(lane: String(repeating: "a", count: 255))
        }
    }

    @Test(arguments: [91, 92] as [UInt64])
    func `count exactly the bytes that are written`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let row = RowKey(
                resource: ResourceKey(random.text(), random.integer()), type: random.text(),
                key: random.recordKey() + String(repeating: "x", count: 480))
            var writer = TupleWriter()
            writer.append(resource: row.resource)
            writer.append(text: row.type)
            writer.append(recordKey: row.key)
            #expect(throws: FormatError.keyTooLong(actual: writer.bytes.count, limit: 480)) {
                try RowKeyCoding.checkBudget(resource: row.resource, type: row.type, key: row.key)
            }
        }
    }

    @Test func `let every row within them be written in any generation`() throws {
        let key = String(repeating: "k", count: 480 - 3 - 1 - 2 - 2)
        try RowKeyCoding.checkBudget(resource: ResourceKey("g", 0), type: "", key: key)
        #expect(try RowKeyCoding.key(generation: .max, type: "", key: key).count <= Limits.key)
    }

    @Test func `hold for texts and payloads`() throws {
        try Limits.check(payload: Limits.payload)
        #expect(throws: FormatError.payloadTooLarge(actual: Limits.payload + 1, limit: Limits.payload)) {
            try Limits.check(payload: Limits.payload + 1)
        }
        #expect(throws: FormatError.textTooLong(actual: 32_769, limit: 32_768)) {
            try Limits.check(filter: String(repeating: "f", count: 32_769))
        }
        #expect(throws: FormatError.textTooLong(actual: 65_537, limit: 65_536)) {
            try Limits.check(token: String(repeating: "t", count: 65_537))
        }
    }
}

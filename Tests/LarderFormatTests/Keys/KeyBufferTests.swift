// Proves that a key buffer holds the bytes of a tuple writer, within its limit.

import LarderFormat
import Testing

@Suite struct `A key buffer` {
    @Test(arguments: [71, 72] as [UInt64])
    func `holds the bytes that a tuple writer writes`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var buffer = KeyBuffer()
            var writer = TupleWriter()
            let (integer, text, recordKey, uuid) = (random.integer(), random.text(), random.recordKey(), random.uuid())
            try buffer.append(integer: integer)
            try buffer.append(text: text)
            try buffer.append(recordKey: recordKey)
            try buffer.append(uuid: uuid)
            try buffer.append(resource: ResourceKey(text, integer))
            writer.append(integer: integer)
            writer.append(text: text)
            writer.append(recordKey: recordKey)
            writer.append(uuid: uuid)
            writer.append(resource: ResourceKey(text, integer))
            let (array, count) = (buffer.array(), buffer.count)
            #expect(array == writer.bytes)
            #expect(count == writer.bytes.count)
        }
    }

    @Test func `holds 511 bytes and no more`() throws {
        var buffer = KeyBuffer()
        try buffer.append(text: String(repeating: "a", count: 509))
        let full = buffer.count
        #expect(full == 511)
        var another = KeyBuffer()
        let error = #expect(throws: FormatError.self) { try another.append(text: String(repeating: "a", count: 510)) }
        #expect(error == .keyTooLong(actual: 512, limit: 511))
    }

    @Test func `is unchanged after an append that did not fit`() throws {
        var buffer = KeyBuffer()
        try buffer.append(integer: 7)
        let before = buffer.array()
        #expect(throws: FormatError.self) { try buffer.append(text: String(repeating: "a", count: 5000)) }
        #expect(throws: FormatError.self) {
            try buffer.append(resource: ResourceKey(String(repeating: "a", count: 507), 1))
        }
        let after = buffer.array()
        #expect(after == before)
        try buffer.append(recordKey: "9")
        let longer = buffer.array()
        #expect(longer == before + [0x01, 0x15, 0x09])
    }

    @Test func `is used again after it was truncated`() throws {
        var buffer = KeyBuffer()
        try buffer.append(integer: 7)
        let prefix = buffer.count
        try buffer.append(text: "verse")
        buffer.truncate(to: prefix)
        try buffer.append(text: "page")
        let array = buffer.array()
        #expect(hexadecimal(array) == "15 07 02 70 61 67 65 00")
        buffer.removeAll()
        let count = buffer.count
        #expect(count == 0)
    }
}

@Suite struct `The end of a prefix` {
    @Test func `is the smallest bytes above all that begin with it`() {
        #expect(successor(ofPrefix: [0x15, 0x07]) == [0x15, 0x08])
        #expect(successor(ofPrefix: [0x15, 0xFF]) == [0x16])
        #expect(successor(ofPrefix: [0xFF, 0xFF]) == nil)
        #expect(successor(ofPrefix: []) == nil)
    }

    @Test func `lies after every longer key and before every greater one`() throws {
        for generation in [1, 254, 255, 256, 65_535] as [Int64] {
            let prefix = RowKeyCoding.prefix(generation: generation)
            let end = try #require(successor(ofPrefix: prefix))
            #expect(precedes(prefix + [0xFF, 0xFF, 0xFF], end))
            #expect(!precedes(RowKeyCoding.prefix(generation: generation + 1), end))
        }
    }
}

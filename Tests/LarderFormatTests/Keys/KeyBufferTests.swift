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

@Suite struct `The keys that begin with elements` {
    /// Whether a key lies in the scan of the keys that begin with `prefix`.
    private func isIn(_ key: [UInt8], _ prefix: [UInt8]) -> Bool {
        let isBeforeEnd = precedes(key, endOfKeys(beginningWith: prefix)) && !precedes(key, prefix)
        #expect(key.rawSpan.beginsWith(elements: prefix) == isBeforeEnd)
        return isBeforeEnd
    }

    @Test func `are those with any element behind them`() {
        for generation in [-256, -1, 1, 254, 255, 256, 65_535] as [Int64] {
            let prefix = RowKeyCoding.prefix(generation: generation)
            #expect(isIn(prefix, prefix))
            #expect(isIn(prefix + [0x30, 0xFF], prefix))
            #expect(!isIn(RowKeyCoding.prefix(generation: generation + 1), prefix))
        }
    }

    @Test(arguments: ["", "a", "a\0", "é"])
    func `are not those with a longer text`(_ text: String) {
        let element = { (text: String) in TupleWriter.bytes { $0.append(text: text) } }
        let prefix = [0x15, 0x07] + element(text)
        #expect(isIn(prefix + element("b"), prefix))
        for more in ["\0", "\0b", "b"] { #expect(!isIn([0x15, 0x07] + element(text + more), prefix)) }
        // Without its terminator a text is open, and longer ones begin with it.
        for more in ["", "\0", "\0b", "b", "\u{10FFFF}"] {
            #expect(isIn([0x15, 0x07] + element(text + more), prefix.dropLast()))
        }
    }
}

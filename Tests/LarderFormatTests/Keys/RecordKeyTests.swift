// Proves that record keys and row keys sort and decode as their encodings do.

import LarderFormat
import Testing

@Suite struct `Record keys` {
    @Test func `sort as numbers, then as text`() {
        let ascending = ["-10", "-9", "0", "9", "10", "100", "", "+1", "-0", "00", "007", "1a", "a", "ab", "é"]
        for (lower, upper) in zip(ascending, ascending.dropFirst()) {
            #expect(precedes(encode(recordKey: lower), encode(recordKey: upper)), "\(lower) \(upper)")
            #expect(RecordKey.precedes(lower, upper), "\(lower) \(upper)")
        }
    }

    @Test func `are numbers only in the form a number prints as`() {
        for number in [0, 1, -1, 9, 10, -10, .max, .min] as [Int64] {
            #expect(RecordKey.canonicalDecimal(String(number)) == number)
        }
        let texts = [
            "", "-", "+1", "01", "-0", "-01", "1 ", " 1", "1.0", "9223372036854775808", "-9223372036854775809",
            "99999999999999999999", "100000000000000000000", "\u{661}", "1\0", "--1",
        ]
        for text in texts { #expect(RecordKey.canonicalDecimal(text) == nil, "\(text)") }
    }

    @Test(arguments: [41, 42, 43] as [UInt64])
    func `have one encoding, whose order is the order of row keys`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let left = random.recordKey()
            let right = random.recordKey()
            let (leftBytes, rightBytes) = (encode(recordKey: left), encode(recordKey: right))
            #expect(precedes(leftBytes, rightBytes) == RecordKey.precedes(left, right), "seed \(seed)")
            #expect((leftBytes == rightBytes) == (Array(left.utf8) == Array(right.utf8)), "seed \(seed)")
            #expect(Array(try recordKey(leftBytes).utf8) == Array(left.utf8), "seed \(seed)")
        }
    }
}

@Suite struct `Row keys` {
    @Test(arguments: [51, 52] as [UInt64])
    func `compare as their encodings do`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func encoded(_ row: RowKey) -> [UInt8] {
            var writer = TupleWriter()
            writer.append(resource: row.resource)
            writer.append(text: row.type)
            writer.append(recordKey: row.key)
            return writer.bytes
        }
        for _ in 0..<3000 {
            let left = RowKey(
                resource: ResourceKey(random.text(), random.integer()), type: random.text(), key: random.recordKey())
            var right = left
            switch Int.random(in: 0..<4, using: &random) {
            case 0: right.resource.group = random.text()
            case 1: right.resource.id = random.integer()
            case 2: right.type = random.text()
            default: right.key = random.recordKey()
            }
            #expect((left < right) == precedes(encoded(left), encoded(right)), "seed \(seed): \(left) \(right)")
            #expect((left == right) == (encoded(left) == encoded(right)), "seed \(seed): \(left) \(right)")
            if left == right { #expect(left.hashValue == right.hashValue) }
        }
    }

    @Test func `differ where only the spelling of a letter differs`() {
        let composed = ResourceKey("é", 1)
        let decomposed = ResourceKey("e\u{301}", 1)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
        #expect(composed.description == "é/1")
    }

    @Test(arguments: [61, 62] as [UInt64])
    func `of the table rows decode to their parts`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let generation = random.integer()
            let (type, key) = (random.text(), random.recordKey())
            let encoded = try RowKeyCoding.key(generation: generation, type: type, key: key)
            let prefix = RowKeyCoding.prefix(generation: generation)
            #expect(encoded.starts(with: prefix))
            let decoded = try rowKey(encoded)
            #expect(decoded.generation == generation)
            #expect(decoded.row?.type.utf8.elementsEqual(type.utf8) == true)
            #expect(decoded.row?.key.utf8.elementsEqual(key.utf8) == true)
            let owner = try rowKey(prefix)
            #expect(owner.generation == generation && owner.row == nil)
        }
    }

    @Test func `with a byte flipped or missing are an error or another whole key`() throws {
        let key = try RowKeyCoding.key(generation: 300, type: "verse", key: "2:255")
        for damaged in flips(of: key) + truncations(of: key) {
            guard let read = try? rowKey(damaged) else { continue }
            guard let row = read.row else {
                #expect(RowKeyCoding.prefix(generation: read.generation) == damaged)
                continue
            }
            #expect(try RowKeyCoding.key(generation: read.generation, type: row.type, key: row.key) == damaged)
        }
    }

    @Test func `with something after the last element are refused`() throws {
        let key = try RowKeyCoding.key(generation: 7, type: "verse", key: "9") + [0]
        #expect(throws: FormatError.trailingBytes(offset: key.count - 1)) { try rowKey(key) }
    }
}

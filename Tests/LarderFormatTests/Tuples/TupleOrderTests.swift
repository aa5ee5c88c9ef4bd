// Proves that tuples decode to what was encoded, sort by their bytes, and refuse damage.

import LarderFormat
import Testing

@Suite struct `Tuples` {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `decode to what was encoded`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let tuple = random.tuple()
            #expect(try decode(encode(tuple)) == tuple, "seed \(seed)")
        }
    }

    @Test(arguments: [11, 12, 13, 14] as [UInt64])
    func `sort by their bytes as by their elements`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<4000 {
            let left = random.tuple()
            var right = random.tuple()
            // Half of the pairs share a beginning, or nothing but the first element would ever be compared.
            if Bool.random(using: &random) { right = left.dropLast() + right }
            let bytewise = precedes(encode(left), encode(right))
            #expect(bytewise == isOrdered(left, before: right), "seed \(seed): \(left) \(right)")
            #expect((encode(left) == encode(right)) == (left == right), "seed \(seed): \(left) \(right)")
        }
    }

    @Test func `are never normalised`() throws {
        let composed = TupleElement.text("é")
        let decomposed = TupleElement.text("e\u{301}")
        #expect("é" == "e\u{301}")
        #expect(composed != decomposed)
        #expect(encode([composed]) != encode([decomposed]))
        #expect(try decode(encode([decomposed])) == [decomposed])
    }

    @Test(arguments: [21, 22] as [UInt64])
    func `with a byte flipped or missing give an error or canonical bytes again`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let encoded = encode(random.tuple())
            for damaged in flips(of: encoded) + truncations(of: encoded) {
                guard let read = try? decode(damaged) else { continue }
                // One value has one encoding: whatever is accepted is exactly what would be written.
                #expect(encode(read) == damaged, "seed \(seed): \(hexadecimal(damaged))")
            }
        }
    }

    @Test func `of random bytes give an error or canonical bytes again`() {
        var random = SeededGenerator(seed: 31)
        let likely: [UInt8] = [0, 1, 2, 3, 0x0C, 0x13, 0x14, 0x15, 0x1C, 0x26, 0x27, 0x30, 0xFF, 0x61]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<20, using: &random)
            let bytes = (0..<count).map { _ in likely.randomElement(using: &random) ?? 0 }
            guard let read = try? decode(bytes) else { continue }
            #expect(encode(read) == bytes)
        }
    }

    private func isOrdered(_ left: [TupleElement], before right: [TupleElement]) -> Bool {
        for (left, right) in zip(left, right) where left != right { return isOrdered(left, before: right) }
        return left.count < right.count
    }

    private func isOrdered(_ left: TupleElement, before right: TupleElement) -> Bool {
        switch (left, right) {
        case (.decimal(let left), .decimal(let right)), (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)): precedes(Array(left.utf8), Array(right.utf8))
        case (.bytes(let left), .bytes(let right)): precedes(left, right)
        case (.bool(let left), .bool(let right)): !left && right
        case (.uuid(let left), .uuid(let right)): (left.high, left.low) < (right.high, right.low)
        default: rank(left) < rank(right)
        }
    }

    private func rank(_ element: TupleElement) -> Int {
        switch element {
        case .null: 0
        case .decimal: 1
        case .text: 2
        case .bytes: 3
        case .integer: 4
        case .bool: 5
        case .uuid: 6
        }
    }
}

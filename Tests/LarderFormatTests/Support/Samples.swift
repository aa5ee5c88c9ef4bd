// Samples: random elements and texts, including the edge cases of every encoding.

import LarderFormat

/// Random elements and texts, with the borders of every encoding among them.
extension SeededGenerator {
    mutating func integer() -> Int64 {
        let borders: [Int64] = [0, 1, -1, 255, 256, -255, -256, 65535, 65536, .max, .min, .min + 1, .max - 1]
        if Int.random(in: 0..<4, using: &self) == 0 { return borders.randomElement(using: &self) ?? 0 }
        return Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self)
    }

    mutating func text() -> String {
        let pieces = ["", "a", "b", "\0", "é", "e\u{301}", "9", "10", "-", "\u{FFFF}", "😀", "z", "\u{1}", "\u{7F}"]
        return (0..<Int.random(in: 0..<5, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }

    mutating func recordKey() -> String {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: String(integer())
        case 1: "0" + String(integer())
        case 2: String(integer()) + "0"
        default: text()
        }
    }

    mutating func uuid() -> UUIDBytes { UUIDBytes(high: next(), low: next()) }

    mutating func element() -> TupleElement {
        switch Int.random(in: 0..<7, using: &self) {
        case 0: .null
        case 1: .decimal(integer())
        case 2: .text(text())
        case 3:
            .bytes(
                (0..<Int.random(in: 0..<4, using: &self)).map { _ in [0, 1, 0xFF].randomElement(using: &self) ?? 0 })
        case 4: .bool(Bool.random(using: &self))
        case 5: .uuid(uuid())
        default: .integer(integer())
        }
    }

    mutating func tuple() -> [TupleElement] {
        (0..<Int.random(in: 0..<5, using: &self)).map { _ in element() }
    }
}

/// The encoding of a tuple.
func encode(_ elements: [TupleElement]) -> [UInt8] {
    var writer = TupleWriter()
    for element in elements { writer.append(element: element) }
    return writer.bytes
}

/// The tuple that the bytes encode.
func decode(_ bytes: [UInt8]) throws(FormatError) -> [TupleElement] {
    var reader = TupleReader(bytes.rawSpan)
    var elements: [TupleElement] = []
    while !reader.isAtEnd { elements.append(try reader.element()) }
    return elements
}

/// Whether `left` sorts before `right` byte by byte: what LMDB does.
func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

/// Steps over the parts of one JSON text, whole and in memory; nil or false where it is none.
///
/// Accepts the texts of RFC 8259 in UTF-8 that nest at most ``mostDepth`` deep, and nothing else. It never traps, and
/// every step is linear in the bytes it goes over.
package struct JSONLexer: ~Escapable {
    /// The deepest nesting of objects and arrays.
    package static let mostDepth = 1000

    private static let wordTrue = Array("true".utf8)
    private static let wordFalse = Array("false".utf8)
    private static let wordNull = Array("null".utf8)

    package let bytes: Span<UInt8>
    package private(set) var position = 0

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// Whether the bytes are UTF-8.
    package var isUTF8: Bool { (try? UTF8Span(validating: bytes)) != nil }

    /// The next byte, or nil at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Steps over white space.
    package mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// Steps over `byte`, if it is the next one.
    package mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Steps over a string and its quotes; tells whether it holds escapes.
    package mutating func skipString() -> Bool? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var hasEscapes = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return hasEscapes }
            if byte < 0x20 { return nil }
            guard byte == UInt8(ascii: "\\") else { continue }
            hasEscapes = true
            guard skipEscape() else { return nil }
        }
        return nil
    }

    /// Steps over what follows a backslash.
    private mutating func skipEscape() -> Bool {
        guard let byte = next else { return false }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard JSONStrings.unit(bytes, at: position) != nil else { return false }
            position += 4
            return true
        default: return false
        }
    }

    /// Steps over a number; tells whether it has neither fraction nor exponent.
    package mutating func skipNumber() -> Bool? {
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")), !skipDigits() { return nil }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            guard skipDigits() else { return nil }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() else { return nil }
        }
        return isWhole
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position] >= 0x30, bytes[position] <= 0x39 { position += 1 }
        return position > start
    }

    /// Steps over a string, a number or a literal.
    package mutating func skipScalar() -> Bool {
        switch next {
        case UInt8(ascii: "\""): skipString() != nil
        case UInt8(ascii: "t"): skip(Self.wordTrue)
        case UInt8(ascii: "f"): skip(Self.wordFalse)
        case UInt8(ascii: "n"): skip(Self.wordNull)
        default: skipNumber() != nil
        }
    }

    private mutating func skip(_ word: [UInt8]) -> Bool {
        guard word.count <= bytes.count - position else { return false }
        for index in word.indices where bytes[position + index] != word[index] { return false }
        position += word.count
        return true
    }

    /// Steps over a member's name, its colon and the white space around; answers the name's place without quotes.
    package mutating func skipName() -> (range: Range<Int>, hasEscapes: Bool)? {
        let start = position + 1
        guard let hasEscapes = skipString() else { return nil }
        let range = start..<position - 1
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        return (range, hasEscapes)
    }

    /// Steps over a value of any kind that stands at `depth`.
    package mutating func skipValue(depth: Int) -> Bool {
        // One bit for each container now open within: 1 for an object.
        var kinds = InlineArray<16, UInt64>(repeating: 0)
        var open = 0
        while true {
            skipSpace()
            if take(UInt8(ascii: "{")) {
                guard depth + open < Self.mostDepth else { return false }
                kinds[open / 64] |= 1 << UInt64(open % 64)
                open += 1
                skipSpace()
                if next != UInt8(ascii: "}") {
                    guard skipName() != nil else { return false }
                    continue
                }
            } else if take(UInt8(ascii: "[")) {
                guard depth + open < Self.mostDepth else { return false }
                kinds[open / 64] &= ~(1 << UInt64(open % 64))
                open += 1
                skipSpace()
                if next != UInt8(ascii: "]") { continue }
            } else if !skipScalar() {
                return false
            }
            guard let isOver = closeContainers(kinds, &open) else { return false }
            if isOver { return true }
        }
    }

    /// Steps from behind a value to the start of the next one; true when the outermost is over.
    private mutating func closeContainers(_ kinds: InlineArray<16, UInt64>, _ open: inout Int) -> Bool? {
        while open > 0 {
            skipSpace()
            let isObject = kinds[(open - 1) / 64] >> UInt64((open - 1) % 64) & 1 == 1
            if take(UInt8(ascii: ",")) {
                skipSpace()
                if isObject { return skipName() == nil ? nil : false }
                return next == UInt8(ascii: "]") ? nil : false
            }
            guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return nil }
            open -= 1
        }
        return true
    }
}

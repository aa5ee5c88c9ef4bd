/// What the strings and containers of a JSON text say, once a ``JSONLexer`` has been over them.
package enum JSONStrings {
    /// The text of a string, given without its quotes; half a surrogate pair reads as U+FFFD.
    package static func text(_ bytes: Span<UInt8>, _ range: Range<Int>, hasEscapes: Bool) -> String {
        let decoded = hasEscapes ? unescaped(bytes, range) : copy(bytes, range)
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The bytes of a member's name, given without its quotes, its escapes decoded.
    static func name(_ bytes: Span<UInt8>, _ range: Range<Int>, hasEscapes: Bool) -> [UInt8] {
        hasEscapes ? unescaped(bytes, range) : copy(bytes, range)
    }

    /// Whether a member's name, given without its quotes, is `name`.
    package static func isName(_ name: [UInt8], _ bytes: Span<UInt8>, _ range: Range<Int>, hasEscapes: Bool) -> Bool {
        if hasEscapes { return unescaped(bytes, range) == name }
        guard range.count == name.count else { return false }
        for index in name.indices where bytes[range.lowerBound + index] != name[index] { return false }
        return true
    }

    /// A value without the white space between its parts; strings and numbers stay as they are spelled.
    package static func minified(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var isInString = false
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if isInString, byte == UInt8(ascii: "\\"), index + 1 < range.upperBound {
                output.append(byte)
                index += 1
                output.append(bytes[index])
            } else {
                if byte == UInt8(ascii: "\"") { isInString.toggle() }
                if isInString || !JSONLexer.isSpace(byte) { output.append(byte) }
            }
            index += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func copy(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        [UInt8](copying: bytes.extracting(range))
    }

    private static func unescaped(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < range.upperBound else {
                output.append(byte)
                continue
            }
            let escape = bytes[index]
            index += 1
            if escape == UInt8(ascii: "u") {
                output.append(
                    contentsOf: Unicode.UTF8.encode(scalar(bytes, &index)) ?? Unicode.UTF8.encodedReplacementCharacter)
            } else {
                output.append(Self.byte(ofEscape: escape))
            }
        }
        return output
    }

    private static func byte(ofEscape escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }

    /// The scalar whose four digits stand at `index`, with the other half of its pair where it has one.
    private static func scalar(_ bytes: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard let first = unit(bytes, at: index) else { return replacement }
        index += 4
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u"), let second = unit(bytes, at: index + 2),
            (0xDC00...0xDFFF).contains(second)
        else { return replacement }
        index += 6
        return Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)) ?? replacement
    }

    /// The number that four hexadecimal digits at `position` spell.
    static func unit(_ bytes: Span<UInt8>, at position: Int) -> UInt16? {
        guard position <= bytes.count - 4 else { return nil }
        var unit: UInt16 = 0
        for index in position..<position + 4 {
            guard let digit = hexadecimal(bytes[index]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

internal import LarderFormat

/// Checks and conversions of JSON texts (RFC 8259), and the quoting of strings.
package enum JSONText {
    /// Whether `bytes` are one value and nothing else, without white space around it.
    package static func isValue(_ bytes: Span<UInt8>) -> Bool {
        do throws(JSONError) {
            var reader = JSONReader(bytes, limits: .stored)
            guard try reader.skipValue() == 0..<bytes.count else { return false }
            try reader.finish()
            return true
        } catch {
            return false
        }
    }

    /// Returns the elements of an array as they are spelled; nil when the text begins with another value.
    ///
    /// - Throws: ``JSONError`` as ``JSONReader``.
    package static func elements(
        of list: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> [[UInt8]]? {
        var reader = JSONReader(list.rawSpan.bytes, limits: limits)
        guard try reader.token() == .arrayBegin else { return nil }
        var elements: [[UInt8]] = []
        while case let token = try reader.token(), token != .arrayEnd {
            elements.append(Array(list[try reader.skip(token)]))
        }
        try reader.finish()
        return elements
    }

    /// Returns a value without the white space between its parts; strings and numbers keep their spelling.
    ///
    /// - Parameter value: a valid value; this is not checked.
    package static func minified(_ value: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(value.count)
        var isInString = false
        var index = 0
        while index < value.count {
            let byte = value[index]
            if isInString, byte == UInt8(ascii: "\\"), index + 1 < value.count {
                output.append(byte)
                index += 1
                output.append(value[index])
            } else {
                if byte == UInt8(ascii: "\"") { isInString.toggle() }
                if isInString || !isSpace(byte) { output.append(byte) }
            }
            index += 1
        }
        return output
    }

    /// Appends `text` as a string in quotes, escaping the characters that RFC 8259 §7 requires.
    ///
    /// - Parameter escapesFormat: whether all characters are escaped that a terminal executes or hides.
    package static func append(quoting text: String, escapesFormat: Bool = false, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8Span { text in append(escaping: text, escapesFormat, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends valid UTF-8; the characters between two escapes are copied together.
    private static func append(escaping text: Span<UInt8>, _ escapesFormat: Bool, to bytes: inout [UInt8]) {
        var (copied, index) = (0, 0)
        while true {
            index = endOfPlainWords(text, from: index)
            guard index < text.count else { break }
            switch text[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(copying: text.extracting(copied..<index))
                bytes.append(UInt8(ascii: "\\"))
                copied = index
                index += 1
            case 0x20..<0x7F: index += 1
            // From U+00C0 to U+05FF no character is escaped.
            case 0xC3...0xD7: index += 2
            default:
                let (scalar, length) = scalar(at: index, of: text)
                if scalar.value < 0x20 || escapesFormat && scalar.isControlOrFormat {
                    bytes.append(copying: text.extracting(copied..<index))
                    bytes += scalar.escape.utf8
                    copied = index + length
                }
                index += length
            }
        }
        bytes.append(copying: text.extracting(copied..<text.count))
    }

    /// Returns a position before which, from `start` on, all are printable ASCII characters that need no escape.
    private static func endOfPlainWords(_ text: Span<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index <= text.count - 8 {
            let word = text.word(at: index)
            // The sum marks DEL, the one character behind the printable ones.
            let marks = (JSONScanner.marks(in: word) | (word &+ ones)) & (ones &<< 7)
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        return index
    }

    /// Returns the character at `index` of valid UTF-8, and its length.
    private static func scalar(at index: Int, of text: Span<UInt8>) -> (scalar: Unicode.Scalar, length: Int) {
        let first = text[index]
        if first < 0x80 { return (Unicode.Scalar(first), 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = UInt32(first & 0x7F >> UInt8(length))
        for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

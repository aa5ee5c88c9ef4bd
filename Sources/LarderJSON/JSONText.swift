/// Small questions about JSON texts (RFC 8259), and the writing of their strings.
package enum JSONText {
    /// Whether `bytes` are one value in UTF-8 and nothing else, no white space around it either.
    package static func isValue(_ bytes: Span<UInt8>) -> Bool {
        var lexer = JSONLexer(bytes)
        guard bytes.count > 0, lexer.isUTF8, !JSONLexer.isSpace(lexer.bytes[0]),
            !JSONLexer.isSpace(lexer.bytes[lexer.bytes.count - 1])
        else {
            return false
        }
        return lexer.skipValue(depth: 0) && lexer.next == nil
    }

    /// Appends `text` as a string in quotes.
    package static func append(quoting text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 0xF))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

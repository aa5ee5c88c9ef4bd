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

    /// Appends `text` as a string in quotes, escaping only the characters that RFC 8259 §7 requires.
    package static func append(quoting text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

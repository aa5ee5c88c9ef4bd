import LarderJSON

/// Lays JSON out in lines, one for each member or element. Strings and numbers keep their spelling.
enum PrettyJSON {
    /// Returns the lines of a JSON text; nil when it is none.
    static func lines(_ text: [UInt8]) -> [String]? {
        guard JSONText.isValue(text.span) else { return nil }
        var layout = Layout()
        for byte in JSONText.minified(text.span) { layout.add(byte) }
        layout.endLine()
        return layout.lines
    }

    private struct Layout {
        var lines: [String] = []
        private var line: [UInt8] = []
        private var depth = 0
        private var isInString = false
        private var isEscaped = false
        /// Whether the last byte began an object or a list, which may be empty.
        private var hasJustBegun = false

        mutating func add(_ byte: UInt8) {
            if isInString {
                line.append(byte)
                if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                return
            }
            let isEnd = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            if isEnd { depth -= 1 }
            if hasJustBegun != isEnd, hasJustBegun || isEnd { endLine() }
            hasJustBegun = false
            line.append(byte)
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): (depth, hasJustBegun) = (depth + 1, true)
            case UInt8(ascii: ","): endLine()
            case UInt8(ascii: ":"): line.append(UInt8(ascii: " "))
            case UInt8(ascii: "\""): isInString = true
            default: break
            }
        }

        /// Ends the line, and begins another one with its indentation.
        mutating func endLine() {
            lines.append(String(decoding: line, as: UTF8.self))
            line = [UInt8](repeating: UInt8(ascii: " "), count: 2 * min(depth, 40))
        }
    }
}

/// Text that is safe to print on a terminal and in a log.
///
/// Names, addresses, reasons and contents come from servers and from stores written by other programs. Unescaped, a
/// terminal executes their control characters and hides or reorders text at their format characters, so that a record
/// can forge output. In a log, a line break forges a message.
extension Unicode.Scalar {
    /// Whether the character controls or hides output instead of being shown. These are control characters, including
    /// those of U+0080 to U+009F, format characters such as bidirectional marks, and separators of lines and
    /// paragraphs.
    package var isControlOrFormat: Bool {
        switch value {
        case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x5FF: false
        default:
            switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    /// The character in JSON's escaped form: `\n`, `\u001b`, or two escapes where UTF-16 needs two.
    package var escape: String {
        switch value {
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        default: Character(self).utf16.map { "\\u" + Self.digits($0) }.joined()
        }
    }

    private static func digits(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension String {
    /// Returns the text with every control and format character escaped, except those in `kept`.
    package func escaped(keeping kept: [Unicode.Scalar] = []) -> String {
        func isHarmful(_ scalar: Unicode.Scalar) -> Bool { scalar.isControlOrFormat && !kept.contains(scalar) }
        guard unicodeScalars.contains(where: isHarmful) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if isHarmful(scalar) { text += scalar.escape } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}

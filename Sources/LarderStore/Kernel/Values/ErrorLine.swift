internal import LarderFormat

/// The text of an error as a filter's record keeps it: one line, at most ``Limits/errorText`` bytes of UTF-8.
package struct ErrorLine: Hashable, Sendable {
    package let text: String

    /// Keeps as much of `text` as fits, cut between code points, with a space for every control character and line
    /// break.
    ///
    /// Nil when nothing but spaces is left.
    package init?(_ text: String) {
        var line = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            let sanitized = Self.isControl(scalar) ? " " : scalar
            byteCount += UTF8.width(sanitized)
            if byteCount > Limits.errorText { break }
            line.append(sanitized)
        }
        guard line.contains(where: { $0 != " " }) else { return nil }
        self.text = String(line)
    }

    /// Whether a scalar would break the line or control a terminal: C0 and C1 controls, and the two separators.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}

/// The digits that a text near a number begins with; a search in sorted texts skips those that cannot spell it.
///
/// Apart from zeros before it, a point and an exponent, a text spells a number only by its significant digits. A search
/// for `1234` so goes from `10…` to `12…`, and from `13…` past all digits.
struct NumberDigits {
    /// The number of texts that are read before a skip.
    static let batch = 4

    /// The significant digits of the least and the greatest number that is near enough.
    private let least: [UInt8]
    private let greatest: [UInt8]

    /// Nil for numbers that texts of any digits may spell by their exponent: zero, infinity, and numbers near these.
    init?(_ number: Double) {
        let size = abs(number)
        guard size > 1e-290, size < 1e300 else { return nil }
        // These bounds are wider than what `NumericText.mayEqual` accepts.
        least = Self.significant(size * (1 - 4 * NumericText.tolerance))
        greatest = Self.significant(size * (1 + 4 * NumericText.tolerance))
    }

    private static func significant(_ number: Double) -> [UInt8] {
        let digits = number.description.utf8.prefix { $0 != 0x65 }.filter { (0x30...0x39).contains($0) }
        return Array(digits.drop { $0 == 0x30 })
    }

    /// Returns a text after `text` such that no text between them spells the number; nil: the next one may.
    func successor(of text: String) -> String? {
        let bytes = Array(text.utf8)
        var digits: [UInt8] = []
        for (position, byte) in bytes.enumerated() {
            // Signs, points and white space are skipped.
            if (0x09...0x0D).contains(byte) || [0x20, 0x2B, 0x2D, 0x2E].contains(byte) { continue }
            guard (0x30...0x39).contains(byte) else { return nil }
            if digits.isEmpty, byte == 0x30 { continue }
            if !mayBegin(digits + [byte]) {
                let next = (byte...0x39).first { mayBegin(digits + [$0]) } ?? 0x3A
                return String(decoding: bytes[..<position] + [next], as: UTF8.self)
            }
            digits.append(byte)
        }
        return nil
    }

    /// Whether the significant digits of a number that is near enough may begin with these.
    private func mayBegin(_ digits: [UInt8]) -> Bool {
        let isAbove = !digits.lexicographicallyPrecedes(Self.padded(least, digits.count))
        let isBelow = !Self.padded(greatest, digits.count).lexicographicallyPrecedes(digits)
        // The digits 999… and 1000… are adjacent.
        return greatest.lexicographicallyPrecedes(least) ? isAbove || isBelow : isAbove && isBelow
    }

    private static func padded(_ digits: [UInt8], _ count: Int) -> [UInt8] {
        digits.prefix(count) + [UInt8](repeating: 0x30, count: max(0, count - digits.count))
    }
}

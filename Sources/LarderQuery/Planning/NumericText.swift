/// The texts that SQLite compares as numbers where one side of a comparison has numeric affinity.
enum NumericText {
    /// The range of the first byte of every such text: white space, a sign, a point or a digit.
    static let firstBytes: Range<UInt8> = 0x09..<0x3A

    /// A text before every such text.
    static let start = "\t"

    /// A text after every such text, and before all that begin with a letter.
    static let end = ":"

    /// The relative error that SQLite's conversions between texts and reals may have: it writes 15 digits.
    static let tolerance = 1e-12

    /// Whether `text` may be equal to `number` when it is compared as one. SQLite decides: only true may be wrong here.
    static func mayEqual(_ text: String, _ number: Double) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, firstBytes.contains(first) else { return false }
        guard let value = value(text) else { return false }
        return value == number || abs(value - number) <= tolerance * max(abs(value), abs(number))
    }

    /// Returns the number that SQLite reads a text as; nil for texts that only Swift reads so, such as `0x1p3` and
    /// `inf`.
    static func number(_ text: String) -> Double? {
        text.utf8.allSatisfy { isSpace($0) || "+-.eE0123456789".utf8.contains($0) } ? value(text) : nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Returns the number that a text spells between white space, or nil.
    static func value(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard let start = bytes.firstIndex(where: { !isSpace($0) }), let end = bytes.lastIndex(where: { !isSpace($0) })
        else { return nil }
        return Double(String(decoding: bytes[start...end], as: UTF8.self))
    }
}

/// Texts that SQLite takes for numbers where one side of a comparison has numeric affinity.
enum NumericText {
    /// The first byte of every such text lies in here: white space, a sign, a point or a digit.
    static let firstBytes: Range<UInt8> = 0x09..<0x3A

    /// How far SQLite's conversions between texts and reals may be off, relatively: it spells 15 digits.
    static let tolerance = 1e-12

    /// Whether `text` may be equal to `number` when it is taken for one. SQLite decides; this may only err by yes.
    static func mayEqual(_ text: String, _ number: Double) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, firstBytes.contains(first) else { return false }
        guard let value = value(text) else { return false }
        return value == number || abs(value - number) <= tolerance * max(abs(value), abs(number))
    }

    /// The number that a text spells between white space, or nil.
    static func value(_ text: String) -> Double? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = Array(text.utf8)
        guard let start = bytes.firstIndex(where: { !isSpace($0) }), let end = bytes.lastIndex(where: { !isSpace($0) })
        else { return nil }
        return Double(String(decoding: bytes[start...end], as: UTF8.self))
    }
}

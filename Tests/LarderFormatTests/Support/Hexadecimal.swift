// Hexadecimal: converts between bytes and hexadecimal text.

extension Array where Element == UInt8 {
    /// The bytes that `text` spells: pairs of hexadecimal digits with or without spaces between them.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.filter { $0 != 0x20 }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            append(byte)
        }
    }
}

/// Upper-case pairs with spaces, as FORMAT.md writes bytes.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}

/// The lengths of encoded elements in bytes, computed without encoding.
enum TupleLength {
    /// The most bytes of a row's address beside its texts. These are code and terminator of group and type, 10 bytes
    /// for a decimal key, 9 for the number of the resource.
    static let mostOverhead = 2 * 2 + 10 + 9

    static func integer(_ value: Int64) -> Int { 1 + significantBytes(of: value.magnitude) }

    static func text(_ text: String) -> Int {
        text.withUTF8Span { bytes in
            var length = bytes.count + 2
            for index in 0..<bytes.count where bytes[index] == TupleCode.terminator { length += 1 }
            return length
        }
    }

    static func recordKey(_ text: String) -> Int {
        guard let number = RecordKey.canonicalDecimal(text) else { return self.text(text) }
        return 1 + integer(number)
    }

    /// Returns the number of bytes of `magnitude` without leading zero bytes: 0 to 8.
    static func significantBytes(of magnitude: UInt64) -> Int {
        (64 - magnitude.leadingZeroBitCount + 7) / 8
    }
}

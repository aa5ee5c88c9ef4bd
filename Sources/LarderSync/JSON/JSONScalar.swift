/// A JSON value as far as a key can be made of it.
public enum JSONScalar: Hashable, Sendable {
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// A string, escapes decoded.
    case string(String)
    /// `null`, which means the same as absence.
    case null
    /// Anything else: a boolean, another number, an object, an array.
    case other
}

extension Int64 {
    /// The value of a JSON number without fraction and exponent; `nil` for another number or one beyond 64 bits.
    ///
    /// - Parameter digits: a number that ``JSONScanner`` reported, so its grammar is known to be right.
    package init?(jsonNumber digits: [UInt8]) {
        let isNegative = digits.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for digit in digits.dropFirst(isNegative ? 1 : 0) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            let unit = Int64(digit - UInt8(ascii: "0"))
            let (sum, carried) =
                isNegative ? tens.subtractingReportingOverflow(unit) : tens.addingReportingOverflow(unit)
            guard !overflowed, !carried else { return nil }
            value = sum
        }
        guard digits.count > (isNegative ? 1 : 0) else { return nil }
        self = value
    }
}

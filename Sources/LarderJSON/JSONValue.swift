/// A value of a JSON text.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number: the nearest `Double`, infinite for one beyond its range.
    case real(Double)
    /// A string, its escapes decoded.
    case string(String)
    /// The place of an object in the text, braces included.
    case object(Range<Int>)
    /// The place of an array in the text, brackets included.
    case array(Range<Int>)

    /// The string, where it is one.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Reads a text as one value; nil when it is no JSON text.
    package init?(_ bytes: Span<UInt8>) {
        do throws(JSONError) {
            var reader = JSONReader(bytes, limits: .stored)
            self = try reader.value()
            try reader.finish()
        } catch {
            return nil
        }
    }

    /// Reads a number whose grammar is known to be valid.
    init(number digits: [UInt8]) {
        if let integer = Int64(jsonNumber: digits) {
            self = .integer(integer)
        } else {
            // Every JSON number is also a number in Swift's grammar.
            self = Double(String(decoding: digits, as: UTF8.self)).map { .real($0) } ?? .null
        }
    }
}

extension Int64 {
    /// Reads a JSON number without fraction and exponent; `nil` for another number or one beyond 64 bits.
    ///
    /// - Parameter digits: a number that ``JSONScanner`` reported, so its grammar is known to be valid.
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

/// Parses the date-times of the wire.
package enum RFC3339 {
    /// Returns the time of a `date-time`, in milliseconds since 1970-01-01 UTC; `nil` when the text is none.
    ///
    /// Years 0000 to 9999; finer fractions are cut off. The second 60 is accepted only at 23:59:60 UTC, where a leap
    /// second can be. It becomes the first second of the next day: days here have 86,400. RFC 3339 §5.6 and §5.7.
    package static func milliseconds(of text: String) -> Int64? {
        var parser = Parser(bytes: Array(text.utf8))
        return parser.milliseconds()
    }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0

        mutating func milliseconds() -> Int64? {
            guard let year = number(digits: 4), consume("-"), let month = number(digits: 2), consume("-"),
                let day = number(digits: 2), consume("T") || consume("t"),
                let hour = number(digits: 2), consume(":"), let minute = number(digits: 2), consume(":"),
                let second = number(digits: 2), let fraction = fraction(), let offset = offset(),
                position == bytes.count,
                (1...12).contains(month), day >= 1, day <= CivilDate.days(inMonth: month, year: year),
                hour <= 23, minute <= 59, second <= 60
            else { return nil }
            // At most 9999 years in seconds: far from the bounds of 64 bits, as is all arithmetic here.
            let minutes = (CivilDate.days(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
            let minuteOfDay = ((minutes % 1440) + 1440) % 1440
            guard second < 60 || minuteOfDay == 1439 else { return nil }
            return (minutes * 60 + second) * 1000 + (second == 60 ? 0 : fraction)
        }

        mutating func consume(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int64? {
            guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
            position += 1
            return Int64(bytes[position - 1] - 0x30)
        }

        mutating func number(digits: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Parses the fraction of a second in whole milliseconds; 0 without one.
        mutating func fraction() -> Int64? {
            guard consume(".") else { return 0 }
            guard var value = digit() else { return nil }
            var count = 1
            while let digit = digit() {
                if count < 3 {
                    value = value * 10 + digit
                    count += 1
                }
            }
            while count < 3 {
                value *= 10
                count += 1
            }
            return value
        }

        /// Parses the offset from UTC, in minutes.
        mutating func offset() -> Int64? {
            if consume("Z") || consume("z") { return 0 }
            let isNegative = consume("-")
            guard isNegative || consume("+"), let hour = number(digits: 2), consume(":"),
                let minute = number(digits: 2),
                hour <= 23, minute <= 59
            else { return nil }
            return (hour * 60 + minute) * (isNegative ? -1 : 1)
        }
    }
}

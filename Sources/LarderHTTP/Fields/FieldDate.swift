/// Reads and writes the dates of HTTP's fields. RFC 9110 §5.6.7.
package enum FieldDate {
    /// The instant that an HTTP-date names, in milliseconds since 1970-01-01 UTC; nil when the bytes are none.
    ///
    /// Takes the three forms a recipient must, each to the byte, but names in any case (RFC 9111 §4.2). The name of the
    /// day has to be one, not the right one. The second 60, a leap second, is the first of the next minute. No other
    /// zone than GMT.
    ///
    /// - Parameter now: likewise; a year of two digits is the last one not more than 50 years ahead of it.
    package static func milliseconds(of bytes: [UInt8], now: Int64) -> Int64? {
        let text = FieldScanner.lowered(FieldScanner.trimmed(bytes))
        guard text.count <= 40 else { return nil }
        let comma = text.firstIndex(of: 0x2C) ?? text.count
        let name = String(decoding: text[..<comma], as: UTF8.self)
        guard comma < text.count else { return asctime(text) }
        let rest = Array(text[(comma + 1)...])
        if shortDays.contains(name) { return fixed(rest) }
        if longDays.contains(name) { return obsolete(rest, now: now) }
        return nil
    }

    /// The `IMF-fixdate` of an instant, cut to whole seconds, within the years 0 to 9999.
    package static func text(of milliseconds: Int64) -> String {
        let second = min(max(floored(milliseconds, 1000), -62_167_219_200), 253_402_300_799)
        let day = floored(second, 86_400)
        let time = second - day * 86_400
        let (year, month, dayOfMonth) = civil(day)
        // 1970-01-01 was a Thursday; no day is more than 719,530 days, whole weeks, before it: the sum is positive.
        let weekday = shortDays[Int((day + 719_530 + 4) % 7)]
        let date = "\(padded(dayOfMonth, 2)) \(months[Int(month - 1)].capital) \(padded(year, 4))"
        let clock = "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        return "\(weekday.capital), \(date) \(clock) GMT"
    }

    private static let shortDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// `IMF-fixdate` behind its comma: ` 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ text: [UInt8]) -> Int64? {
        guard matches(text, " dd lll dddd dd:dd:dd gmt"), let year = number(text, 8..<12), let day = number(text, 1..<3)
        else { return nil }
        return instant(year, month: text[4..<7], day, time: text[13..<21])
    }

    /// `rfc850-date` behind its comma: ` 06-Nov-94 08:49:37 GMT`.
    private static func obsolete(_ text: [UInt8], now: Int64) -> Int64? {
        guard matches(text, " dd-lll-dd dd:dd:dd gmt"), let short = number(text, 8..<10), let day = number(text, 1..<3)
        else { return nil }
        let today = min(max(floored(now, 86_400_000), -719_162), 2_900_000)
        let latest = civil(today).year + 50
        return instant(latest - (latest - short) % 100, month: text[4..<7], day, time: text[11..<19])
    }

    /// `asctime-date`: `Sun Nov  6 08:49:37 1994`.
    private static func asctime(_ text: [UInt8]) -> Int64? {
        guard matches(text, "lll lll ?d dd:dd:dd dddd"),
            shortDays.contains(String(decoding: text[0..<3], as: UTF8.self)), let year = number(text, 20..<24),
            let day = number(text, (text[8] == 0x20 ? 9 : 8)..<10)
        else { return nil }
        return instant(year, month: text[4..<7], day, time: text[11..<19])
    }

    /// Whether `text` has the shape: `d` a digit, `l` a letter, `?` a digit or a space, anything else itself.
    private static func matches(_ text: [UInt8], _ shape: StaticString) -> Bool {
        let shape = Array("\(shape)".utf8)
        guard text.count == shape.count else { return false }
        return zip(text, shape).allSatisfy { byte, wanted in
            switch wanted {
            case UInt8(ascii: "d"): (0x30...0x39).contains(byte)
            case UInt8(ascii: "l"): (0x61...0x7A).contains(byte)
            case UInt8(ascii: "?"): byte == 0x20 || (0x30...0x39).contains(byte)
            default: byte == wanted
            }
        }
    }

    /// At most four digits as a number.
    private static func number(_ text: [UInt8], _ range: Range<Int>) -> Int64? {
        FieldScanner.deltaSeconds(Array(text[range]))
    }

    private static func instant(
        _ year: Int64, month name: ArraySlice<UInt8>, _ day: Int64, time: ArraySlice<UInt8>
    ) -> Int64? {
        let time = Array(time)
        guard let place = months.firstIndex(of: String(decoding: name, as: UTF8.self)), let hour = number(time, 0..<2),
            let minute = number(time, 3..<5), let second = number(time, 6..<8), hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let month = Int64(place) + 1
        guard day >= 1, day <= days(inMonth: month, year: year) else { return nil }
        // At most 9999 years in milliseconds: far from the bounds of 64 bits.
        return (((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }
}

extension FieldDate {
    private static func days(inMonth month: Int64, year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01, for the years 0 to 9999. Years begin in March here, so that leap days come last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year + 399 : year + 400  // never negative; 400 years are one whole cycle
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        // 719,468 days lie between 0000-03-01 and 1970-01-01, and 146,097 are in a cycle.
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }

    /// The date of a day counted from 1970-01-01, for the years 0 to 9999.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // No year is shorter than 365 days or longer than 366: the guess is at most one year off.
        var year = min(max(1970 + floored(day * 400, 146_097), 0), 9999)
        while year > 0, days(year, 1, 1) > day { year -= 1 }
        while year < 9999, days(year + 1, 1, 1) <= day { year += 1 }
        var month: Int64 = 1
        while month < 12, days(year, month + 1, 1) <= day { month += 1 }
        return (year, month, day - days(year, month, 1) + 1)
    }

    private static func floored(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }
}

extension String {
    fileprivate var capital: String { prefix(1).uppercased() + dropFirst() }
}

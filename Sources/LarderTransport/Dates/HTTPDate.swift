/// Reads and writes the dates of HTTP's header fields. RFC 9110 §5.6.7.
package enum HTTPDate {
    /// Returns the time of an HTTP-date, in milliseconds since 1970-01-01 UTC; nil when the bytes are none.
    ///
    /// Parses exactly the three forms that a recipient must accept, but names in any case (RFC 9111 §4.2) and with
    /// blanks around. The name of the day must be valid, but may be the wrong day. The second 60, a leap second, is the
    /// first of the next minute. The only zone is GMT.
    ///
    /// - Parameter now: In the same unit; a year of two digits is the last one not more than 50 years after it.
    package static func milliseconds(of bytes: [UInt8], now: Int64) -> Int64? {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard bytes.count <= 60, let end = bytes.lastIndex(where: { !isBlank($0) }) else { return nil }
        let text = bytes[...end].drop(while: isBlank).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let comma = text.firstIndex(of: 0x2C) else { return asctime(text) }
        let name = String(decoding: text[..<comma], as: UTF8.self)
        let rest = text[(comma + 1)...]
        if shortDays.contains(name) { return fixed(rest) }
        if longDays.contains(name) { return obsolete(rest, now: now) }
        return nil
    }

    /// Returns ``milliseconds(of:now:)`` of the text's bytes.
    package static func milliseconds(of text: String, now: Int64) -> Int64? {
        milliseconds(of: Array(text.utf8), now: now)
    }

    /// Returns the `IMF-fixdate` of a time, rounded down to whole seconds, within the years 0 to 9999.
    package static func text(of milliseconds: Int64) -> String {
        let second = min(max(dividedDown(milliseconds, 1000), -62_167_219_200), 253_402_300_799)
        let day = dividedDown(second, 86_400)
        let time = second - day * 86_400
        let date = CivilDate.date(ofDay: day)
        // 1970-01-01 was a Thursday; no day is more than 719,530 days, whole weeks, before it: the sum is positive.
        let weekday = shortDays[Int((day + 719_530 + 4) % 7)].capital
        let clock = "\((time / 3600).padded(2)):\((time / 60 % 60).padded(2)):\((time % 60).padded(2))"
        let month = months[Int(date.month - 1)].capital
        return "\(weekday), \(date.day.padded(2)) \(month) \(date.year.padded(4)) \(clock) GMT"
    }

    private static let shortDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    private static let fixedShape = Array(" dd lll dddd dd:dd:dd gmt".utf8)
    private static let obsoleteShape = Array(" dd-lll-dd dd:dd:dd gmt".utf8)
    private static let asctimeShape = Array("lll lll ?d dd:dd:dd dddd".utf8)
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Parses an `IMF-fixdate` after its comma: ` 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ text: ArraySlice<UInt8>) -> Int64? {
        guard matches(text, fixedShape) else { return nil }
        let at = text.startIndex
        return instant(
            number(text[(at + 8)..<(at + 12)]), month: text[(at + 4)..<(at + 7)], number(text[(at + 1)..<(at + 3)]),
            time: text[(at + 13)..<(at + 21)])
    }

    /// Parses an `rfc850-date` after its comma: ` 06-Nov-94 08:49:37 GMT`.
    private static func obsolete(_ text: ArraySlice<UInt8>, now: Int64) -> Int64? {
        guard matches(text, obsoleteShape) else { return nil }
        let at = text.startIndex
        let latest = CivilDate.year(ofDay: dividedDown(now, 86_400_000)) + 50
        let year = latest - (latest - number(text[(at + 8)..<(at + 10)])) % 100
        return instant(
            year, month: text[(at + 4)..<(at + 7)], number(text[(at + 1)..<(at + 3)]),
            time: text[(at + 11)..<(at + 19)])
    }

    /// Parses an `asctime-date`: `Sun Nov  6 08:49:37 1994`.
    private static func asctime(_ text: [UInt8]) -> Int64? {
        guard matches(text[...], asctimeShape),
            shortDays.contains(String(decoding: text[0..<3], as: UTF8.self))
        else { return nil }
        let day = number(text[(text[8] == 0x20 ? 9 : 8)..<10])
        return instant(number(text[20..<24]), month: text[4..<7], day, time: text[11..<19])
    }

    /// Returns whether `text` has the shape: `d` a digit, `l` a letter, `?` a digit or a space, anything else itself.
    private static func matches(_ text: ArraySlice<UInt8>, _ shape: [UInt8]) -> Bool {
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

    /// Returns at most four digits as a number.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64 { digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } }

    /// Returns the time of these parts, or nil when they form no date.
    ///
    /// - Parameter time: `08:49:37`.
    private static func instant(
        _ year: Int64, month name: ArraySlice<UInt8>, _ day: Int64, time: ArraySlice<UInt8>
    ) -> Int64? {
        let at = time.startIndex
        let (hour, minute) = (number(time[at..<(at + 2)]), number(time[(at + 3)..<(at + 5)]))
        let second = number(time[(at + 6)..<(at + 8)])
        guard (0...9999).contains(year), let place = months.firstIndex(of: String(decoding: name, as: UTF8.self)),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let month = Int64(place) + 1
        guard day >= 1, day <= CivilDate.days(inMonth: month, year: year) else { return nil }
        // At most 9999 years in milliseconds: far from the bounds of 64 bits.
        let days = CivilDate.days(year: year, month: month, day: day)
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }

    private static func dividedDown(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension String {
    fileprivate var capital: String { prefix(1).uppercased() + dropFirst() }
}

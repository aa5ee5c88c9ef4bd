/// Reads the dates of HTTP header fields. RFC 9110 §5.6.7.
package enum HTTPDate {
    /// The instant that an HTTP-date names, in milliseconds since 1970-01-01 UTC; `nil` when the text is not one.
    ///
    /// Takes the three forms that a recipient must: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`
    /// and `Sun Nov  6 08:49:37 1994`. The name of the day has to be one, not the right one. The second 60, a leap
    /// second, is the first second of the next minute.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC; decides the century of a year of two digits, which is
    ///   never more than 50 years ahead of it.
    package static func milliseconds(of text: String, now: Int64) -> Int64? {
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        guard let comma = text.firstIndex(of: ",") else { return asctime(text) }
        let rest = text[text.index(after: comma)...]
        if shortDays.contains(text[..<comma]) { return fixed(rest) }
        if longDays.contains(text[..<comma]) { return obsolete(rest, now: now) }
        return nil
    }

    private static let shortDays: [Substring] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longDays: [Substring] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `IMF-fixdate` behind its comma: ` 06 Nov 1994 08:49:37 GMT`.
    private static func fixed(_ text: Substring) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[5] == "GMT", let day = number(parts[1], digits: 2),
            let year = number(parts[3], digits: 4)
        else { return nil }
        return instant(year, parts[2], day, parts[4])
    }

    /// `rfc850-date` behind its comma: ` 06-Nov-94 08:49:37 GMT`.
    private static func obsolete(_ text: Substring, now: Int64) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[3] == "GMT" else { return nil }
        let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, let day = number(date[0], digits: 2), let short = number(date[2], digits: 2) else {
            return nil
        }
        let thisYear = CivilDate.year(ofDay: now / 86_400_000)
        var year = thisYear / 100 * 100 + short
        if year > thisYear + 50 { year -= 100 }
        if year <= thisYear - 50 { year += 100 }
        return instant(year, date[1], day, parts[2])
    }

    /// `asctime-date`: `Sun Nov  6 08:49:37 1994`.
    private static func asctime(_ text: String) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        // A day of one digit is led by a space.
        let isPadded = parts.count == 6 && parts[2].isEmpty
        guard isPadded || parts.count == 5, shortDays.contains(parts[0]) else { return nil }
        let place = isPadded ? 3 : 2
        guard let day = number(parts[place], digits: isPadded ? 1 : 2), let year = number(parts[place + 2], digits: 4)
        else { return nil }
        return instant(year, parts[1], day, parts[place + 1])
    }

    private static func instant(_ year: Int64, _ monthName: Substring, _ day: Int64, _ time: Substring) -> Int64? {
        guard (0...9999).contains(year), let place = months.firstIndex(of: monthName) else { return nil }
        let month = Int64(place) + 1
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2), hour <= 23, minute <= 59, second <= 60,
            day >= 1, day <= CivilDate.days(inMonth: month, year: year)
        else { return nil }
        // At most 9999 years in milliseconds: far from the bounds of 64 bits.
        let days = CivilDate.days(year: year, month: month, day: day)
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}

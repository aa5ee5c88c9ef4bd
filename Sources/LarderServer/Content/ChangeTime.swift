/// A time as the protocol writes it.
package struct ChangeTime: Hashable, Sendable {
    /// Milliseconds since 1970-01-01 UTC; 0 to the end of the year 9999.
    package let milliseconds: Int64

    /// Creates a time that the protocol's four-digit years can express.
    ///
    /// - Precondition: `milliseconds` is between 1970 and the end of 9999.
    package init(milliseconds: Int64) {
        precondition(
            milliseconds >= 0 && milliseconds <= 253_402_300_799_999, "\(milliseconds) ms is no year 1970…9999")
        self.milliseconds = milliseconds
    }

    /// The time in UTC, as in `2026-05-05T10:05:00Z`, with milliseconds where there are any (RFC 3339 §5.6).
    package var text: String {
        let (days, inDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: days)
        let fraction = inDay % 1000
        let seconds = inDay / 1000
        var text = Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
        text += Self.padded(seconds / 3600, 2) + ":" + Self.padded(seconds / 60 % 60, 2)
        text += ":" + Self.padded(seconds % 60, 2)
        return fraction == 0 ? text + "Z" : text + "." + Self.padded(fraction, 3) + "Z"
    }

    /// The time as fields of HTTP write it, as in `Tue, 05 May 2026 10:05:00 GMT` (RFC 9110 §5.6.7).
    package var httpDate: String {
        let (days, inDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: days)
        let seconds = inDay / 1000
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7)]
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(weekday), \(Self.padded(day, 2)) \(names[Int(month - 1)]) \(Self.padded(year, 4)) \(time) GMT"
    }

    /// The Gregorian date, by counting 400-year cycles from 1 March of the year 0, whose leap day comes last.
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let (cycle, inCycle) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearInCycle = (inCycle - inCycle / 1460 + inCycle / 36_524 - inCycle / 146_096) / 365
        let inYear = inCycle - (365 * yearInCycle + yearInCycle / 4 - yearInCycle / 100)
        let marchMonth = (5 * inYear + 2) / 153
        let day = inYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (cycle * 400 + yearInCycle + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

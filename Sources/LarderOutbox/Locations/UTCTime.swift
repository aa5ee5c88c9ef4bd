internal import LarderTransport

/// Writes times as servers read them.
enum UTCTime {
    /// The milliseconds since 1970-01-01 UTC that can be written: up to the end of the year 9999.
    static let range: Range<Int64> = 0..<253_402_300_800_000

    /// RFC 3339 §5.6 in UTC with thousandths of a second, such as `2026-05-05T10:05:00.250Z`.
    static func text(_ milliseconds: Int64) -> String {
        precondition(range.contains(milliseconds), "\(milliseconds) is not in the calendar")
        let (day, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        let year = CivilDate.year(ofDay: day)
        var (month, left): (Int64, Int64) = (1, day - CivilDate.days(year: year, month: 1, day: 1))
        while left >= CivilDate.days(inMonth: month, year: year) {
            left -= CivilDate.days(inMonth: month, year: year)
            month += 1
        }
        let date = "\(padded(year, 4))-\(padded(month))-\(padded(left + 1))"
        let time = "\(padded(rest / 3_600_000)):\(padded(rest / 60_000 % 60)):\(padded(rest / 1000 % 60))"
        return "\(date)T\(time).\(padded(rest % 1000, 3))Z"
    }

    private static func padded(_ number: Int64, _ digits: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

internal import LarderTransport

/// Times as text for servers.
enum UTCTime {
    /// The milliseconds since 1970-01-01 UTC that can be written: up to the end of the year 9999.
    static let range: Range<Int64> = 0..<253_402_300_800_000

    /// Returns a time as RFC 3339 §5.6 in UTC, such as `2026-05-05T10:05:00.250Z`. Traps when outside ``range``.
    static func text(_ milliseconds: Int64) -> String {
        precondition(range.contains(milliseconds), "\(milliseconds) is not in the calendar")
        let (day, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        let date = CivilDate.date(ofDay: day)
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { $0.padded(2) }.joined(separator: ":")
        return
            "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))T\(time).\((rest % 1000).padded(3))Z"
    }
}

// CacheModel: parses and writes HTTP dates in their three forms (RFC 9110 §5.6.7).

import Foundation

// RFC 9110 §5.6.7: the three forms of a date. RFC 9111 §4.2: matched without regard to case, and only GMT counts.
extension CacheModel {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let shortDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// The seconds since 1970 that a date says; nil when it is none.
    ///
    /// - Parameter now: determines the century of a year of two digits.
    func date(_ text: String, now: Double) -> Double? {
        let parts = text.trimmed.lowercased().components(separatedBy: " ")
        switch parts.count {
        case 6 where parts[0].hasSuffix(","): return fixdate(parts)
        case 4 where parts[0].hasSuffix(","): return oldDate(parts, now: now)
        case 5, 6: return asctime(text.trimmed.lowercased())
        default: return nil
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private func fixdate(_ parts: [String]) -> Double? {
        guard Self.shortDays.contains(String(parts[0].dropLast())), parts[1].count == 2, parts[3].count == 4,
            parts[5] == "gmt"
        else { return nil }
        return timestamp(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    private func oldDate(_ parts: [String], now: Double) -> Double? {
        let date = parts[1].components(separatedBy: "-")
        guard Self.longDays.contains(String(parts[0].dropLast())), date.count == 3, date[0].count == 2,
            date[2].count == 2, date[2].isDigits, let short = Int(date[2]), parts[3] == "gmt"
        else { return nil }
        // More than fifty years ahead is the most recent year in the past with the same last two digits.
        let century = (year(of: now) / 100) * 100
        var candidates = [century - 200, century - 100, century, century + 100].map { $0 + short }
        candidates = candidates.filter { year in
            guard let then = timestamp(day: date[0], month: date[1], year: pad(year), time: parts[2]) else {
                return true
            }
            return then <= fiftyYears(after: now)
        }
        guard let year = candidates.last else { return nil }
        return timestamp(day: date[0], month: date[1], year: pad(year), time: parts[2])
    }

    /// `Sun Nov  6 08:49:37 1994`.
    private func asctime(_ text: String) -> Double? {
        let letters = Array(text)
        guard letters.count == 24 else { return nil }
        func piece(_ range: Range<Int>) -> String { String(letters[range]) }
        guard Self.shortDays.contains(piece(0..<3)), [3, 7, 10, 19].allSatisfy({ letters[$0] == " " }) else {
            return nil
        }
        let day = letters[8] == " " ? "0" + piece(9..<10) : piece(8..<10)
        return timestamp(day: day, month: piece(4..<7), year: piece(20..<24), time: piece(11..<19))
    }

    private func timestamp(day: String, month: String, year: String, time: String) -> Double? {
        let clock = time.components(separatedBy: ":")
        guard clock.count == 3, clock.allSatisfy({ $0.count == 2 && $0.isDigits }), day.isDigits, year.isDigits,
            let month = Self.months.firstIndex(of: month), let day = Int(day), let year = Int(year),
            let hour = Int(clock[0]), let minute = Int(clock[1]), let second = Int(clock[2]),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        guard day >= 1, day <= lengths(year)[month] else { return nil }
        let days = daysBefore(year) + lengths(year)[..<month].reduce(0, +) + day - 1 - daysBefore(1970)
        return Double(days) * 86_400 + Double(hour * 3600 + minute * 60 + second)
    }

    /// The days of the months of a year.
    private func lengths(_ year: Int) -> [Int] {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    private func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The days from the beginning of the year 0 to that of `year`, in the Gregorian calendar.
    private func daysBefore(_ year: Int) -> Int {
        guard year > 0 else { return 0 }
        let last = year - 1
        return year * 365 + last / 4 - last / 100 + last / 400 + 1
    }

    private func year(of now: Double) -> Int {
        let days = Int((now / 86_400).rounded(.down)) + daysBefore(1970)
        var year = max(0, days / 366)
        while daysBefore(year + 1) <= days { year += 1 }
        return year
    }

    private func fiftyYears(after now: Double) -> Double {
        let year = year(of: now)
        return now + Double(daysBefore(year + 50) - daysBefore(year)) * 86_400
    }

    /// The form that a sender uses, RFC 9110 §5.6.7.
    func httpDate(_ time: Double) -> String {
        let whole = Int(time.rounded(.down))
        let seconds = (whole % 86_400 + 86_400) % 86_400
        let days = (whole - seconds) / 86_400
        let year = year(of: Double(whole))
        var day = days + daysBefore(1970) - daysBefore(year)
        var month = 0
        while day >= lengths(year)[month] {
            day -= lengths(year)[month]
            month += 1
        }
        func twoDigits(_ number: Int) -> String { String(format: "%02d", number) }
        // The first day of 1970 was a Thursday.
        let weekday = Self.shortDays[((days + 4) % 7 + 7) % 7].capitalized
        let time = "\(twoDigits(seconds / 3600)):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
        return "\(weekday), \(twoDigits(day + 1)) \(Self.months[month].capitalized) \(pad(year)) \(time) GMT"
    }

    private func pad(_ year: Int) -> String {
        let text = String(max(0, year))
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }
}

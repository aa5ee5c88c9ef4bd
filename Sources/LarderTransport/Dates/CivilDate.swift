/// Calculates with days of the Gregorian calendar, without a time zone.
package enum CivilDate {
    /// Returns the number of days in a month; 31 for a month that is not 1 to 12.
    package static func days(inMonth month: Int64, year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01, with years counted from March so that leap days come last.
    ///
    /// Valid for the years 0 to 9999, with a month and a day that exist.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year + 399 : year + 400  // never negative; 400 years are one whole cycle
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        // There are 719,468 days between 0000-03-01 and 1970-01-01, and 146,097 in a cycle.
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }

    /// Returns the year of a day counted from 1970-01-01, for the years 0 to 9999.
    package static func year(ofDay day: Int64) -> Int64 {
        // At most one year off, since no year is shorter than 365 days or longer than 366.
        var year = min(max(1970 + day * 400 / 146_097, 0), 9999)
        while year > 0, days(year: year, month: 1, day: 1) > day { year -= 1 }
        while year < 9999, days(year: year + 1, month: 1, day: 1) <= day { year += 1 }
        return year
    }

    /// Returns the date of a day counted from 1970-01-01, for the years 0 to 9999.
    package static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let year = year(ofDay: day)
        var month: Int64 = 1
        while month < 12, days(year: year, month: month + 1, day: 1) <= day { month += 1 }
        return (year, month, day - days(year: year, month: month, day: 1) + 1)
    }
}

extension Int64 {
    /// Returns a number that is not negative, with leading zeros up to `digits` digits.
    package func padded(_ digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(digits - text.utf8.count, 0)) + text
    }
}

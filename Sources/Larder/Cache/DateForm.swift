internal import Foundation

extension RowSchema {
    /// The form of the `Date` properties of a row in its payload.
    public enum DateForm: Hashable, Sendable {
        /// Text in ISO 8601 (RFC 3339), such as `2026-01-02T03:04:05Z`, with or without fractions of a second. It is
        /// written in UTC, rounded to milliseconds, which are left out where they are zero.
        case iso8601
        /// Milliseconds since 1970-01-01 UTC; written as whole ones.
        case milliseconds
        /// Seconds since 1970-01-01 UTC, with a fraction where the date has one.
        case seconds
    }
}

extension RowSchema.DateForm {
    /// Returns a date as text in UTC.
    static func text(of date: Date) -> String {
        // Foundation cuts a fraction off, and most milliseconds are a little less than their number in binary.
        guard let milliseconds = Int64(exactly: Self.milliseconds(of: date)) else {
            return date.formatted(Date.ISO8601FormatStyle())
        }
        let rest = (milliseconds % 1000 + 1000) % 1000
        let whole = Date(timeIntervalSince1970: Double(milliseconds - rest) / 1000).formatted(Date.ISO8601FormatStyle())
        return rest == 0 ? whole : "\(whole.dropLast()).\(String(1000 + rest).dropFirst())Z"
    }

    /// Returns the whole number of milliseconds that is nearest to a date.
    static func milliseconds(of date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }

    /// Returns the date of a text; nil where it is none.
    static func date(of text: String) -> Date? {
        let date =
            (try? Date.ISO8601FormatStyle().parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
        // Foundation adds the fraction in parts: rounded to microseconds, it is the number that the text names.
        return date.map { Date(timeIntervalSince1970: ($0.timeIntervalSince1970 * 1e6).rounded() / 1e6) }
    }

    /// The strategy that reads the form.
    var decoding: JSONDecoder.DateDecodingStrategy {
        switch self {
        case .milliseconds: .millisecondsSince1970
        case .seconds: .secondsSince1970
        case .iso8601:
            .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = Self.date(of: try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date")
                }
                return date
            }
        }
    }

    /// The strategy that writes the form.
    var encoding: JSONEncoder.DateEncodingStrategy {
        switch self {
        case .seconds: .secondsSince1970
        case .milliseconds:
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                let milliseconds = Self.milliseconds(of: date)
                if let whole = Int64(exactly: milliseconds) {
                    try container.encode(whole)
                } else {
                    try container.encode(milliseconds)
                }
            }
        case .iso8601:
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(Self.text(of: date))
            }
        }
    }
}

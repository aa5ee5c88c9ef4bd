internal import Foundation

extension RowSchema {
    /// The form of the `Date` properties of a row in its payload.
    public enum DateForm: Hashable, Sendable {
        /// Text in ISO 8601 (RFC 3339), such as `2026-01-02T03:04:05Z`, with or without fractions of a second. It is
        /// written in UTC, with milliseconds where the date has a fraction.
        case iso8601
        /// Milliseconds since 1970-01-01 UTC.
        case milliseconds
        /// Seconds since 1970-01-01 UTC.
        case seconds
    }
}

extension RowSchema.DateForm {
    /// Returns a date as text in UTC.
    static func text(of date: Date) -> String {
        let isWhole = date.timeIntervalSince1970.rounded(.down) == date.timeIntervalSince1970
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole))
    }

    /// Returns the date of a text; nil where it is none.
    static func date(of text: String) -> Date? {
        (try? Date.ISO8601FormatStyle().parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
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
        case .milliseconds: .millisecondsSince1970
        case .seconds: .secondsSince1970
        case .iso8601:
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(Self.text(of: date))
            }
        }
    }
}

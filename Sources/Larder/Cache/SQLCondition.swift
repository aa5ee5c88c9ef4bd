internal import LarderFormat
public import LarderQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A condition in SQL whose interpolated values are bound as parameters, never pasted into the text.
///
/// ```swift
/// let chapter = try cache.rows(Verse.self, where: "verse_key >= \(from) AND verse_key < \(to)")
/// let some = try cache.rows(Product.self, where: "price < \(50) AND kind IN \(["book", "map"])")
/// print(chapter.count, some.count)
/// ```
///
/// Its names are those of ``RowSchema/columns``, and `key`, `updated_at`, `resource_group` and `resource_id`. A value is
/// compared as the column's property is, so `price < \("50")` finds numbers below 50; see ``RowSchema/Column``. Texts are
/// compared byte by byte, so that "26:10" is less than "26:9". A
/// date needs its form: `updated_at > \(milliseconds: date)`. A pattern is one value: `text LIKE \("%" + word + "%")`.
public struct SQLCondition: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// The text, with `?` in place of each value.
    public private(set) var sql: String
    /// The values, in their order.
    public private(set) var arguments: [SQLValue]

    /// The condition, for rows of one resource.
    func bounded(to resource: ResourceKey) -> SQLCondition {
        // The line break ends a comment in the condition.
        var bounded: SQLCondition = "\n) AND resource_group = \(resource.group) AND resource_id = \(resource.id)"
        bounded.sql = "(" + sql + bounded.sql
        bounded.arguments = arguments + bounded.arguments
        return bounded
    }

    /// Creates a condition without values.
    public init(stringLiteral text: String) {
        sql = text
        arguments = []
    }

    /// Creates a condition of text and values.
    public init(stringInterpolation: Interpolation) {
        sql = stringInterpolation.sql
        arguments = stringInterpolation.arguments
    }

    /// The text and the values of a condition.
    public struct Interpolation: StringInterpolationProtocol, Sendable {
        var sql = ""
        var arguments: [SQLValue] = []

        /// Creates an empty condition.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends text of the program.
        public mutating func appendLiteral(_ literal: String) { sql += literal }

        /// Appends a parameter with this value; nil is NULL, which no comparison but `IS` finds.
        public mutating func appendInterpolation(_ value: (some SQLConvertible)?) {
            sql += "?"
            arguments.append(value?.sqlValue ?? .null)
        }

        /// Appends the milliseconds from 1970-01-01 UTC to a date: the form of `updated_at`, and of payloads with
        /// ``RowSchema/DateForm/milliseconds``.
        public mutating func appendInterpolation(milliseconds date: Date) {
            let milliseconds = RowSchema.DateForm.milliseconds(of: date)
            appendInterpolation(Int64(exactly: milliseconds).map { SQLValue.integer($0) } ?? .real(milliseconds))
        }

        /// Appends a date as ISO 8601 text in UTC, such as `2026-01-02T03:04:05Z`: the form of payloads with
        /// ``RowSchema/DateForm/iso8601``. The order of such texts is that of the dates where all of them are in UTC;
        /// within one second, only where all have equally many digits.
        public mutating func appendInterpolation(iso8601 date: Date) {
            appendInterpolation(RowSchema.DateForm.text(of: date))
        }

        /// Appends a list of parameters in parentheses, for `IN`; an empty list contains nothing.
        public mutating func appendInterpolation(_ values: [some SQLConvertible]) {
            sql += "(" + values.map { _ in "?" }.joined(separator: ", ") + ")"
            arguments += values.map(\.sqlValue)
        }
    }
}

/// A value that a condition in SQL can be compared with.
///
/// ```swift
/// enum Kind: String, SQLConvertible {
///     case book, map
///     var sqlValue: SQLValue { .text(rawValue) }
/// }
/// let books = try cache.rows(Product.self, where: "kind = \(Kind.book)", order: "price")
/// print(books.count)
/// ```
public protocol SQLConvertible {
    /// The value for SQL.
    var sqlValue: SQLValue { get }
}

extension String: SQLConvertible {
    /// A text.
    public var sqlValue: SQLValue { .text(self) }
}

extension Int: SQLConvertible {
    /// An integer.
    public var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Int64: SQLConvertible {
    /// An integer.
    public var sqlValue: SQLValue { .integer(self) }
}

extension Double: SQLConvertible {
    /// A real number.
    public var sqlValue: SQLValue { .real(self) }
}

extension Bool: SQLConvertible {
    /// 1 or 0, which is what a JSON `true` or `false` is in a column.
    public var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension SQLValue: SQLConvertible {
    /// The value itself.
    public var sqlValue: SQLValue { self }
}

#if Postgres
/// A parameter of a statement.
///
/// The server determines the type from the statement, as with a literal: write `$1::timestamptz` where it is ambiguous.
public enum PostgresValue: Hashable, Sendable {
    /// SQL's `NULL`.
    case null
    /// A text, or any value in its text form. It must not contain U+0000.
    case text(String)
    /// An integer of any size that the server's type has.
    case integer(Int64)
    /// `true` or `false`.
    case bool(Bool)
    /// Bytes, of the type `bytea`.
    case bytes([UInt8])
}

extension PostgresValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `NULL`.
    public init(nilLiteral: ()) { self = .null }
}

/// A row of a result: copies of its values, in the order of the columns.
public struct PostgresRow: Hashable, Sendable {
    /// The values in PostgreSQL's text form; nil for `NULL`.
    let values: [[UInt8]?]

    /// The number of columns.
    public var count: Int { values.count }

    /// Whether the value in a column, from 0 on, is `NULL`.
    public func isNull(_ column: Int) -> Bool { values[column] == nil }

    /// Returns the value in a column in its text form; nil for `NULL`.
    public func text(_ column: Int) -> String? { values[column].map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the integer in a column; nil for `NULL`.
    ///
    /// - Throws: ``PostgresError/unexpectedValue(column:)``.
    public func integer(_ column: Int) throws(PostgresError) -> Int64? {
        guard let text = text(column) else { return nil }
        guard let number = Int64(text) else { throw .unexpectedValue(column: column) }
        return number
    }

    /// Returns the truth value in a column; nil for `NULL`.
    ///
    /// - Throws: ``PostgresError/unexpectedValue(column:)``.
    public func bool(_ column: Int) throws(PostgresError) -> Bool? {
        switch text(column) {
        case nil: nil
        case "t": true
        case "f": false
        default: throw .unexpectedValue(column: column)
        }
    }

    /// Returns the bytes in a column of the type `bytea`; nil for `NULL`.
    ///
    /// - Throws: ``PostgresError/unexpectedValue(column:)``.
    public func bytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        guard let value = values[column] else { return nil }
        guard value.count.isMultiple(of: 2), value.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "x")]) else {
            throw .unexpectedValue(column: column)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count / 2 - 1)
        for index in stride(from: 2, to: value.count, by: 2) {
            guard let high = Self.digit(value[index]), let low = Self.digit(value[index + 1]) else {
                throw .unexpectedValue(column: column)
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
#endif

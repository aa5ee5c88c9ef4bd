/// A value of SQLite: one of five storage classes.
///
/// ```swift
/// let values: [SQLValue] = [200, "The %"]  // .integer(200), .text("The %")
/// let found = try query.rows("SELECT name, verses FROM chapters WHERE verses < ? AND name LIKE ?", values)
/// for row in found.rows { print(row["name"]?.text ?? "", row["verses"]?.integer ?? 0) }
/// ```
public enum SQLValue: Sendable {
    /// No value. In SQL it equals nothing, itself included; `==` treats two of them as equal.
    case null
    /// A whole number of 64 bits.
    case integer(Int64)
    /// A floating-point number; never NaN, which SQLite treats as null.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

extension SQLValue: Hashable {
    /// Whether both have the same class and value; texts are compared byte for byte, unlike by `String` itself.
    public static func == (left: SQLValue, right: SQLValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    /// Feeds the class and the value to `hasher`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .text(let value): hasher.combine(Array(value.utf8))
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension SQLValue {
    /// Whether there is no value.
    public var isNull: Bool { self == .null }

    /// The whole number, or nil for every other class.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, a whole one included, or nil.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .null, .text, .blob: nil
        }
    }

    /// The text, or nil for every other class.
    public var text: String? {
        if case .text(let value) = self { value } else { nil }
    }
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// 1 for true and 0 for false, as in SQLite.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
    /// No value.
    public init(nilLiteral: ()) { self = .null }
}

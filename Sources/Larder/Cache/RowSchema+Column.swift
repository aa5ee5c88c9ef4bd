internal import LarderQuery

extension RowSchema {
    /// A column: a member of the payloads that conditions, indexes and searches name.
    ///
    /// A literal is a column that compares as the property of its name in the Swift type: a text with a column of numbers
    /// as the number that it spells, a number with a column of texts as its text. Where a member is no such property, its
    /// type can be named.
    ///
    /// ```swift
    /// static let schema = RowSchema("product", in: .group("products"), columns: "kind", .number("weight"), index: "price")
    /// ```
    public struct Column: ExpressibleByStringLiteral, Hashable, Sendable {
        /// The name of the member.
        public let name: String
        /// The conversion of compared values; nil: that of the property.
        let affinity: ColumnDefinition.Affinity?

        private init(_ name: String, _ affinity: ColumnDefinition.Affinity?) {
            self.name = name
            self.affinity = affinity
        }

        /// A column that compares as the property of its name.
        public init(stringLiteral name: String) { self.init(name, nil) }

        /// A column of numbers or truth values.
        public static func number(_ name: String) -> Column { Column(name, .numeric) }

        /// A column of texts.
        public static func text(_ name: String) -> Column { Column(name, .text) }
    }
}

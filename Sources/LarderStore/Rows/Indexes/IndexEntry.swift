public import LarderFormat

/// One row in an index.
public struct IndexEntry: Hashable, Sendable {
    /// The value, as the index compares it: a whole number is an integer, and under the collation nocase a text may be
    /// in lower case.
    public let value: IndexValue
    /// The type of the row.
    public let type: String
    /// The key of the row within resource and type.
    public let key: String

    /// An entry of the given parts.
    public init(value: IndexValue, type: String, key: String) {
        self.value = value
        self.type = type
        self.key = key
    }

    /// Whether both have the same value and name the same row.
    public static func == (left: IndexEntry, right: IndexEntry) -> Bool {
        left.value == right.value && left.type.utf8.elementsEqual(right.type.utf8)
            && left.key.utf8.elementsEqual(right.key.utf8)
    }
}

extension IndexTerm {
    /// The value, as far as the term contains it.
    var value: IndexValue {
        switch self {
        case .null: .null
        // A term has a value, whether it was read or made from one.
        case .number(let number): number.value ?? .null
        case .text(let bytes, _): .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Whether the term has only the beginning of a text that is in the row.
    var isCut: Bool { if case .text(_, isTruncated: true) = self { true } else { false } }
}

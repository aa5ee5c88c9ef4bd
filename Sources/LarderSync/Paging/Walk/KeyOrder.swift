internal import LarderFormat

/// The order of a list's keys, which is that of the store. All comparisons are of bytes.
enum KeyOrder {
    static func isBefore(_ left: String, _ right: String) -> Bool { RecordKey.precedes(left, right) }

    static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    /// Whether every key is behind the one before it.
    static func isAscending(_ items: [ListItem]) -> Bool {
        zip(items, items.dropFirst()).allSatisfy { isBefore($0.key, $1.key) }
    }
}

/// Where the rows lie that an answer is compared with.
package enum KeyRange: Hashable, Sendable {
    /// Behind `after` (nil: from the start), up to and with `through` (nil: to the end).
    case open(after: String?, through: String?)
    /// Both ends included.
    case closed(from: String, through: String?)
}

/// What a range read found at one key.
package struct LocalRow: Hashable, Sendable {
    /// How a row compares with the answer.
    package enum Comparison: Hashable, Sendable {
        /// The answer has no item of that key.
        case unanswered
        /// The item of that key is the same.
        case same
        /// The item of that key is another; `members` as in ``ListChanges/Update/members``.
        case changed(members: [String]?)
    }

    /// The row's key.
    package let key: String
    /// How it compares.
    package let comparison: Comparison

    /// A row that compares so.
    package init(key: String, _ comparison: Comparison) {
        self.key = key
        self.comparison = comparison
    }
}

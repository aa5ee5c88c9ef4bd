public import LarderFormat

/// A range of the values of an index, in the index's order.
///
/// Null sorts before every number, numbers before texts, texts before blobs, of which there are none. A comparison in
/// SQL never holds for null, so `x < 5` is above null and below 5: ``below(_:)``.
public struct IndexRange: Hashable, Sendable {
    /// One end of a range.
    public struct Bound: Hashable, Sendable {
        /// The value.
        public var value: IndexValue
        /// Whether the value itself belongs to the range.
        public var isInclusive: Bool

        /// A bound at `value`.
        public init(_ value: IndexValue, isInclusive: Bool) {
            // NaN is no value; SQLite treats it as null.
            self.value = if case .real(let real) = value, real.isNaN { .null } else { value }
            self.isInclusive = isInclusive
        }
    }

    /// The lower end; nil is the first value.
    public var lower: Bound?
    /// The upper end; nil is the last value.
    public var upper: Bound?

    /// The range between two bounds.
    public init(lower: Bound? = nil, upper: Bound? = nil) {
        self.lower = lower
        self.upper = upper
    }

    /// Every value, null included.
    public static let all = IndexRange()

    /// One value; 1 and 1.0 are the same one.
    public static func equal(_ value: IndexValue) -> IndexRange {
        IndexRange(lower: Bound(value, isInclusive: true), upper: Bound(value, isInclusive: true))
    }

    /// The values above `value`.
    public static func above(_ value: IndexValue) -> IndexRange {
        IndexRange(lower: Bound(value, isInclusive: false))
    }

    /// The values from `value` on.
    public static func from(_ value: IndexValue) -> IndexRange { IndexRange(lower: Bound(value, isInclusive: true)) }

    /// The values below `value`, without null.
    public static func below(_ value: IndexValue) -> IndexRange {
        IndexRange(lower: Bound(.null, isInclusive: false), upper: Bound(value, isInclusive: false))
    }

    /// The values up to and with `value`, without null.
    public static func upTo(_ value: IndexValue) -> IndexRange {
        IndexRange(lower: Bound(.null, isInclusive: false), upper: Bound(value, isInclusive: true))
    }

    /// Whether a value is in the range, as SQLite compares.
    public func contains(_ value: IndexValue, _ collation: IndexCollation = .binary) -> Bool {
        if let lower {
            if collation.precedes(value, lower.value) { return false }
            if !lower.isInclusive, !collation.precedes(lower.value, value) { return false }
        }
        if let upper {
            if collation.precedes(upper.value, value) { return false }
            if !upper.isInclusive, !collation.precedes(value, upper.value) { return false }
        }
        return true
    }
}

extension IndexRange {
    /// The first encoded key that may be in the range, and the first one beyond.
    ///
    /// Cut texts equal to a bound as far as they go are in the range: the reader has to check their rows.
    ///
    /// - Parameter prefix: the bytes that the keys of the index begin with.
    func encoded(_ collation: IndexCollation, _ prefix: [UInt8]) throws(StoreError) -> (start: [UInt8], end: [UInt8]) {
        do throws(FormatError) {
            let start = try lower.map { (bound) throws(FormatError) in
                try bound.edge(collation, prefix, isLower: true)
            }
            let end = try upper.map { (bound) throws(FormatError) in
                try bound.edge(collation, prefix, isLower: false)
            }
            return (start ?? prefix, end ?? endOfKeys(beginningWith: prefix))
        } catch {
            throw .invalid(error)
        }
    }
}

extension IndexRange.Bound {
    /// The first key that is not below a lower bound, or not within an upper one.
    fileprivate func edge(
        _ collation: IndexCollation, _ prefix: [UInt8], isLower: Bool
    ) throws(FormatError) -> [UInt8] {
        // Blobs sort after everything that is stored.
        guard let term = IndexTerm(value, collation) else { return endOfKeys(beginningWith: prefix) }
        var buffer = KeyBuffer()
        try term.append(to: &buffer)
        let key = prefix + buffer.array()
        if case .text(_, isTruncated: true) = term { return isLower ? key : endOfKeys(beginningWith: key) }
        return isLower == isInclusive ? key : endOfKeys(beginningWith: key)
    }
}

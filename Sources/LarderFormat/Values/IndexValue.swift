/// A value of a secondary index or of a query, in one of SQLite's five storage classes.
///
/// Two values are equal, and one precedes the other, as SQLite compares them under the collation BINARY. The order is
/// null, then numbers, then texts, then blobs, the latter two bytewise. Integers and reals are compared exactly, so 1
/// equals 1.0 and 2^53 + 1 equals no real. FORMAT.md, "indexes".
public enum IndexValue: Sendable {
    /// Nothing; equal to itself here, which `=` in SQL is not.
    case null
    /// A whole number of 64 bits.
    case integer(Int64)
    /// Any other number, infinities included; never NaN.
    case real(Double)
    /// A text, compared by its UTF-8.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

extension IndexValue: Hashable {
    /// Whether SQLite considers both equal; `1` and `1.0` are.
    public static func == (left: IndexValue, right: IndexValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.text(let left), .text(let right)): left.equalsBytewise(right)
        case (.blob(let left), .blob(let right)): left == right
        default:
            if let left = IndexNumber(left), let right = IndexNumber(right) { left == right } else { false }
        }
    }

    /// Feeds the parts that `==` compares to `hasher`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer, .real: hasher.combine(IndexNumber(self))
        case .text(let text): text.hashBytewise(into: &hasher)
        case .blob(let bytes): hasher.combine(bytes)
        }
    }
}

extension IndexValue: Comparable {
    /// SQLite's order of all values, under the collation BINARY.
    public static func < (left: IndexValue, right: IndexValue) -> Bool {
        guard left.storageClass == right.storageClass else { return left.storageClass < right.storageClass }
        switch (left, right) {
        case (.text(let left), .text(let right)): return left.precedesBytewise(right)
        case (.blob(let left), .blob(let right)): return left.rawSpan.lexicographicallyPrecedes(right.rawSpan)
        default:
            guard let left = IndexNumber(left), let right = IndexNumber(right) else { return false }
            return left < right
        }
    }

    /// The order of the kinds: 0 null, 1 number, 2 text, 3 blob.
    package var storageClass: Int64 {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}

/// A number as two integers that sort, one after the other, as the number does: integers and reals alike, exactly.
///
/// FORMAT.md, "indexes". The first is the number cut towards zero; the second has the bits of the rest's magnitude,
/// with the number's sign. Reals beyond 64 bits have the outermost integer, and their whole magnitude as the rest.
package struct IndexNumber: Hashable, Comparable, Sendable {
    /// The number cut towards zero, within 64 bits.
    package var whole: Int64
    /// The bits of the rest's magnitude, negative for a negative number; 0 for an integer.
    package var rest: Int64

    /// Creates a number of two stored parts.
    package init(whole: Int64, rest: Int64) {
        self.whole = whole
        self.rest = rest
    }

    /// Splits a number; nil for other values, and for NaN, which no value is.
    package init?(_ value: IndexValue) {
        switch value {
        case .integer(let integer): self.init(whole: integer, rest: 0)
        case .real(let real) where !real.isNaN: self.init(real)
        case .real, .null, .text, .blob: return nil
        }
    }

    private init(_ real: Double) {
        if real >= 0x1p63 {
            self.init(whole: .max, rest: Int64(bitPattern: real.bitPattern))
        } else if real < -0x1p63 {
            self.init(whole: .min, rest: -Int64(bitPattern: real.magnitude.bitPattern))
        } else {
            let whole = real.rounded(.towardZero)
            // Exact: both are multiples of the same power of two, and the rest has no more digits than the number.
            let rest = real - whole
            let bits = Int64(bitPattern: rest.magnitude.bitPattern)
            // In range: at least -2^63 and below 2^63, and whole.
            self.init(whole: Int64(whole), rest: rest < 0 ? -bits : bits)
        }
    }

    /// The number: an integer wherever it is a whole number of 64 bits. Nil for parts that no number has.
    package var value: IndexValue? {
        if rest == 0 { return .integer(whole) }
        guard rest != .min else { return nil }
        let part = Double(bitPattern: rest.magnitude)
        let real: Double
        if part < 1 {
            real = Double(whole) + (rest < 0 ? -part : part)
        } else {
            real = rest < 0 ? -part : part
        }
        // A number has one form only, so parts that do not round-trip are no number.
        return IndexNumber(.real(real)) == self ? .real(real) : nil
    }

    /// The order of the numbers.
    package static func < (left: IndexNumber, right: IndexNumber) -> Bool {
        (left.whole, left.rest) < (right.whole, right.rest)
    }
}

extension IndexValue: CustomStringConvertible {
    /// An SQL literal.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .text(let text):
            "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        case .blob(let bytes): TupleElement.bytes(bytes).description
        }
    }
}

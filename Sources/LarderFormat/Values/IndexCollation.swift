/// The comparison of texts: SQLite's collations of the same names.
///
/// FORMAT.md, "indexes".
public enum IndexCollation: Int64, Hashable, Sendable, CaseIterable {
    /// Texts are compared by their UTF-8, byte by byte.
    case binary = 0
    /// Texts are compared as ``binary``, with `A` to `Z` folded to `a` to `z`; no other letter is folded.
    case nocase = 1
}

extension IndexCollation {
    /// Whether SQLite sorts `left` before `right`.
    package func precedes(_ left: IndexValue, _ right: IndexValue) -> Bool {
        guard self == .nocase, case .text(let left) = left, case .text(let right) = right else { return left < right }
        let order = Self.compareFolded(Array(left.utf8), Array(right.utf8))
        return order < 0
    }

    /// Compares as SQLite does: the bytes up to the first U+0000 that both have, then the lengths.
    private static func compareFolded(_ left: [UInt8], _ right: [UInt8]) -> Int {
        for index in 0..<min(left.count, right.count) {
            let (one, other) = (folded(left[index]), folded(right[index]))
            if one != other { return Int(one) - Int(other) }
            if one == 0 { break }
        }
        return left.count - right.count
    }

    /// Returns the byte to compare, which is lower case for `A` to `Z`.
    static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte }
}

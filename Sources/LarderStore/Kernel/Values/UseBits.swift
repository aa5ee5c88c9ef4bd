internal import Synchronization

/// What was read lately: since it was last taken.
///
/// One bit for a number, and numbers that are 65,536 apart share one: then one of them gets a second chance for
/// nothing. A read of what was read before costs one relaxed load; nothing locks.
final class UseBits: Sendable {
    private static let wordCount = 1024

    private let words: InlineArray<1024, Atomic<UInt64>> = InlineArray { _ in Atomic(0) }

    /// Notes a use of what has this number, such as a generation.
    func note(_ number: Int64) {
        let (word, bit) = Self.place(number)
        if words[word].load(ordering: .relaxed) & bit == 0 { words[word].bitwiseOr(bit, ordering: .relaxed) }
    }

    /// Whether it was used since it was last taken.
    func contains(_ number: Int64) -> Bool {
        let (word, bit) = Self.place(number)
        return words[word].load(ordering: .relaxed) & bit != 0
    }

    /// Whether it was used since this was last asked.
    func take(_ number: Int64) -> Bool {
        let (word, bit) = Self.place(number)
        return words[word].bitwiseAnd(~bit, ordering: .relaxed).oldValue & bit != 0
    }

    private static func place(_ number: Int64) -> (word: Int, bit: UInt64) {
        let bits = UInt64(bitPattern: number)
        return (Int((bits >> 6) % UInt64(wordCount)), 1 << (bits & 63))
    }
}

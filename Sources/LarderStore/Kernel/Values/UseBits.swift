internal import Synchronization

/// The numbers that were used since their bits were last cleared.
///
/// Each number has one bit, which numbers that are 65,536 apart share: one of them may then be skipped
/// without a use of its own. A repeated use costs one relaxed load; nothing locks.
final class UseBits: Sendable {
    private static let wordCount = 1024

    // Objects, because the arrays that hold an `Atomic` itself need macOS 26 and iOS 26.
    private let words = (0..<wordCount).map { _ in Word() }

    private final class Word: Sendable {
        let bits = Atomic<UInt64>(0)
    }

    /// Records a use of the object with this number, such as a generation.
    func insert(_ number: Int64) {
        let (word, bit) = Self.bitPosition(number)
        if words[word].bits.load(ordering: .relaxed) & bit == 0 { words[word].bits.bitwiseOr(bit, ordering: .relaxed) }
    }

    /// Whether the number was used since its bit was last cleared.
    func contains(_ number: Int64) -> Bool {
        let (word, bit) = Self.bitPosition(number)
        return words[word].bits.load(ordering: .relaxed) & bit != 0
    }

    /// Returns whether the number was used since the last call, and clears its bit.
    func remove(_ number: Int64) -> Bool {
        let (word, bit) = Self.bitPosition(number)
        return words[word].bits.bitwiseAnd(~bit, ordering: .relaxed).oldValue & bit != 0
    }

    private static func bitPosition(_ number: Int64) -> (word: Int, bit: UInt64) {
        let bits = UInt64(bitPattern: number)
        return (Int((bits >> 6) % UInt64(wordCount)), 1 << (bits & 63))
    }
}

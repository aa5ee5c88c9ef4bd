/// A random number generator that gives the same numbers for the same seed, on every platform.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). For tests and
/// simulations; never for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    /// A generator at the start of the sequence of `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 {
        // All three steps are arithmetic modulo 2^64, as the algorithm specifies.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a generator for a part of the work, whose numbers do not depend on how many are drawn here later.
    public mutating func split() -> SeededGenerator {
        SeededGenerator(seed: next())
    }
}

extension SeededGenerator {
    /// Returns a number from 0 up to, not including, `bound`, which is at least 1; nearly uniform for small bounds.
    package mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "no number is below \(bound)")
        // The remainder is below a positive Int, so it fits.
        return Int(next() % UInt64(bound))
    }

    /// Returns true in `share` of a thousand cases.
    package mutating func happens(perMille share: Int) -> Bool { below(1000) < share }

    /// Returns one of the elements; `nil` without any.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

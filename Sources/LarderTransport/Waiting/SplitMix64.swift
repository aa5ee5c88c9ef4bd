/// Evenly distributed numbers from a seed, so that a run can be reproduced (SplitMix64; Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014).
package struct SplitMix64: Hashable, Sendable {
    private var state: UInt64

    /// Creates the sequence of `seed`, from its start.
    package init(state: UInt64) {
        self.state = state
    }

    /// The next number, 0 or greater and less than 1.
    package mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 53)
    }
}

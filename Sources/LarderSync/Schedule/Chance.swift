/// Evenly spread numbers from a seed, so that a history can be told again (SplitMix64; Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014).
struct Chance: Sendable {
    var state: UInt64

    /// The next number, 0 or greater and less than 1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 53)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; clamped.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        return whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000).partialValue
    }
}

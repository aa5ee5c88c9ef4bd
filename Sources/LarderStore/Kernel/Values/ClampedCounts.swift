// Counts read from the medium may be any numbers that a crafted file holds: adding them must not trap.

extension FixedWidthInteger {
    /// The sum of two counts that are not negative, at most the largest number there is.
    package func clampedSum(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Adds a count that is not negative, up to the largest number there is.
    package mutating func addClamped(_ other: Self) { self = clampedSum(other) }
}

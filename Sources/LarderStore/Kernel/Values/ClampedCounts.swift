// Counts read from the medium may be any numbers that a crafted file holds: adding them must not trap.

extension Int64 {
    /// The sum of two counts that are not negative, at most the largest number there is.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Adds a count that is not negative, up to the largest number there is.
    mutating func addClamped(_ other: Int64) { self = clampedSum(other) }
}

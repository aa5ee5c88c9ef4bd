extension SeededGenerator {
    /// A number from 0 up to, not including, `bound`, which is at least 1; even enough for small bounds.
    package mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "no number lies below \(bound)")
        // The remainder is below a positive Int, so it fits.
        return Int(next() % UInt64(bound))
    }

    /// Whether something happens that happens in so many of a thousand cases.
    package mutating func happens(perMille chance: Int) -> Bool { below(1000) < chance }

    /// One of the elements; `nil` without any.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

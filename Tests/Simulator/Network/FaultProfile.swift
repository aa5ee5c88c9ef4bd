// FaultProfile: how hostile the network is in one history.

package import LarderTesting

/// How hostile the network is in one history.
package struct FaultProfile: Hashable, Sendable {
    /// In how many of a thousand requests each fault happens; all together at most 1000.
    package private(set) var probabilities = [Int](repeating: 0, count: NetworkFault.allCases.count)
    /// How many of a thousand requests are answered by a replica that lags.
    package var lagging = 0
    /// By how many changes such a replica is behind at most.
    package var greatestLag = 12
    /// How long an exchange takes, in milliseconds of virtual time.
    package var latency: ClosedRange<Int64> = 5...80
    /// How many of a thousand exchanges take fifty times as long.
    package var slow = 0
    /// In how many chunks a body comes at most.
    package var chunks = 1

    /// Nothing goes wrong.
    package static let quiet = FaultProfile()

    /// A profile of faults that are all set one by one.
    package init() {}

    /// In how many of a thousand requests a fault happens.
    package subscript(fault: NetworkFault) -> Int {
        get { probabilities[fault.rawValue] }
        set {
            probabilities[fault.rawValue] = newValue
            precondition(newValue >= 0 && probabilities.reduce(0, +) <= 1000, "probabilities beyond 1000 of 1000")
        }
    }

    /// A profile for one history: one in eight is quiet; in the others about half of the faults happen at all, since
    /// a history with all of them hardly ever gets far.
    package init(using generator: inout SeededGenerator) {
        latency = 1...Int64(2 + generator.below(200))
        chunks = 1 + generator.below(5)
        guard generator.below(8) > 0 else { return }
        let strength = [4, 12, 40][generator.below(3)]
        for fault in NetworkFault.allCases where generator.below(2) == 0 {
            // Seventeen faults of 40 at most stay below 1000.
            self[fault] = 1 + generator.below(strength)
        }
        if generator.below(2) == 0 { lagging = generator.below(strength * 8) }
        greatestLag = 1 + generator.below(20)
        if generator.below(2) == 0 { slow = generator.below(strength * 4) }
    }

    /// The fault of one request.
    func fault(using generator: inout SeededGenerator) -> NetworkFault? {
        var number = generator.below(1000)
        for (index, probability) in probabilities.enumerated() {
            if number < probability { return NetworkFault(rawValue: index) }
            number -= probability
        }
        return nil
    }
}

// Measurement: one line of the report, Larder beside its peers.

/// The values of one contender, one for each round.
struct Series: Codable, Sendable {
    var name: String
    var values: [Double]

    var median: Double { percentile(values, 0.5) }
    var least: Double { values.min() ?? 0 }
    var most: Double { values.max() ?? 0 }
}

extension Series {
    /// A series of one value.
    init(name: String, value: Double) { self.init(name: name, values: [value]) }

    /// Its values divided by those of another: round by round where both ran in the same rounds.
    func divided(by other: Series) -> Series {
        let quotients =
            values.count == other.values.count
            ? zip(values, other.values).map { $0 / $1 } : [median / other.median]
        return Series(name: other.name, values: quotients)
    }
}

/// One line of the report: the cost of something for Larder, and for its peers in the same run. Less is better.
struct Measurement: Codable, Sendable {
    var suite: String
    /// The name of the work; the same in a quick and in a full run.
    var name: String
    /// The amount of data, where it differs between a quick and a full run.
    var size = ""
    var unit: String
    var larder: Series
    var peers: [Series] = []

    /// The name by which a goal refers to it.
    var line: String { "\(suite)/\(name)" }
    /// Its name with its size.
    var title: String { size.isEmpty ? name : "\(name), \(size)" }

    func peer(_ name: String) -> Series? { peers.first { $0.name == name } }
}

extension Measurement {
    /// A line whose values were measured once.
    init(
        suite: String, name: String, size: String = "", unit: String, larder: Double, peers: [Series] = []
    ) {
        self.init(
            suite: suite, name: name, size: size, unit: unit, larder: Series(name: "Larder", value: larder),
            peers: peers)
    }
}

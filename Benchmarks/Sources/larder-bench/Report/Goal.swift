// Goal: the limits of one line of the report, and the verdicts on its measurement.

/// The limits of one line of the report.
struct Goal: Sendable {
    /// A limit of the cost of Larder.
    enum Limit: Sendable {
        /// At most so many times the cost of the peer.
        case atMost(Double, of: String)
        /// At most the cost of the peer, divided by this.
        case faster(Double, than: String)
        /// At most so much, in the unit of the line.
        case below(Double)
    }

    /// The suite and the name of the line, separated by a slash.
    let line: String
    let limits: [Limit]

    init(_ line: String, _ limits: Limit...) {
        self.line = line
        self.limits = limits
    }

    /// The verdicts on a measurement of this line. A limit whose peer did not run has none.
    func judge(_ measurement: Measurement) -> [Verdict] {
        limits.compactMap { $0.judge(measurement) }
    }
}

extension Goal.Limit {
    fileprivate func judge(_ measurement: Measurement) -> Verdict? {
        switch self {
        case .atMost(let factor, let peer):
            guard let other = measurement.peer(peer) else { return nil }
            let ratio = measurement.larder.divided(by: other)
            return Verdict(measurement, "≤ \(Table.text(factor))× \(peer)", ratio, ratio, cost: factor)
        case .faster(let factor, let peer):
            guard let other = measurement.peer(peer) else { return nil }
            return Verdict(
                measurement, "≥ \(Table.text(factor))× faster than \(peer)", other.divided(by: measurement.larder),
                measurement.larder.divided(by: other), cost: 1 / factor)
        case .below(let limit):
            let value = measurement.larder
            return Verdict(measurement, "≤ \(Table.text(limit)) \(measurement.unit)", value, nil, cost: limit)
        }
    }
}

/// The result of comparing a measurement with a limit.
struct Verdict: Codable, Sendable {
    let line: String
    let title: String
    /// The limit in words.
    let goal: String
    /// The measured value as the goal names it: a ratio, or a value in the line's unit.
    let measured: Series
    let unit: String
    /// The cost of Larder as a multiple of the cost of the peer; nil where the limit is a value.
    let cost: Series?
    /// The limit of the cost, or of the value.
    let limit: Double
    let isMet: Bool

    fileprivate init(
        _ measurement: Measurement, _ goal: String, _ measured: Series, _ cost: Series?, cost limit: Double
    ) {
        line = measurement.line
        title = "\(measurement.suite): \(measurement.title)"
        self.goal = goal
        self.measured = measured
        unit = cost == nil ? " \(measurement.unit)" : "×"
        self.cost = cost
        self.limit = limit
        isMet = (cost ?? measured).median <= limit
    }
}

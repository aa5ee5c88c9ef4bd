// Measurement: one line of the report, Larder beside its peers.

/// One line of the report: what Larder took for something and what its peers took in the same run.
struct Measurement: Codable, Sendable {
    /// What a peer took.
    struct Peer: Codable, Sendable {
        var name: String
        var value: Double
    }

    /// What the line is to show.
    enum Goal: Codable, Sendable {
        /// At most so many times what the peer takes.
        case atMost(Double, of: String)
        /// At most the peer's value divided by this.
        case fasterThan(String, by: Double)
        /// At most so much.
        case below(Double)
    }

    var suite: String
    var name: String
    var unit: String
    var larder: Double
    var peers: [Peer] = []
    var goals: [Goal] = []

    private func value(_ peer: String) -> Double? { peers.first { $0.name == peer }?.value }

    /// Each goal in words, with whether it is met.
    var verdicts: [String] {
        goals.map { goal in
            switch goal {
            case .atMost(let factor, let peer):
                verdict("≤ \(factor)× \(peer)", (value(peer) ?? 0) * factor)
            case .fasterThan(let peer, let factor):
                verdict("≥ \(factor)× faster than \(peer)", (value(peer) ?? 0) / factor)
            case .below(let limit):
                verdict("≤ \(limit) \(unit)", limit)
            }
        }
    }

    private func verdict(_ words: String, _ limit: Double) -> String {
        words + (larder <= limit ? ": met" : ": MISSED")
    }
}

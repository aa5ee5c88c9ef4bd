// PopulationRecord+Table: the figures of a population as lines of a table.

extension PopulationRecord {
    /// The names of the columns of ``row(_:from:intervals:)``.
    package static let heading =
        "scenario | first second | peak/s | requests a client: mean, most | 503 a client | s until 50 %, 99 %, all | "
        + "peak/mean of interval 2, 3, 5"

    /// One line of a table: the figures of the clients that are watched from a time on.
    ///
    /// - Parameter time: the start of the watch.
    /// - Parameter intervals: the refresh intervals that were simulated from then on.
    package func row(_ name: String, from time: Duration, intervals: Int) -> String {
        let interval = PopulationScenario.interval
        let whole = time..<(time + interval * intervals)
        let requests = requestsUntilFinished
        let times = [0.5, 0.99, 1].map { share in
            self.time(untilFinished: share).map { "\($0.components.seconds)" } ?? "never"
        }
        let ratios = [2, 3, 5].map { number -> String in
            guard number <= intervals else { return "-" }
            let part = (time + interval * (number - 1))..<(time + interval * number)
            return mean(part) > 0 ? Self.text(Double(peak(part)) / mean(part)) : "-"
        }
        return [
            name, "\(peak(time..<(time + .seconds(1))))", "\(peak(whole))",
            "\(Self.text(requests.mean)), \(requests.most)", Self.text(Double(overloads(whole)) / Double(clients)),
            times.joined(separator: ", "), ratios.joined(separator: ", "),
        ].joined(separator: " | ")
    }

    /// A number with one decimal.
    package static func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

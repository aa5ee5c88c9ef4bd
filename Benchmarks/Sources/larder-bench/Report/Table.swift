// Table: prints the parts of a report as tables.

/// Prints the parts of a report as tables.
enum Table {
    static func print(_ figures: [Machine.Figure]) {
        for figure in figures {
            Swift.print("  \(figure.series.name): \(spread(figure.series, " " + figure.unit))")
        }
    }

    static func print(_ measurements: [Measurement]) {
        let rows = measurements.map { item in
            let peers = item.peers.map { peer in
                let ratio = item.larder.divided(by: peer)
                return "\(peer.name) \(text(peer.median)) (\(ratio.median.isFinite ? text(ratio.median) : "–")×)"
            }
            return [item.suite, item.title, item.unit, spread(item.larder, ""), peers.joined(separator: "; ")]
        }
        print(["suite", "what", "unit", "Larder", "peers, and the cost of Larder as a multiple"], rows)
    }

    static func print(_ verdicts: [Verdict]) {
        let rows = verdicts.map { [$0.isMet ? "met" : "MISSED", $0.title, $0.goal, $0.words] }
        print(["", "what", "goal", "measured"], rows)
    }

    /// Prints a table in Markdown, its columns aligned.
    private static func print(_ heads: [String], _ rows: [[String]]) {
        let widths = heads.indices.map { column in
            ([heads] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        Swift.print("")
        Swift.print(line(heads))
        Swift.print(line(widths.map { String(repeating: "-", count: $0) }))
        for row in rows { Swift.print(line(row)) }
        Swift.print("")
    }

    /// The median, and least to most where there was more than one round.
    static func spread(_ series: Series, _ unit: String) -> String {
        let median = text(series.median) + unit
        return series.values.count > 1 ? median + " (\(text(series.least)) to \(text(series.most)))" : median
    }

    /// Three significant digits.
    static func text(_ value: Double) -> String {
        if value == 0 { return "0" }
        if value.magnitude >= 100 { return String(Int(value.rounded())) }
        let scale = value.magnitude >= 10 ? 10.0 : value.magnitude >= 1 ? 100.0 : 1_000.0
        let rounded = (value * scale).rounded() / scale
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}

extension Verdict {
    /// The measured value, with its spread.
    var words: String { Table.spread(measured, unit) }
}

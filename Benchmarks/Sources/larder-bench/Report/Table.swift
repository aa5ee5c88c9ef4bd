// Table: prints measurements as one table.

/// Prints measurements as one table.
enum Table {
    static func print(_ measurements: [Measurement]) {
        line("suite", "what", "unit", "Larder", "peers, and Larder's share of what they take", "goals")
        for item in measurements {
            let peers = item.peers.map { "\($0.name) \(text($0.value)) (\(text(item.larder / $0.value))×)" }
            line(
                item.suite, item.name, item.unit, text(item.larder), peers.joined(separator: "; "),
                item.verdicts.joined(separator: "; "))
        }
    }

    private static func line(_ cells: String...) {
        Swift.print("| " + cells.joined(separator: " | ") + " |")
    }

    /// Three significant digits.
    static func text(_ value: Double) -> String {
        if value == 0 { return "0" }
        if value.magnitude >= 100 { return String(Int(value.rounded())) }
        let scale = value.magnitude >= 10 ? 10.0 : 100.0
        return String((value * scale).rounded() / scale)
    }
}

import Foundation
import Synchronization

/// The output of the demo: headings, lines, a progress line where the output is a terminal, and the table at the end.
final class Screen: Sendable {
    private let isTerminal = isatty(1) == 1
    private let rows = Mutex<[(String, String)]>([])

    func heading(_ text: String) {
        line("\n== \(text)")
    }

    func line(_ text: String) {
        clearProgress()
        print(text)
        fflush(nil)
    }

    /// Replaces the last progress line; prints nothing where the output is no terminal.
    func progress(_ text: String) {
        guard isTerminal else { return }
        print("\r\u{1B}[K\(text)", terminator: "")
        fflush(nil)
    }

    /// Adds a line to the table.
    func addRow(_ name: String, _ value: String) {
        rows.withLock { $0.append((name, value)) }
    }

    /// Prints the table.
    func table() {
        heading("What happened")
        let rows = rows.withLock(\.self)
        let width = rows.map(\.0.count).max() ?? 0
        for (name, value) in rows { line("  \(name.padding(toLength: width, withPad: " ", startingAt: 0))  \(value)") }
    }

    private func clearProgress() {
        if isTerminal { print("\r\u{1B}[K", terminator: "") }
    }
}

/// Formats numbers for display.
enum Figures {
    static func count(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")))
    }

    static func bytes(_ number: Int) -> String {
        let mebibytes = Double(number) / 1_048_576
        return String(format: "%.1f MiB", mebibytes)
    }

    static func time(_ duration: Duration) -> String {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        if seconds < 0.001 { return String(format: "%.2f µs", seconds * 1e6) }
        if seconds < 1 { return String(format: "%.2f ms", seconds * 1e3) }
        return String(format: "%.2f s", seconds)
    }
}

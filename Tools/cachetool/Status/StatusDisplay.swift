import Foundation
import LarderFormat
import LarderStore

/// Shows the status of filters repeatedly: a block of lines drawn over itself on a terminal, otherwise a plain line for
/// each filter that changed. The cursor is left below the block.
struct StatusDisplay {
    private let redactor: Redactor
    private let isLive: Bool
    /// The lines on the terminal.
    private var drawn: [String] = []
    /// The last printed line of each filter.
    private var printed: [String: String] = [:]

    init(_ redactor: Redactor) {
        self.redactor = redactor
        isLive = isatty(STDOUT_FILENO) != 0
    }

    /// Shows the current status.
    mutating func show(_ filters: [DisplayedFilter], now: Int64) throws(ToolError) {
        isLive ? try draw(filters, now: now) : try printChanges(filters)
    }

    private mutating func draw(_ filters: [DisplayedFilter], now: Int64) throws(ToolError) {
        var lines = filters.flatMap { StatusText($0, redactor).lines(now: now) }
        if lines.isEmpty { lines = ["no filters"] }
        // Lines above the top of the terminal cannot be overwritten.
        let height = max(2, Self.height() - 1)
        if lines.count > height {
            lines[(height - 1)...] = ["… and \(lines.count - height + 1) more lines"]
        }
        if lines == drawn { return }
        var text = drawn.isEmpty ? "" : "\u{1B}[\(drawn.count)A\r"
        // Lines are cut at the edge while wrapping is off, so that each fills one row.
        text += "\u{1B}[J\u{1B}[?7l" + lines.map { $0.escaped() + "\n" }.joined() + "\u{1B}[?7h"
        drawn = lines
        try Terminal.write(Array(text.utf8))
    }

    private mutating func printChanges(_ filters: [DisplayedFilter]) throws(ToolError) {
        var current: [String: String] = [:]
        for status in filters {
            let line = StatusText(status, redactor).line
            current[status.readiness.filter] = line
            if printed[status.readiness.filter] != line { try Terminal.print(line) }
        }
        for filter in printed.keys.sorted() where current[filter] == nil {
            try Terminal.print("\(redactor.text(filter)): removed")
        }
        printed = current
    }

    /// Returns the number of rows of the terminal; 24 where it is unknown.
    private static func height() -> Int {
        var size = winsize()
        // The size is written to the inout argument, which lives through the call.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }
}

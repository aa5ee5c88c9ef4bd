import Foundation
import LarderFormat

/// Shows entries repeatedly: a block of lines drawn over itself on a terminal, otherwise a plain line for each entry that
/// changed. The cursor is left below the block.
struct LiveDisplay {
    /// One thing that is shown.
    struct Entry {
        /// Distinguishes it from the others.
        let key: String
        /// A line that is stable while the store is unchanged.
        let line: String
        /// The lines on a terminal; the line where there are no others.
        var live: [String]?
    }

    /// The line of a terminal where there are no entries.
    let empty: String
    private let isLive = isatty(STDOUT_FILENO) != 0
    /// The lines on the terminal.
    private var drawn: [String] = []
    /// The last printed line of each entry, and their order.
    private var printed: [String: String] = [:]

    init(empty: String) { self.empty = empty }

    /// Shows the current entries.
    mutating func show(_ entries: [Entry]) throws(ToolError) {
        isLive ? try draw(entries.flatMap { $0.live ?? [$0.line] }) : try printChanges(entries)
    }

    private mutating func draw(_ entries: [String]) throws(ToolError) {
        var lines = entries.isEmpty ? [empty] : entries
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

    private mutating func printChanges(_ entries: [Entry]) throws(ToolError) {
        var current: [String: String] = [:]
        for entry in entries {
            current[entry.key] = entry.line
            if printed[entry.key] != entry.line { try Terminal.print(entry.line) }
        }
        for key in printed.keys.sorted() where current[key] == nil { try Terminal.print("\(key): removed") }
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

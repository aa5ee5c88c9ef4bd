import Foundation
import LarderFormat

/// Standard output, for data, and standard error, for messages.
///
/// Every text is escaped here with ``Swift/String/escaped(keeping:)``. ``write(_:)``, ``write(_:to:)`` and, where
/// standard output is no terminal, ``write(content:)`` pass bytes on unchanged.
enum Terminal {
    /// Writes a line of data, its control and format characters escaped.
    static func print(_ line: String) throws(ToolError) {
        try write(Array(line.escaped().utf8) + [0x0A])
    }

    /// Writes a line of data in columns separated by tabs; a tab or a line end within one is escaped.
    static func print(columns: [String]) throws(ToolError) {
        var lines = CollectedLines()
        lines.add(columns: columns)
        try lines.print()
    }

    /// Writes a value as one line of data.
    static func print(_ value: JSON) throws(ToolError) {
        var line = value.bytes
        line.append(0x0A)
        try write(line)
    }

    /// Writes content byte for byte; on a terminal as text, in which only line ends and tabs are not escaped.
    static func write(content: [UInt8]) throws(ToolError) {
        guard isatty(STDOUT_FILENO) != 0 else { return try write(content) }
        try write(Array(String(decoding: content, as: UTF8.self).escaped(keeping: ["\n", "\t"]).utf8))
    }

    /// Writes data unchanged.
    static func write(_ bytes: [UInt8]) throws(ToolError) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes a message to standard error; never fails.
    static func printMessage(_ line: String) {
        printError("cachetool: \(line)")
    }

    /// Writes a line to standard error; never fails.
    static func printError(_ line: String) {
        try? write(Array("\(line.escaped())\n".utf8), to: STDERR_FILENO)
    }

    /// Whether standard error is a terminal.
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) != 0 }

    /// Redraws the line at the cursor of standard error's terminal.
    static func redraw(_ line: String) {
        try? write(Array("\r\u{1B}[K\(line.escaped())".utf8), to: STDERR_FILENO)
    }

    /// Writes all of `bytes`, in any number of system calls.
    static func write(_ bytes: [UInt8], to file: Int32) throws(ToolError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // In bounds: `written` is less than the count while the loop runs.
                unsafe Foundation.write(file, buffer.baseAddress! + written, bytes.count - written)
            }
            if count < 0 {
                if errno == EINTR {
                    try Interrupt.check()
                    continue
                }
                if errno == EPIPE { throw .outputClosed }
                throw .system("Writing failed: \(unsafe String(cString: strerror(errno))).")
            }
            written += count
        }
    }
}

/// Lines of data that are collected in a read view and printed after its end: while a reader pauses, the file of a
/// running host must not grow.
struct CollectedLines {
    private var bytes: [UInt8] = []

    /// Adds a line of data in columns separated by tabs; a tab or a line end within one is escaped.
    mutating func add(columns: [String]) {
        bytes += Array(columns.map { $0.escaped() }.joined(separator: "\t").utf8) + [0x0A]
    }

    /// Adds a value as one line of data.
    mutating func add(_ value: JSON) { bytes += value.bytes + [0x0A] }

    /// Prints all lines.
    func print() throws(ToolError) { try Terminal.write(bytes) }
}

/// Shows progress: one redrawn line on a terminal, otherwise a plain line at intervals.
struct Progress {
    private let what: String
    private var last = ContinuousClock.now
    private var isDrawn = false

    init(_ what: String) { self.what = what }

    /// Shows the progress; throws when a signal requested the end.
    mutating func show(_ done: Int, of total: Int? = nil) throws {
        try Interrupt.check()
        let now = ContinuousClock.now
        guard now - last >= (Terminal.isErrorTerminal ? .milliseconds(100) : .seconds(5)) else { return }
        last = now
        let share = total.map { " of \($0)" } ?? ""
        if Terminal.isErrorTerminal {
            Terminal.redraw("\(what): \(done)\(share)")
            isDrawn = true
        } else {
            Terminal.printMessage("\(what): \(done)\(share)")
        }
    }

    /// Clears the drawn line.
    mutating func end() {
        if isDrawn { Terminal.redraw("") }
        isDrawn = false
    }
}

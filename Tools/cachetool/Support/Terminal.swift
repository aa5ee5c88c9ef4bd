import Foundation

/// Standard output, for data, and standard error, for talk.
///
/// Every text goes through ``Swift/String/escaped(keeping:)`` here, whatever it is made of; only ``write(_:)`` passes
/// bytes on as they are.
enum Terminal {
    /// Writes a line of data, its control and format characters escaped.
    static func print(_ line: String) throws(ToolError) {
        try write(Array(line.escaped().utf8) + [0x0A])
    }

    /// Writes a line of data in columns parted by tabs; a tab or a line end within one is escaped.
    static func print(columns: [String]) throws(ToolError) {
        var lines = CollectedLines()
        lines.add(columns: columns)
        try lines.print()
    }

    /// Writes a value as one line of data.
    static func print(_ value: JSON) throws(ToolError) {
        try write(value.bytes + [0x0A])
    }

    /// Writes content byte for byte; to a terminal as text, in which only line ends and tabs are not escaped.
    static func write(content: [UInt8]) throws(ToolError) {
        guard isatty(STDOUT_FILENO) != 0 else { return try write(content) }
        try write(Array(String(decoding: content, as: UTF8.self).escaped(keeping: ["\n", "\t"]).utf8))
    }

    /// Writes data as it is.
    static func write(_ bytes: [UInt8]) throws(ToolError) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Says something to whoever watches; never fails.
    static func say(_ line: String) {
        talk("cachetool: \(line)")
    }

    /// Writes a line to standard error; never fails.
    static func talk(_ line: String) {
        try? write(Array("\(line.escaped())\n".utf8), to: STDERR_FILENO)
    }

    /// Whether standard error is shown to a person.
    static var isWatched: Bool { isatty(STDERR_FILENO) != 0 }

    /// Draws over the line at the cursor of a watching terminal.
    static func redraw(_ line: String) {
        try? write(Array("\r\u{1B}[K\(line.escaped())".utf8), to: STDERR_FILENO)
    }

    /// Writes all of `bytes`, whatever portions the system takes them in.
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

/// Lines of data that are collected in a snapshot, and printed once it is given back: while a reader pauses, the file of a running host
/// must not grow.
struct CollectedLines {
    private var bytes: [UInt8] = []

    /// Adds a line of data in columns parted by tabs; a tab or a line end within one is escaped.
    mutating func add(columns: [String]) {
        bytes += Array(columns.map { $0.escaped() }.joined(separator: "\t").utf8) + [0x0A]
    }

    /// Adds a value as one line of data.
    mutating func add(_ value: JSON) { bytes += value.bytes + [0x0A] }

    /// Prints all.
    func print() throws(ToolError) { try Terminal.write(bytes) }
}

/// Shows how far something is: one line drawn over on a terminal, a plain line now and then otherwise.
struct Progress {
    private let what: String
    private var last = ContinuousClock.now
    private var isDrawn = false

    init(_ what: String) { self.what = what }

    /// Shows a state; and ends the work when a signal asked for it.
    mutating func show(_ done: Int, of total: Int? = nil) throws {
        try Interrupt.check()
        let now = ContinuousClock.now
        guard now - last >= (Terminal.isWatched ? .milliseconds(100) : .seconds(5)) else { return }
        last = now
        let share = total.map { " of \($0)" } ?? ""
        if Terminal.isWatched {
            Terminal.redraw("\(what): \(done)\(share)")
            isDrawn = true
        } else {
            Terminal.say("\(what): \(done)\(share)")
        }
    }

    /// Clears the drawn line.
    mutating func end() {
        if isDrawn { Terminal.redraw("") }
        isDrawn = false
    }
}

import Foundation

/// Reads a file, or standard input, line by line.
struct LineReader: ~Copyable {
    /// The longest line, in bytes: the largest payload with every byte escaped, and space for the other members.
    private static let limit = 128 << 20
    private static let chunkSize = 256 << 10

    private let file: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private let allowsMissingLineEnd: Bool
    /// The number of the line read last; the first is 1.
    private(set) var number = 0

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - allowsMissingLineEnd: Whether the last line may lack its line end.
    init(_ path: String, allowsMissingLineEnd: Bool = false) throws(ToolError) {
        self.allowsMissingLineEnd = allowsMissingLineEnd
        file = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 { throw NewFile.failure("open", path) }
    }

    deinit { close(file) }

    /// Returns the next line with its line end, or nil at the end.
    ///
    /// - Throws: ``ToolError/badDump(line:reason:)`` for a line beyond the limit, or a last one without its line end
    ///   unless `allowsMissingLineEnd`.
    mutating func next() throws(ToolError) -> [UInt8]? {
        var searched = start
        while true {
            if let end = lineEnd(from: searched) {
                defer { start = end + 1 }
                number += 1
                return Array(buffer[start...end])
            }
            if isAtEnd {
                if start == buffer.count { return nil }
                if allowsMissingLineEnd {
                    defer { start = buffer.count }
                    return Array(buffer[start...])
                }
                throw .badDump(line: number + 1, reason: "it is cut off")
            }
            if buffer.count - start > Self.limit { throw .badDump(line: number + 1, reason: "it is too long") }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            try fill()
        }
    }

    /// Returns the position of the first line end of the buffer at `start` or behind it.
    private func lineEnd(from start: Int) -> Int? {
        if start == buffer.count { return nil }
        return unsafe buffer.withUnsafeBytes { bytes in
            // In bounds: `start` is less than the count, and so the buffer has an address.
            let found = unsafe memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start)
            return unsafe found.map { unsafe UnsafeRawPointer($0) - bytes.baseAddress! }
        }
    }

    private mutating func fill() throws(ToolError) {
        try waitForInput()
        var portion = [UInt8](repeating: 0, count: Self.chunkSize)
        let count = unsafe portion.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        if count < 0 {
            if errno == EINTR { return }
            throw .system("Reading failed: \(unsafe String(cString: strerror(errno))).")
        }
        isAtEnd = count == 0
        buffer += portion[..<count]
    }

    /// Waits for a pipe or a terminal in short steps, because a signal may arrive just before a read that never ends.
    private func waitForInput() throws(ToolError) {
        var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        repeat { try Interrupt.check() } while unsafe poll(&request, 1, 100) <= 0
    }
}

// HistoryTrace: what happened in one history: a running hash over every line, and the last lines themselves.

/// What happened in one history: a running hash over every line, and the last lines themselves.
///
/// Two runs of one seed that do the same have the same hash; the lines show how a failing one ended.
package struct HistoryTrace: Sendable {
    /// How many lines were noted.
    package private(set) var count = 0
    /// The 64-bit hash over all lines so far and their ends: FNV-1a (Fowler, Noll and Vo).
    package private(set) var hash: UInt64 = start
    private let limit: Int
    /// The last lines, in a circle once it is full.
    private var lastLines: [String] = []

    /// A trace that keeps so many of the last lines; 0 or more.
    package init(keeping limit: Int = 60) {
        precondition(limit >= 0, "a trace cannot keep \(limit) lines")
        self.limit = limit
    }

    /// Notes a line.
    package mutating func append(_ line: String) {
        hash = Self.hash(of: line.utf8, from: hash)
        // The end of a line, so that `ab`, `c` is not `a`, `bc`.
        hash = Self.step(hash, 0x0A)
        if lastLines.count < limit {
            lastLines.append(line)
        } else if limit > 0 {
            lastLines[count % limit] = line
        }
        count += 1
    }

    /// The last lines, oldest first, each with its number.
    package var lines: [String] {
        let first = count - lastLines.count
        return lastLines.indices.map { index in
            let number = first + index
            return "\(number + 1): \(lastLines[number % max(1, limit)])"
        }
    }

    private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The FNV-1a hash of bytes.
    static func hash(of bytes: some Sequence<UInt8>, from start: UInt64 = start) -> UInt64 {
        var hash = start
        for byte in bytes { hash = step(hash, byte) }
        return hash
    }

    /// Arithmetic modulo 2^64, as the algorithm says.
    private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
}

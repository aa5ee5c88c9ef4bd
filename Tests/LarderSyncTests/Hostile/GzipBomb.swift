// GzipBomb: a gzip body that expands a hundred and fifty times.

/// A gzip body that grows a hundred and fifty times: one byte, again and again. RFC 1952, RFC 1951 §3.2.6.
struct GzipBomb: Sendable {
    private let front: [UInt8]
    private let pattern: [UInt8]
    private let repeats: Int

    /// A body that decodes to `begin` and its last byte repeated until there are `size` bytes; it has no end.
    ///
    /// - Parameter begin: ASCII.
    init(begin: String, size: Int) {
        var bits = Bits()
        // No final block, fixed Huffman codes.
        bits.append(0, count: 1)
        bits.append(0b10, count: 2)
        for byte in begin.utf8 { bits.append(0x30 + UInt16(byte), count: 8) }
        // Eight matches take thirteen bytes, at whatever bit they begin.
        let start = bits.bytes.count + 1
        for _ in 0..<24 {
            // The length 258, and the distance 1.
            bits.append(0b1100_0101, count: 8)
            bits.append(0, count: 5)
        }
        front = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bits.bytes[..<start]
        pattern = Array(bits.bytes[start..<start + 13])
        repeats = size / (8 * 258)
    }

    /// Sends the bomb behind a head with these fields.
    func send(on connection: HostileConnection, fields: [String]) -> Bool {
        let block = Array(repeatElement(pattern, count: 1000).joined())
        connection.send(ok(["Connection: close"] + fields))
        connection.send(front)
        for _ in 0...(repeats / 1000) {
            guard connection.send(block) else { break }
        }
        return false
    }

    /// Bits packed from the lowest of each byte on.
    private struct Bits {
        var bytes: [UInt8] = []
        var used = 8

        /// Appends the lowest `count` bits of `code`, the highest of them first, as Huffman codes are packed.
        mutating func append(_ code: UInt16, count: Int) {
            for place in (0..<count).reversed() {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= UInt8(code >> UInt16(place) & 1) << UInt8(used)
                used += 1
            }
        }
    }
}

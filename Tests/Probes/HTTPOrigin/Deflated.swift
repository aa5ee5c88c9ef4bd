// Deflated: bodies compressed as a server would send them: runs of one byte as matches, all else as literals.

/// Bodies compressed as a server would send them: runs of one byte as matches, all else as literals. RFC 1950 to 1952.
public enum Deflated {
    /// `bytes` in the coding `gzip`.
    public static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + deflate(bytes) + little(checksum(bytes)) + little(UInt32(bytes.count))
    }

    /// `bytes` in the coding `deflate`: with the header of RFC 1950.
    public static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01] + deflate(bytes) + little(high << 16 | low).reversed()
    }

    /// One final block with fixed Huffman codes. RFC 1951 §3.2.6.
    private static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var bits = Bits()
        bits.append(1, count: 1)
        // The lowest bit of a number comes first, the highest of a code.
        bits.append(0b10, count: 2)
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            if byte < 144 {
                bits.append(0x30 + UInt16(byte), count: 8)
            } else {
                bits.append(0x100 + UInt16(byte), count: 9)
            }
            place += 1
            while place + 258 <= bytes.count, bytes[place..<place + 258].allSatisfy({ $0 == byte }) {
                // The length 258 and the distance 1.
                bits.append(0b1100_0101, count: 8)
                bits.append(0, count: 5)
                place += 258
            }
        }
        bits.append(0, count: 7)
        return bits.bytes
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
    }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Bits packed from the lowest of each byte on.
    private struct Bits {
        var bytes: [UInt8] = []
        private var used = 8

        init() {}

        /// Appends the lowest `count` bits of `code`, the highest of them first.
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

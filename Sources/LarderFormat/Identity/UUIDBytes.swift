/// The sixteen bytes of a UUID (RFC 9562), in network order.
///
/// ```swift
/// let sent = try await cache.put(note, to: "/notes/9")
/// let text = "\(sent.id)"  // such as 8f4e2d9c-3b1a-4c5d-9e6f-7a8b9c0d1e2f
/// if let id = UUIDBytes(text) { print(try await outbox.outcome(of: id)) }  // also after a relaunch
/// ```
public struct UUIDBytes: Hashable, Sendable {
    /// The first eight bytes, the first one in the highest bits.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Makes a UUID of two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the form 8-4-4-4-12 in hexadecimal digits of either case; `nil` for anything else.
    public init?(_ text: String) {
        let characters = [UInt8](text.utf8)
        guard characters.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, character) in characters.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == 0x2D else { return nil }
                continue
            }
            guard let digit = Self.value(ofHexadecimal: character) else { return nil }
            if digits < 16 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// Sixteen bytes of zero: no UUID yet.
    package static let zero = UUIDBytes(high: 0, low: 0)

    /// Draws a random UUID, version 4 (RFC 9562 §5.4).
    public static func random(using generator: inout some RandomNumberGenerator) -> UUIDBytes {
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUIDBytes(high: high, low: low)
    }

    /// The byte at `index`, 0 to 15.
    subscript(index: Int) -> UInt8 {
        let half = index < 8 ? high : low
        return UInt8(truncatingIfNeeded: half >> UInt64(56 - index % 8 * 8))
    }

    private static func value(ofHexadecimal character: UInt8) -> UInt64? {
        switch character {
        case 0x30...0x39: UInt64(character - 0x30)
        case 0x41...0x46: UInt64(character - 0x41 + 10)
        case 0x61...0x66: UInt64(character - 0x61 + 10)
        default: nil
        }
    }
}

extension UUIDBytes: CustomStringConvertible {
    /// The form 8-4-4-4-12, in lower case.
    public var description: String {
        var text = ""
        for index in 0..<16 {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            let byte = self[index]
            if byte < 16 { text.append("0") }
            text.append(String(byte, radix: 16))
        }
        return text
    }
}

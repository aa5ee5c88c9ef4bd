// Proves that the end of a range compares as its bytes do, whatever the lengths.

import LarderFormat
import Testing

@Suite struct `The end of a range` {
    @Test func `is after the keys that sort before it, and no others`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let (end, key) = (Self.key(&random), Self.key(&random))
            #expect(KeyBound(end).isAfter(key.rawSpan) == key.lexicographicallyPrecedes(end), "\(key), \(end)")
        }
    }

    /// A short key of few different bytes, so that beginnings agree.
    private static func key(_ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in [0, 1, 0xFF].randomElement(using: &random) ?? 0 }
    }
}

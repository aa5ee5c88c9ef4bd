/// The 128 bits that sign tokens and cursors.
public struct TokenSecret: Hashable, Sendable {
    let first: UInt64
    let second: UInt64

    /// Creates a secret of the given bits; tests use fixed ones.
    public init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// Creates a secret of random bits; a server that other machines can reach uses a `SystemRandomNumberGenerator`.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(generator.next(), generator.next())
    }
}

/// Signs bytes with a secret: SipHash-2-4 (Aumasson and Bernstein, 2012).
///
/// 64 bits are enough here: a forged token grants nothing that the same client could not read by a bootstrap.
package struct TicketSigner: Sendable {
    package let secret: TokenSecret

    /// Creates a signer with `secret`.
    package init(secret: TokenSecret) { self.secret = secret }

    /// Returns the signature of `bytes`.
    package func signature(of bytes: [UInt8]) -> UInt64 {
        var state = State(secret)
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            word |= UInt64(byte) << UInt64(index % 8 * 8)
            if index % 8 == 7 {
                state.absorb(word)
                word = 0
            }
        }
        state.absorb(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
        return state.finish()
    }

    private struct State {
        var v0: UInt64
        var v1: UInt64
        var v2: UInt64
        var v3: UInt64

        init(_ secret: TokenSecret) {
            // The algorithm's initial words, "somepseudorandomlygeneratedbytes".
            v0 = secret.first ^ 0x736f_6d65_7073_6575
            v1 = secret.second ^ 0x646f_7261_6e64_6f6d
            v2 = secret.first ^ 0x6c79_6765_6e65_7261
            v3 = secret.second ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            for _ in 0..<2 { round() }
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = Self.rotated(v1, 13) ^ v0
            v0 = Self.rotated(v0, 32)
            v2 &+= v3
            v3 = Self.rotated(v3, 16) ^ v2
            v0 &+= v3
            v3 = Self.rotated(v3, 21) ^ v0
            v2 &+= v1
            v1 = Self.rotated(v1, 17) ^ v2
            v2 = Self.rotated(v2, 32)
        }

        private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
    }
}

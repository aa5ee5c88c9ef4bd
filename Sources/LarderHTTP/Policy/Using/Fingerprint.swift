/// A keyed hash that lets a stored value be compared but not read: HMAC-SHA-256. RFC 2104, FIPS 180-4.
package enum Fingerprint {
    /// Returns the first 16 bytes of the hash of `message` under `key`, in hexadecimal digits.
    package static func text(of message: [UInt8], key: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = authentication(of: message, key: key).prefix(16)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the HMAC of `message`, 32 bytes.
    package static func authentication(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? digest(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        return digest(block.map { $0 ^ 0x5C } + digest(block.map { $0 ^ 0x36 } + message))
    }

    /// Returns the SHA-256 of `message`, 32 bytes.
    package static func digest(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let bits = UInt64(message.count) &* 8  // an array holds fewer than 2^61 bytes
        for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        var state = initial
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<(start + 64)], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words: [UInt32] = []
        for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            words.append(block[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) })
        }
        for place in 16..<64 {
            let early = words[place - 15]
            let late = words[place - 2]
            let low = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let high = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            words.append(words[place - 16] &+ low &+ words[place - 7] &+ high)
        }
        var next = state
        for (word, constant) in zip(words, constants) {
            let high = rotated(next[4], 6) ^ rotated(next[4], 11) ^ rotated(next[4], 25)
            let choice = next[4] & next[5] ^ ~next[4] & next[6]
            let first = next[7] &+ high &+ choice &+ constant &+ word
            let low = rotated(next[0], 2) ^ rotated(next[0], 13) ^ rotated(next[0], 22)
            let majority = next[0] & next[1] ^ next[0] & next[2] ^ next[1] & next[2]
            next = [first &+ low &+ majority] + next[0..<3] + [next[3] &+ first] + next[4..<7]
        }
        for place in 0..<8 { state[place] &+= next[place] }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// Returns the first 32 bits of the fractional part of a root of each of the first `count` primes.
    ///
    /// `power` is 2 for the square root and 3 for the cube root: `root`^`power` is at most the prime × 2^(32 power).
    private static func fractions(count: Int, power: Int) -> [UInt32] {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < count {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            // The root has at most 5 bits before its point, so 37 bits are tried, from the highest down.
            var root: UInt64 = 0
            for bit in stride(from: 36, through: 0, by: -1) {
                let next = UInt128(root | 1 << UInt64(bit))
                let product = (1..<power).reduce(next) { product, _ in product * next }
                if product <= UInt128(prime) << UInt128(32 * power) { root = UInt64(next) }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }

    private static let initial = fractions(count: 8, power: 2)
    private static let constants = fractions(count: 64, power: 3)
}

/// The hash function SHA-256 (FIPS 180-4), for names of directories that do not say what they are of.
///
/// Plain and slow; for a few bytes, and not for secrets.
enum SHA256 {
    /// The 32 bytes of the hash.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
        let padded = pad(message)
        for start in stride(from: 0, to: padded.count, by: 64) { compress(padded[start..<start + 64], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    /// FIPS 180-4 §5.1.1: a one bit, zeros, and the length in bits, to a multiple of 64 bytes.
    private static func pad(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let length = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: length >> UInt64(shift))) }
        return padded
    }

    /// FIPS 180-4 §6.2.2.
    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var schedule = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[start + $1]) }
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let first = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
            let second = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
            schedule.append(schedule[index - 16] &+ first &+ schedule[index - 7] &+ second)
        }
        var words = state
        for index in 0..<64 {
            let (a, e) = (words[0], words[4])
            let choice = (e & words[5]) ^ (~e & words[6])
            let majority = (a & words[1]) ^ (a & words[2]) ^ (words[1] & words[2])
            let sum = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = words[7] &+ sum &+ choice &+ constants[index] &+ schedule[index]
            let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
            words = [first &+ second, a, words[1], words[2], words[3] &+ first, e, words[5], words[6]]
        }
        for index in state.indices { state[index] &+= words[index] }
    }

    private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

    /// FIPS 180-4 §4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = primes.map { prime in
        // The integer cube root of prime * 2^96 has the integer part above its low 32 bits.
        var (low, high): (UInt64, UInt64) = (0, 1 << 36)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isCube(middle, atMost: UInt64(prime)) { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    /// Whether root³ is at most prime * 2^96.
    private static func isCube(_ root: UInt64, atMost prime: UInt64) -> Bool {
        let root = UInt128(root)
        // At most 2^108: nothing overflows.
        return root * root * root <= UInt128(prime) << 96
    }

    private static let primes: [Int] = (2...311).filter { number in
        (2..<number).allSatisfy { number % $0 != 0 }
    }
}

// TranslationRows: rows like those of a translation: decimal keys from 1 on, JSON payloads of 200 to 400 bytes, 300 on average.

import LarderFormat

/// Rows like those of a translation: decimal keys from 1 on, JSON payloads of 200 to 400 bytes, 300 on average.
///
/// The payloads come from a pool of 4,096 made from a fixed seed, so that making them costs a workload nothing.
struct TranslationRows: Sendable {
    static let seed: UInt64 = 20_260_101
    static let type = "translation"
    static let group = "translations"
    /// Milliseconds since 1970-01-01 UTC.
    static let updatedAt: Int64 = 1_767_225_600_000

    private static let pool: [[UInt8]] = {
        var generator = SeededRandom(seed)
        return (0..<4_096).map { _ in payload(&generator) }
    }()

    /// How many rows there are.
    let count: Int
    /// Shifts the payloads, so that two versions of a row differ.
    var version = 0

    func payload(_ row: Int) -> [UInt8] {
        Self.pool[(row &* 2_654_435_761 &+ version &* 97) & 4_095]
    }

    static func resource(_ number: Int) -> ResourceKey { ResourceKey(group, Int64(number)) }

    /// The bytes of all payloads.
    var byteCount: Int { (0..<count).reduce(0) { $0 + payload($1).count } }

    private static func payload(_ generator: inout SeededRandom) -> [UInt8] {
        let letters = Array("abcdefghijklmnopqrstuvwxyz     ".utf8)
        let length = Int.random(in: 100...300, using: &generator)
        let text = (0..<length).map { _ in letters.randomElement(using: &generator) ?? 0x20 }
        let number = Int.random(in: 10_000...99_999, using: &generator)
        let head = "{\"id\":\(number),\"resource_id\":19,\"verse_key\":\"\(number % 114 + 1):\(number % 200 + 1)\","
        return Array((head + "\"language_name\":\"english\",\"text\":\"").utf8) + text + Array("\"}".utf8)
    }
}

/// What a reader does with a payload: looks at all of it.
@inline(__always)
func use(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var sum: UInt64 = 0
    var offset = 0
    while offset + 8 <= bytes.count {
        sum &+= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        offset += 8
    }
    return sum
}

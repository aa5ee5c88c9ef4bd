// Proves that the record of a response is decoded once for each state of it, is never returned as it was before, and is
// kept in memory only while few others are used.

import LarderFormat
import LarderStore
import Testing

@Suite struct `The record of a response` {
    private let directory = TemporaryStore()

    /// The last uses that the records of a key say, and how often one was decoded for that.
    private func read(
        _ key: String, _ decoded: DecodedResponses<Int64>, in store: Store
    ) throws -> (found: [Int64], decodedCount: Int) {
        var count = 0
        let found = try store.read { view in
            try view.responses(forKey: key, decoded: decoded) { entry in
                count += 1
                return entry.record.receivedAt
            }
        }
        return (found, count)
    }

    @Test func `is decoded once, and again when it has changed`() async throws {
        let store = try directory.open()
        let decoded = DecodedResponses<Int64>()
        let entry = try await store.put(response("k", receivedAt: 1))
        try await store.put(response("other", receivedAt: 7))
        for expected in [1, 0, 0] {
            let (found, count) = try read("k", decoded, in: store)
            #expect(found == [1])
            #expect(count == expected)
        }
        #expect(try read("other", decoded, in: store) == ([7], 1))
        try await store.write { transaction in
            _ = try transaction.updateResponse(at: entry.place, blob: entry.record.blob) { $0.receivedAt = 2 }
        }
        #expect(try read("k", decoded, in: store) == ([2], 1))
        try await store.put(response("k", receivedAt: 3))
        #expect(try read("k", decoded, in: store) == ([3], 1))
        #expect(try read("other", decoded, in: store) == ([7], 0))
        #expect(try await store.removeResponses(.key("k")) == 1)
        #expect(try read("k", decoded, in: store) == ([], 0))
        try store.close()
    }

    @Test func `is not returned for another key with the same beginning`() async throws {
        let store = try directory.open()
        let decoded = DecodedResponses<Int64>()
        let long = String(repeating: "a", count: 500)
        for number in 0..<3 { try await store.put(response(long + "\(number)", receivedAt: Int64(number))) }
        for expected in [1, 0] {
            for number in 0..<3 {
                #expect(try read(long + "\(number)", decoded, in: store) == ([Int64(number)], expected))
            }
        }
        try store.close()
    }

    @Test func `is decoded again once 512 others were used`() async throws {
        let store = try directory.open()
        let decoded = DecodedResponses<Int64>()
        for number in 0...512 { try await store.put(response("k\(number)", receivedAt: Int64(number))) }
        for number in 0...512 { #expect(try read("k\(number)", decoded, in: store) == ([Int64(number)], 1)) }
        #expect(try read("k512", decoded, in: store) == ([512], 0))
        #expect(try read("k0", decoded, in: store) == ([0], 1))
        try store.close()
    }

    @Test func `stays decoded while it is used, however many others are`() async throws {
        let store = try directory.open()
        let decoded = DecodedResponses<Int64>()
        for number in 0..<1024 { try await store.put(response("k\(number)", receivedAt: Int64(number))) }
        for number in 0..<1024 {
            #expect(try read("k\(number)", decoded, in: store) == ([Int64(number)], 1))
            if number.isMultiple(of: 100) {
                #expect(try read("k0", decoded, in: store) == ([0], 0), "after \(number) others")
            }
        }
        try store.close()
    }

    @Test func `is skipped once it is damaged, also where it was decoded before`() async throws {
        let store = try directory.open()
        let decoded = DecodedResponses<Int64>()
        try await store.put(response("k", receivedAt: 1))
        #expect(try read("k", decoded, in: store) == ([1], 1))
        let raw = try RawStore(directory.path)
        var record = try #require(
            try raw.records().first { $0.table == .responses && $0.body.contains(UInt8(ascii: "k")) })
        record.value[record.value.count - 1] ^= 1
        try raw.replace([], by: [record])
        #expect(try read("k", decoded, in: store) == ([], 0))
        record.value[record.value.count - 1] ^= 1
        try raw.replace([], by: [record])
        #expect(try read("k", decoded, in: store) == ([1], 0))
        try raw.close()
        try store.close()
    }

    @Test func `is not returned for another key with the same hash`() async throws {
        let (one, other) = keysWithOneHash()
        #expect(one != other)
        #expect(one.utf8.count == other.utf8.count)
        let store = try directory.open()
        let decoded = DecodedResponses<Int64>()
        try await store.put(response(one, language: "de", receivedAt: 1))
        try await store.put(response(other, language: "en", receivedAt: 2))
        // Both are below one key of the table, so that each read meets both.
        #expect(try read(one, decoded, in: store).found == [1])
        #expect(try read(other, decoded, in: store).found == [2])
        #expect(try read(one, decoded, in: store) == ([1], 0))
        #expect(try read(other, decoded, in: store) == ([2], 0))
        try store.close()
    }
}

/// Returns two cache keys with the same first 256 bytes and the same XXH64.
///
/// A lane of XXH64 adds a multiple of each of its words: a change of one word is undone by a change of the next.
private func keysWithOneHash() -> (String, String) {
    let primes: (UInt64, UInt64) = (0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F)
    func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        let sum = lane &+ word &* primes.1
        return (sum << 31 | sum >> 33) &* primes.0
    }
    func word(_ text: String) -> UInt64 { text.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    // Newton's method doubles the bits of the inverse that are right, from three.
    var inverse = primes.1
    for _ in 0..<5 { inverse = inverse &* (2 &- primes.1 &* inverse) }

    let start = String(repeating: "a", count: 256)
    let lane = (0..<8).reduce(primes.0 &+ primes.1) { lane, _ in round(lane, word("aaaaaaaa")) }
    let rest = String(repeating: "b", count: 24)
    let (first, second) = ("11111111", "22222222")
    for number in 10_000_000..<100_000_000 {
        let changed = word(second) &+ (round(lane, word(first)) &- round(lane, word("\(number)"))) &* inverse
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: changed >> (8 * $0)) }
        if bytes.allSatisfy({ (0x21...0x7E).contains($0) }) {
            let undone = String(decoding: bytes, as: UTF8.self)
            return (start + first + rest + second + rest, start + "\(number)" + rest + undone + rest)
        }
    }
    preconditionFailure("no such keys")
}

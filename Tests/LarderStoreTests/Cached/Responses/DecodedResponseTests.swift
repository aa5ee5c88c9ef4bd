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
}

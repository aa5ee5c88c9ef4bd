// Proves that a key with any number of variants costs a lookup no more than a few.
import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `A key with many variants` {
    @Test func `gives the newest few, and loses the excess with the next response`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.put(response("k", etag: "1"))
        let first = try #require(try store.read { view in try view.responses(forKey: "k") }.first)
        // As a store of before the limit, or a forged one, has them.
        try await store.write { transaction in
            for number in 2...1000 {
                var record = first.record
                record.selecting = [.init(name: "accept-language", value: "\(number)")]
                record.lastUsedAt = Int64(number)
                try transaction.putResponseRecord(
                    record, at: ResponsePlace(key: "k", variant: Int64(number)))
            }
        }
        let found = try store.read { view in try view.responses(forKey: "k") }
        #expect(found.count == ResponseLimits.read)
        #expect(Set(found.map(\.place.variant)) == Set(937...1000))
        try store.close()
    }
}

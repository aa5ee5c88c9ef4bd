// Proves that a key with any number of variants costs a lookup no more than a few.
import LarderEngine
import LarderFormat
import Testing

@testable import LarderStore

@Suite struct `A key with many variants` {
    @Test func `returns the newest few, and drops the excess with the next response`() async throws {
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
                    record, at: ResponseAddress(key: "k", variant: Int64(number), .readable))
            }
        }
        let found = try store.read { view in try view.responses(forKey: "k") }
        #expect(found.count == ResponseLimits.read)
        #expect(Set(found.map(\.place.variant)) == Set(937...1000))
        // Others of the key go with the next response, in bounded commits.
        for expected in [1000 - 128 + 1, 1000 - 2 * 128 + 2] {
            var next = response("k", etag: "next")
            next.selecting = [.init(name: "accept-language", value: "next \(expected)")]
            try await store.put(next)
            let count = try store.read { view in try view.responses(after: nil, limit: 2000).count }
            #expect(count == expected)
        }
        try store.close()
    }

    @Test func `keeps those used last, and pinned ones`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        var pinned = response("k", etag: "p")
        pinned.isPinned = true
        pinned.selecting = [.init(name: "accept-language", value: "pinned")]
        try await store.put(pinned)
        var used: ResponseEntry?
        for number in 0..<40 {
            var record = response("k", etag: "\(number)")
            record.selecting = [.init(name: "accept-language", value: "\(number)")]
            record.lastUsedAt = Int64(number)
            record.receivedAt = Int64(number)
            try await store.put(record)
            let entries = try store.read { view in try view.responses(forKey: "k") }
            if number == 0 { used = entries.first { $0.record.selecting == record.selecting } }
            let entry = try #require(used)
            // Noted in memory alone: the record learns of it once an hour.
            store.usage.addUse(ofResponse: entry.record.blob, at: entry.place, now: 1_000_000 + Int64(number))
        }
        let entries = try store.read { view in try view.responses(forKey: "k") }
        let stored = Set(entries.compactMap { $0.record.selecting.first?.value })
        #expect(stored == Set(["pinned", "0"] + (9..<40).map { "\($0)" }))
        try store.close()
    }

    @Test func `whose numbers are used up gets another one`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.put(response("k", etag: "1"))
        let first = try #require(try store.read { view in try view.responses(forKey: "k") }.first)
        // A forged record.
        try await store.write { transaction in
            var record = first.record
            record.selecting = [.init(name: "accept-language", value: "forged")]
            try transaction.putResponseRecord(record, at: ResponseAddress(key: "k", variant: .max, .readable))
            try transaction.removeResponse(at: first.place)
        }
        for language in ["fr", "it"] {
            try await store.put(response("k", etag: language, language: language))
            let found = try store.read { view in try view.responses(forKey: "k") }
            #expect(found.map { $0.record.selecting.map(\.value) } == [[language]])
        }
        try store.close()
    }
}

// Proves that every response cache (memory, files, store) fulfils the contract of ResponseCache.

import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import Logging
import Testing

/// A cache to hold against the contract, with what it needs to live.
struct CacheUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (TemporaryDirectory) throws -> any ResponseCache

    static let keeping: [CacheUnderTest] = [
        CacheUnderTest(testDescription: "store") { directory in
            StoreResponseCache(store: try Store.open(at: directory.path + "/store", host: .withTickingClock()))
        },
        CacheUnderTest(testDescription: "memory") { _ in MemoryResponseCache() },
        CacheUnderTest(testDescription: "files") { directory in
            try FileCache(directory: directory.path + "/files", now: { 1_700_000_000_000 })
        },
    ]
}

@Suite struct `A response cache that stores` {
    /// §2.1.1, §2.1.2, §2.1.5.
    @Test(arguments: CacheUnderTest.keeping)
    func `returns what was written, byte for byte`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        var response = makeResponse(etag: "\"a\"")
        response.fields.append(HTTPField(name: .init("X-Odd")!, lenientValue: [0x63, 0xE9, 0x21]))
        response.coverage = .part(3..<9, total: 100)
        let stored = try await cache.store(response, "https://a.test/x", body: "abcdef", tags: ["t", "u"])
        let entries = try await cache.entries(for: "https://a.test/x")
        #expect(entries.count == 1)
        let entry = try #require(entries.first)
        #expect(entry.response == response)
        #expect(entry.identity == stored.identity)
        #expect(entry.key == "https://a.test/x")
        #expect(entry.tags == ["t", "u"])
        #expect(try entry.text() == "abcdef")
        #expect(try entry.body.text(2..<4) == "cd")
        #expect(try entry.body.text(6..<6) == "")
        #expect(try stored.text() == "abcdef")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `shows nothing before the response is finished, and nothing that was given up`(
        under: CacheUnderTest
    ) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let writer = try await cache.write(makeResponse(), for: "k", options: StorageOptions())
        try writer.append("half")
        try await writer.flush()
        #expect(try await cache.entries(for: "k").isEmpty)
        await writer.cancel()
        #expect(try await cache.entries(for: "k").isEmpty)
        try await cache.store(makeResponse(etag: "1"), "k", body: "old")
        let second = try await cache.write(makeResponse(etag: "2"), for: "k", options: StorageOptions())
        try second.append("new")
        await second.cancel()
        #expect(try await cache.texts("k") == ["old"])
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `stores one response for each selection, the most recent first`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        for (index, language) in ["de", "en", nil].enumerated() {
            try await cache.store(
                makeResponse(language: language, receivedAt: Int64(index)), "k", body: language ?? "-")
        }
        #expect(try await cache.texts("k") == ["-", "en", "de"])
        try await cache.store(makeResponse(language: "de", receivedAt: 9), "k", body: "neu")
        #expect(try await cache.texts("k") == ["neu", "-", "en"])
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `gives every response an identity of its own`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        var seen: Set<UInt64> = []
        for number in 0..<4 {
            let stored = try await cache.store(makeResponse(), number < 2 ? "k" : "l", body: "\(number)")
            #expect(seen.insert(stored.identity).inserted)
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `refreshes metadata and leaves body, identity and tags alone`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let stored = try await cache.store(makeResponse(etag: "1"), "k", body: "body", tags: ["t"])
        var fresh = makeResponse(etag: "2", receivedAt: 77)
        fresh.fields[.cacheControl] = String(repeating: "x", count: 9000)
        try await cache.refresh(stored, with: fresh)
        let entry = try #require(try await cache.entries(for: "k").first)
        #expect(entry.response == fresh)
        #expect(entry.identity == stored.identity)
        #expect(entry.tags == ["t"])
        #expect(try entry.text() == "body")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `adds tags and a pin to one entry, and takes none away`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let stored = try await cache.store(makeResponse(language: "de"), "k", body: "body", tags: ["t"])
        try await cache.store(makeResponse(language: "en"), "k", body: "other")
        #expect(!stored.isPinned)
        try await cache.add(StorageOptions(tags: ["u"], isPinned: true), to: stored)
        try await cache.add(StorageOptions(tags: ["v"]), to: stored)
        let entries = try await cache.entries(for: "k")
        let entry = try #require(entries.first { $0.identity == stored.identity })
        #expect(entry.tags == ["t", "u", "v"] && entry.isPinned)
        #expect(try entry.text() == "body")
        #expect(entries.allSatisfy { $0.identity == stored.identity || $0.tags.isEmpty && !$0.isPinned })
        #expect(try await cache.remove(.tag("u")) == 1)
        try await cache.add(StorageOptions(isPinned: true), to: stored)
        #expect(try await cache.texts("k") == ["other"])
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `does not refresh what was replaced or removed meanwhile`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let old = try await cache.store(makeResponse(etag: "1"), "k", body: "old")
        try await cache.store(makeResponse(etag: "2"), "k", body: "new")
        try await cache.refresh(old, with: makeResponse(etag: "3"))
        #expect(try await cache.entries(for: "k").first?.response.fields[.eTag] == "2")
        try await cache.remove(.key("k"))
        try await cache.refresh(old, with: makeResponse(etag: "3"))
        #expect(try await cache.entries(for: "k").isEmpty)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `marks what is invalidated, and what is put after that is not`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        try await cache.store(makeResponse(language: "de"), "k", body: "1")
        try await cache.store(makeResponse(language: "en"), "k", body: "2")
        try await cache.store(makeResponse(), "kk", body: "3")
        try await cache.invalidate("k")
        #expect(try await cache.entries(for: "k").allSatisfy { $0.response.isInvalidated })
        #expect(try await cache.entries(for: "kk").allSatisfy { !$0.response.isInvalidated })
        try await cache.store(makeResponse(language: "de"), "k", body: "4")
        #expect(try await cache.entries(for: "k").count { $0.response.isInvalidated } == 1)
        try await cache.invalidate("nothing")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `removes by key, prefix and tag, and all`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let long = String(repeating: "é", count: 300)
        for key in ["a/1", "a/2", "b/1", "a", "", long + "x", long + "y", "z" + long] {
            try await cache.store(makeResponse(), key, body: key, tags: key.hasSuffix("1") ? ["one"] : [])
        }
        #expect(try await cache.remove(.key("a")) == 1)
        #expect(try await cache.texts("a/1") == ["a/1"])
        #expect(try await cache.remove(.prefix(long)) == 2)
        #expect(try await cache.remove(.tag("one")) == 2)
        #expect(try await cache.remove(.tag("one")) == 0)
        #expect(try await cache.remove(.prefix("a/")) == 1)
        #expect(try await cache.texts("z" + long) == ["z" + long])
        #expect(try await cache.texts("") == [""])
        #expect(try await cache.remove(.all) == 2)
        #expect(try await cache.remove(.all) == 0)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `distinguishes keys by their bytes, however long they are`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let long = String(repeating: "q", count: 2000)
        for key in ["\u{e9}", "e\u{301}", long, long + "1", long + "2"] {
            try await cache.store(makeResponse(), key, body: "\(key.utf8.count)")
        }
        #expect(try await cache.texts("\u{e9}") == ["2"])
        #expect(try await cache.texts("e\u{301}") == ["3"])
        #expect(try await cache.texts(long) == ["2000"])
        #expect(try await cache.texts(long + "2") == ["2001"])
        #expect(try await cache.texts(long + "3") == [])
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `reads a body that is held after its response was replaced and removed`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        try await cache.store(makeResponse(), "k", body: "first")
        let held = try #require(try await cache.entries(for: "k").first)
        try await cache.store(makeResponse(), "k", body: "second")
        let second = try #require(try await cache.entries(for: "k").first)
        try await cache.remove(.all)
        for number in 0..<20 { try await cache.store(makeResponse(), "\(number)", body: "filler") }
        #expect(try held.text() == "first")
        #expect(try second.text() == "second")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `stores bodies of every size, appended in any pieces`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let all = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for size in [0, 1, 32_739, 32_740, 32_741, 261_920, 261_921, 1_000_003] {
            let writer = try await cache.write(makeResponse(), for: "k\(size)", options: StorageOptions())
            var start = 0
            while start < size {
                let end = min(size, start + 50_000)
                try writer.append(all[start..<end])
                try await writer.flush()
                start = end
            }
            let stored = try await writer.finish(coverage: nil)
            #expect(stored.body.byteCount == Int64(size))
            let entry = try #require(try await cache.entries(for: "k\(size)").first)
            #expect(try entry.body.bytes(0..<Int64(size)) == Array(all[..<size]))
            let middle = Int64(size / 3)..<Int64(size / 2)
            #expect(try entry.body.bytes(middle) == Array(all[size / 3..<size / 2]))
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `records the coverage that the body turned out to have`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        let writer = try await cache.write(makeResponse(), for: "k", options: StorageOptions())
        try writer.append("half")
        let stored = try await writer.finish(coverage: .part(0..<4, total: 8))
        #expect(stored.response.coverage == .part(0..<4, total: 8))
        #expect(try await cache.entries(for: "k").first?.response.coverage == .part(0..<4, total: 8))
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `rethrows a reader's error and stops there`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        struct ReadStopped: Error {}
        let stored = try await cache.store(makeResponse(), "k", body: String(repeating: "x", count: 200_000))
        var calls = 0
        #expect(throws: ReadStopped.self) {
            try stored.body.read(0..<200_000) { _ in
                calls += 1
                throw ReadStopped()
            }
        }
        #expect(calls == 1)
    }
}

@Suite struct `No cache` {
    /// §2.1.4.
    @Test func `stores nothing and says how long the body was`() async throws {
        let cache = NoCache()
        let stored = try await cache.store(makeResponse(), "k", body: "body")
        #expect(stored.body.byteCount == 4)
        #expect(throws: HTTPCacheError.self) { try stored.body.read(0..<4) { _ in } }
        #expect(try await cache.entries(for: "k").isEmpty)
        try await cache.refresh(stored, with: makeResponse())
        try await cache.add(StorageOptions(isPinned: true), to: stored)
        try await cache.invalidate("k")
        #expect(try await cache.remove(.all) == 0)
    }
}

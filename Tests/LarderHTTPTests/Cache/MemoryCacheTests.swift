// Proves that the memory cache keeps to its limit, evicts the least recently used responses and leaves pinned ones.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite struct `A cache in memory` {
    @Test func `holds no more than it may, and gives up what was used longest ago`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        let body = String(repeating: "x", count: 3000)
        for key in ["a", "b", "c"] { try await cache.store(makeResponse(), key, body: body) }
        _ = try await cache.entries(for: "a")
        try await cache.store(makeResponse(), "d", body: body)
        #expect(try await cache.texts("a") == [body])
        #expect(try await cache.entries(for: "b").isEmpty)
        #expect(cache.byteCount <= 10_000)
    }

    @Test func `leaves pinned responses`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        let body = String(repeating: "x", count: 3000)
        try await cache.store(makeResponse(), "p", body: body, isPinned: true)
        for number in 0..<9 { try await cache.store(makeResponse(), "\(number)", body: body) }
        #expect(try await cache.texts("p") == [body])
    }

    @Test func `does not store what is larger than all of it, and serves it while it is held`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 1000)
        let body = String(repeating: "x", count: 3000)
        let stored = try await cache.store(makeResponse(), "k", body: body)
        #expect(!stored.isStored)
        #expect(try stored.text() == body)
        #expect(try await cache.entries(for: "k").isEmpty)
        #expect(cache.byteCount == 0)
    }

    @Test func `lets nothing go for what is too large for it`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        try await cache.store(makeResponse(), "a", body: "a")
        try await cache.store(makeResponse(), "b", body: "b")
        try await cache.store(makeResponse(etag: "2"), "b", body: String(repeating: "x", count: 5001))
        #expect(try await cache.texts("a") == ["a"])
        #expect(try await cache.texts("b") == ["b"])
        #expect(cache.bodyLimit == 5000)
    }

    @Test func `gives only the first of several callers what it has no space for`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        let sent = Mutex(0)
        // The body alone would fit.
        let body = String(repeating: "x", count: 4990)
        let http = HTTPCache(
            transport: HandlerTransport { (_, _) throws(TransportError) in
                sent.withLock { $0 += 1 }
                // Time for the second request to join.
                for _ in 0..<500 { await Task.yield() }
                return ok([.cacheControl: "max-age=60"], body)
            }, persistent: cache, services: .virtual(VirtualClock()))
        // A request that comes too late to join sends its own as well: one of many rounds joins.
        for round in 1...20 {
            let tasks = (0..<2).map { _ in Task { try await FetchedText(http.fetch(request("/\(round)"))).body } }
            for task in tasks { #expect(try await task.value == body) }
            #expect(sent.withLock { $0 } == 2 * round)
            #expect(try await cache.entries(for: key("/\(round)")).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `is not given a body that is too large for it`(isAnnounced: Bool) async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        let world = StoredCopyWorld(cache)
        _ = try await world.value()
        let fields: HTTPFields =
            isAnnounced ? [.cacheControl: "max-age=60", .contentLength: "6000"] : [.cacheControl: "max-age=60"]
        world.server.set(ok(fields, String(repeating: "x", count: 6000)))
        let large = try await FetchedText(world.cache.fetch(request("/large")))
        #expect(large.body.utf8.count == 6000)
        if isAnnounced { #expect(large.fetched.storage.word == "too-large") }
        world.server.stop()
        #expect(try await world.value() == StoredCopyWorld.good)
        #expect(try await cache.entries(for: key("/large")).isEmpty)
    }
}

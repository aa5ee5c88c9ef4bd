import LarderHTTP
import Testing

@Suite struct `A cache in memory` {
    @Test func `holds no more than it may, and gives up what was used longest ago`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        let body = String(repeating: "x", count: 3000)
        for key in ["a", "b", "c"] { try await cache.keep(makeResponse(), key, body: body) }
        _ = try await cache.entries(for: "a")
        try await cache.keep(makeResponse(), "d", body: body)
        #expect(try await cache.texts("a") == [body])
        #expect(try await cache.entries(for: "b").isEmpty)
        #expect(cache.byteCount <= 10_000)
    }

    @Test func `leaves pinned responses`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 10_000)
        let body = String(repeating: "x", count: 3000)
        try await cache.keep(makeResponse(), "p", body: body, isPinned: true)
        for number in 0..<9 { try await cache.keep(makeResponse(), "\(number)", body: body) }
        #expect(try await cache.texts("p") == [body])
    }

    @Test func `does not keep what is larger than all of it, and lends it while it is held`() async throws {
        let cache = MemoryResponseCache(maximumBytes: 1000)
        let body = String(repeating: "x", count: 3000)
        let kept = try await cache.keep(makeResponse(), "k", body: body)
        #expect(try kept.text() == body)
        #expect(try await cache.entries(for: "k").isEmpty)
        #expect(cache.byteCount == 0)
    }

    @Test func `sweeps what is past its time`() async throws {
        let cache = MemoryResponseCache()
        try await cache.keep(makeResponse(), "old", body: "", sweepAt: 100)
        try await cache.keep(makeResponse(), "ever", body: "")
        #expect(cache.sweepExpired(now: 99) == 0)
        #expect(cache.sweepExpired(now: 100) == 1)
        #expect(try await cache.texts("ever") == [""])
    }
}

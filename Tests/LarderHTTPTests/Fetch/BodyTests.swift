// Proves that bodies are streamed, bounded, stored when complete and stored as a part when they break off.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The body of an answer` {
    private static let tagged: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "10"]

    @Test func `is delivered while it arrives, and stored when it is whole`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            let steps = GatedChunks([Array("first".utf8), Array("second".utf8)], before: [1: barrier])
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: steps.body)
        }
        let fetched = try await fixture.cache.fetch(request())
        var iterator = fetched.value.body.makeAsyncIterator()
        #expect(try await iterator.next() == Array("first".utf8))
        #expect(fixture.store.all.isEmpty)
        barrier.open()
        #expect(try await iterator.next() == Array("second".utf8))
        #expect(try await iterator.next() == nil)
        #expect(fixture.store.all.count == 1)
        #expect(try await fixture.get().body == "firstsecond")
    }

    @Test func `that breaks off is an error, and is stored as the part it is`() async throws {
        let fixture = CacheFixture(Self.tagged, "0123456789")
        fixture.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.store.all.first?.response.coverage == .part(0..<4, total: 10))
        #expect(fixture.store.all.first?.body.byteCount == 4)
    }

    @Test func `that breaks off is not stored without a strong validator`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60", .eTag: "W/\"1\""], "0123456789")
        fixture.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `that breaks off leaves a whole one where it is`() async throws {
        let fixture = CacheFixture(Self.tagged, "0123456789")
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.cut(after: 4), exchange: 1)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.store.all.map(\.response.coverage) == [.whole])
    }

    @Test func `that is shorter than announced is an error, and never whole`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60", .contentLength: "11"], "0123456789")
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `that is longer than announced is an error, and not stored`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "5"], "0123456789")
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.store.all.isEmpty)
    }

    @Test(arguments: [true, false])
    func `above the limit is delivered, and not stored`(isAnnounced: Bool) async throws {
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        if isAnnounced { fields[.contentLength] = "10" }
        let fixture = CacheFixture(fields, "0123456789", options: HTTPCacheOptions(fileLimit: 9))
        fixture.server.plan(.rechunk(3), exchange: 0)
        let got = try await fixture.get()
        #expect(got.body == "0123456789")
        if isAnnounced { #expect(got.fetched.storage.word == "too-large") }
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `at the limit is stored`() async throws {
        let fixture = CacheFixture(
            [.cacheControl: "max-age=60"], "0123456789", options: HTTPCacheOptions(fileLimit: 10))
        _ = try await fixture.get()
        #expect(fixture.store.all.count == 1)
    }

    @Test func `nobody reads holds the server back`() async throws {
        let chunksRead = Mutex(0)
        let fixture = CacheFixture(options: HTTPCacheOptions(unreadLimit: 1000)) { (_, _) throws(TransportError) in
            let body = TransportBody(next: { () async throws(TransportError) in
                let count = chunksRead.withLock { value in
                    value += 1
                    return value
                }
                return count <= 1000 ? [UInt8](repeating: 7, count: 100) : nil
            })
            return TransportResponse(head: HTTPResponse(status: .ok), body: body)
        }
        let fetched = try await fixture.cache.fetch(request())
        for _ in 0..<1000 { await Task.yield() }
        #expect(chunksRead.withLock { $0 } <= 12)
        #expect(try await fetched.value.body.bytes().count == 100_000)
    }

    @Test func `dropped unread ends its exchange`() async throws {
        let ended = Flag(false)
        let fixture = CacheFixture(options: HTTPCacheOptions(unreadLimit: 100)) { (_, _) throws(TransportError) in
            let body = TransportBody(next: { [UInt8](repeating: 7, count: 100) }, cancel: { ended.value = true })
            return TransportResponse(head: HTTPResponse(status: .ok), body: body)
        }
        var fetched: Fetched<HTTPAnswer>? = try await fixture.cache.fetch(request())
        #expect(fetched?.value.head.status == .ok)
        fetched = nil
        #expect(await fixture.waitUntil { ended.value })
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `is refused to a reader with a smaller limit`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"], "0123456789")
        for _ in 0..<2 {
            let fetched = try await fixture.cache.fetch(request())
            await #expect(throws: HTTPCacheError.self) { _ = try await fetched.value.body.bytes(upTo: 9) }
            _ = try await fixture.get()
        }
    }

    @Test func `from the cache is read from storage, as often as needed`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        let fetched = try await fixture.cache.fetch(request())
        let stored = try #require(fetched.value.body.stored)
        #expect(stored.range == 0..<5)
        #expect(stored.source is ListCache.Bytes)
        for _ in 0..<2 { #expect(try await fetched.value.body.bytes() == Array("hello".utf8)) }
        var pieces: [UInt8] = []
        for try await piece in fetched.value.body { pieces += piece }
        #expect(pieces == Array("hello".utf8))
    }
}

/// A body of the given chunks; some wait at a barrier before they are sent.
final class GatedChunks: Sendable {
    private let chunks: [[UInt8]]
    private let barriers: [Int: FetchBarrier]
    private let place = Mutex(0)

    init(_ chunks: [[UInt8]], before barriers: [Int: FetchBarrier]) {
        self.chunks = chunks
        self.barriers = barriers
    }

    var body: TransportBody {
        TransportBody(next: { () async throws(TransportError) in
            let place = self.place.withLock { place in
                defer { place += 1 }
                return place
            }
            await self.barriers[place]?.wait()
            return self.chunks.indices.contains(place) ? self.chunks[place] : nil
        })
    }
}

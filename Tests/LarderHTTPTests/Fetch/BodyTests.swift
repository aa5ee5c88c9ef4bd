import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The body of an answer` {
    private static let tagged: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "10"]

    @Test func `is delivered while it arrives, and stored when it is whole`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            let steps = Steps([Array("first".utf8), Array("second".utf8)], before: [1: door])
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: steps.body)
        }
        let fetched = try await bench.cache.fetch(request())
        var iterator = fetched.value.body.makeAsyncIterator()
        #expect(try await iterator.next() == Array("first".utf8))
        #expect(bench.store.all.isEmpty)
        door.open()
        #expect(try await iterator.next() == Array("second".utf8))
        #expect(try await iterator.next() == nil)
        #expect(bench.store.all.count == 1)
        #expect(try await bench.get().body == "firstsecond")
    }

    @Test func `that breaks off is an error, and is kept as the part it is`() async throws {
        let bench = Bench(Self.tagged, "0123456789")
        bench.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.store.all.first?.response.coverage == .part(0..<4, total: 10))
        #expect(bench.store.all.first?.body.byteCount == 4)
    }

    @Test func `that breaks off is not kept without a strong validator`() async throws {
        let bench = Bench([.cacheControl: "max-age=60", .eTag: "W/\"1\""], "0123456789")
        bench.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.store.all.isEmpty)
    }

    @Test func `that breaks off leaves a whole one where it is`() async throws {
        let bench = Bench(Self.tagged, "0123456789")
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.cut(after: 4), exchange: 1)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.store.all.map(\.response.coverage) == [.whole])
    }

    @Test func `that is shorter than announced is an error, and never whole`() async throws {
        let bench = Bench([.cacheControl: "max-age=60", .contentLength: "11"], "0123456789")
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.store.all.isEmpty)
    }

    @Test func `that is longer than announced is an error, and not kept`() async throws {
        let bench = Bench([.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "5"], "0123456789")
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.store.all.isEmpty)
    }

    @Test(arguments: [true, false])
    func `above the limit is delivered, and not stored`(isAnnounced: Bool) async throws {
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        if isAnnounced { fields[.contentLength] = "10" }
        let bench = Bench(fields, "0123456789", options: HTTPCacheOptions(fileLimit: 9))
        bench.server.plan(.rechunk(3), exchange: 0)
        let got = try await bench.get()
        #expect(got.body == "0123456789")
        if isAnnounced { #expect(got.fetched.storage.word == "too-large") }
        #expect(bench.store.all.isEmpty)
    }

    @Test func `at the limit is stored`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"], "0123456789", options: HTTPCacheOptions(fileLimit: 10))
        _ = try await bench.get()
        #expect(bench.store.all.count == 1)
    }

    @Test func `nobody reads holds the server back`() async throws {
        let taken = Mutex(0)
        let bench = Bench(options: HTTPCacheOptions(unreadLimit: 1000)) { (_, _) throws(TransportError) in
            let body = TransportBody(next: { () async throws(TransportError) in
                let count = taken.withLock { value in
                    value += 1
                    return value
                }
                return count <= 1000 ? [UInt8](repeating: 7, count: 100) : nil
            })
            return TransportResponse(head: HTTPResponse(status: .ok), body: body)
        }
        let fetched = try await bench.cache.fetch(request())
        for _ in 0..<1000 { await Task.yield() }
        #expect(taken.withLock { $0 } <= 12)
        #expect(try await fetched.value.body.bytes().count == 100_000)
    }

    @Test func `let go unread ends its exchange`() async throws {
        let ended = Flag(false)
        let bench = Bench(options: HTTPCacheOptions(unreadLimit: 100)) { (_, _) throws(TransportError) in
            let body = TransportBody(next: { [UInt8](repeating: 7, count: 100) }, cancel: { ended.value = true })
            return TransportResponse(head: HTTPResponse(status: .ok), body: body)
        }
        var fetched: Fetched<HTTPAnswer>? = try await bench.cache.fetch(request())
        #expect(fetched?.value.head.status == .ok)
        fetched = nil
        #expect(await bench.eventually { ended.value })
        #expect(bench.store.all.isEmpty)
    }

    @Test func `is refused to a reader that wants less`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"], "0123456789")
        for _ in 0..<2 {
            let fetched = try await bench.cache.fetch(request())
            await #expect(throws: HTTPCacheError.self) { _ = try await fetched.value.body.bytes(upTo: 9) }
            _ = try await bench.get()
        }
    }

    @Test func `from the cache lies where it is stored, and can be read again`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        let fetched = try await bench.cache.fetch(request())
        let stored = try #require(fetched.value.body.stored)
        #expect(stored.range == 0..<5)
        #expect(stored.source is ListCache.Bytes)
        for _ in 0..<2 { #expect(try await fetched.value.body.bytes() == Array("hello".utf8)) }
        var pieces: [UInt8] = []
        for try await piece in fetched.value.body { pieces += piece }
        #expect(pieces == Array("hello".utf8))
    }
}

/// A body of these chunks, some of which wait at a door.
final class Steps: Sendable {
    private let chunks: [[UInt8]]
    private let doors: [Int: FetchDoor]
    private let place = Mutex(0)

    init(_ chunks: [[UInt8]], before doors: [Int: FetchDoor]) {
        self.chunks = chunks
        self.doors = doors
    }

    var body: TransportBody {
        TransportBody(next: { () async throws(TransportError) in
            let place = self.place.withLock { place in
                defer { place += 1 }
                return place
            }
            await self.doors[place]?.pass()
            return self.chunks.indices.contains(place) ? self.chunks[place] : nil
        })
    }
}

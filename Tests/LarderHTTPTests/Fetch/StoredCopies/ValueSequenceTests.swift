// Proves that sequences of decoded answers keep usable stored copies and never present an unusable answer.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Values in sequence` {
    private static func values(
        _ world: StoredCopyWorld, _ strategy: TwoAnswerStrategy = .cacheThenNetwork
    ) async -> (values: [Fetched<String>], error: HTTPCacheError?) {
        var values: [Fetched<String>] = []
        do throws(HTTPCacheError) {
            for try await value in world.cache.values(of: request(), strategy, decoding: StoredCopyWorld.decode) {
                values.append(value)
            }
        } catch { return (values, error) }
        return (values, nil)
    }

    @Test func `are what is stored, then what the server says`() async throws {
        let world = StoredCopyWorld(MemoryResponseCache())
        #expect(await Self.values(world).values.map(\.value) == [StoredCopyWorld.good])
        world.clock.advance(by: .seconds(100))
        world.server.set(json("{2}", "max-age=60"))
        let two = await Self.values(world)
        #expect(two.values.map(\.value) == [StoredCopyWorld.good, "{2}"])
        #expect(two.values.map(\.isIntermediate) == [true, false])
        #expect(two.values.map(\.origin) == [.cache, .network])
        #expect(two.error == nil)
    }

    @Test(arguments: CacheUnderTest.keeping, `A good copy`.bad.indices)
    func `leave the good copy alone when the server's answer cannot be used`(
        under: CacheUnderTest, number: Int
    ) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        _ = try await world.value()
        world.clock.advance(by: .seconds(100))
        world.server.set(`A good copy`.bad[number]())
        for _ in 0..<2 {
            let got = await Self.values(world)
            #expect(got.values.map(\.value) == [StoredCopyWorld.good])
            #expect(got.values.map(\.isIntermediate) == [true])
            #expect(got.error.map { $0.isParseError || $0.isServerError || $0.isAuthenticationError } == true)
        }
        world.server.stop()
        #expect(try await world.value(.cacheOnly) == StoredCopyWorld.good)
    }

    @Test(arguments: CacheUnderTest.keeping, [TwoAnswerStrategy.cacheThenNetwork, .standard])
    func `skip what is stored and cannot be decoded, also when the server confirms it`(
        under: CacheUnderTest, strategy: TwoAnswerStrategy
    ) async throws {
        let directory = TemporaryDirectory()
        let control = "max-age=60, stale-while-revalidate=600"
        let world = StoredCopyWorld(try under.make(directory), json("{", control, [.eTag: "\"1\""]))
        _ = try await FetchedText(world.cache.fetch(request()))
        world.clock.advance(by: .seconds(100))
        world.server.set(
            TransportResponse(status: .notModified, headers: [.eTag: "\"1\"", .cacheControl: control]),
            then: json(StoredCopyWorld.good, control))
        let got = await Self.values(world, strategy)
        #expect(got.values.map(\.value) == [StoredCopyWorld.good])
        #expect(got.values.map(\.isIntermediate) == [false])
        #expect(got.error == nil)
        #expect(world.server.sent.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test func `have no stored error as an intermediate answer`() async throws {
        let fields: HTTPFields = [.cacheControl: "max-age=60"]
        let world = StoredCopyWorld(
            MemoryResponseCache(), TransportResponse(status: .notFound, headers: fields, body: Array("{}".utf8)))
        _ = try await FetchedText(world.cache.fetch(request()))
        world.server.set(json(StoredCopyWorld.good, "max-age=60"))
        #expect(await Self.values(world).values.map(\.value) == [StoredCopyWorld.good])
    }

    @Test func `end with a failure when nobody answers, behind what is stored`() async throws {
        let world = StoredCopyWorld(MemoryResponseCache())
        _ = try await world.value()
        world.server.stop()
        let got = await Self.values(world)
        #expect(got.values.map(\.value) == [StoredCopyWorld.good])
        #expect(got.error?.isNoConnectionError == true)
    }

    @Test func `are decoded apart for each iterator`() async throws {
        let world = StoredCopyWorld(MemoryResponseCache(), json("{1}", "no-store"))
        let sequence = world.cache.values(of: request(), decoding: StoredCopyWorld.decode)
        var first = sequence.makeAsyncIterator()
        #expect(try await first.next()?.value == "{1}")
        world.server.set(json("{2}", "no-store"))
        var second = sequence.makeAsyncIterator()
        #expect(try await second.next()?.value == "{2}")
        #expect(try await first.next() == nil)
    }
}

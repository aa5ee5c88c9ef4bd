// Proves that an unusable answer never replaces a usable stored one.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A good copy` {
    /// Answers that a program cannot use, whatever place they ask for in a cache.
    static let bad: [@Sendable () -> TransportResponse] = [
        { json("{\"word\":", "max-age=600") }, { json("{\"word\":", "no-store") },
        { json("<html>Sign in to the network</html>", "max-age=600") },
        { ok([.contentType: "text/html", .cacheControl: "max-age=600"], "<html>Sign in to the network</html>") },
        {
            TransportResponse(
                status: .movedPermanently, headers: [.location: "http://portal.test/", .cacheControl: "max-age=600"])
        },
        { TransportResponse(status: .forbidden, headers: [.cacheControl: "max-age=600"]) },
    ]

    @Test(arguments: CacheUnderTest.keeping, bad.indices)
    func `answers offline after an answer that cannot be used`(under: CacheUnderTest, number: Int) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        #expect(try await world.value() == StoredCopyWorld.good)
        world.clock.advance(by: .seconds(100))
        world.server.set(Self.bad[number]())
        for strategy in [SingleAnswerStrategy.standard, .networkOnly, .reload, .networkElseCache] {
            #expect(await world.fails(strategy))
        }
        #expect(world.server.sent.count == 4 + 1)
        world.server.stop()
        #expect(try await world.value(.cacheOnly) == StoredCopyWorld.good)
        #expect(try await world.value(.staleIfOffline) == StoredCopyWorld.good)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `stays when a background validation brings nothing usable`(
        under: CacheUnderTest
    ) async throws {
        let directory = TemporaryDirectory()
        let control = "max-age=60, stale-while-revalidate=600"
        let world = StoredCopyWorld(try under.make(directory), json(StoredCopyWorld.good, control))
        _ = try await world.value()
        world.clock.advance(by: .seconds(100))
        for (body, kept) in [("{", StoredCopyWorld.good), ("{2}", "{2}")] {
            world.server.set(json(body, control))
            let before = world.server.sent.count
            #expect(try await world.value() == StoredCopyWorld.good)
            while world.server.sent.count == before { await Task.yield() }
            // A validation joins the exchange under way, or finds what came of it.
            while body == kept, try await world.value(.cacheOnly) != kept { await Task.yield() }
            #expect(try await world.value(.cacheOnly) == kept)
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `is replaced by an answer that is understood`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let world = StoredCopyWorld(try under.make(directory))
        _ = try await world.value()
        world.clock.advance(by: .seconds(100))
        world.server.set(json("{2}", "max-age=60"))
        #expect(try await world.value() == "{2}")
        world.server.stop()
        #expect(try await world.value(.cacheOnly) == "{2}")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `of another variant stays when one cannot be understood`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(place, json(StoredCopyWorld.good, "max-age=600", [.vary: "accept-language"]))
        let german = request("/a", [.acceptLanguage: "de"])
        let french = request("/a", [.acceptLanguage: "fr"])
        _ = try await world.value(.standard, german)
        world.server.set(json("{", "max-age=600", [.vary: "accept-language"]))
        // A plain fetch cannot know.
        _ = try await FetchedText(world.cache.fetch(french))
        #expect(await world.fails(.cacheOnly, french))
        world.server.stop()
        #expect(try await world.value(.standard, german) == StoredCopyWorld.good)
        #expect(try await place.entries(for: key()).count == 1)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `of a file is not replaced by an unrequested page`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let image: HTTPFields = [.contentType: "image/png", .cacheControl: "max-age=60"]
        let world = StoredCopyWorld(try under.make(directory), ok(image, "pixels"))
        _ = try await FetchedText(world.cache.fetch(request()))
        world.clock.advance(by: .seconds(100))
        world.server.set(ok([.contentType: "Text/HTML; charset=utf-8", .cacheControl: "max-age=600"], "portal"))
        for strategy in [SingleAnswerStrategy.standard, .reload] {
            let page = try await FetchedText(world.cache.fetch(request("/a", [.accept: "image/*, */*"]), strategy))
            #expect(page.body == "portal")
            #expect(page.fetched.storage.word == "page-leaves-cache")
        }
        #expect(try await FetchedText(world.cache.fetch(request(), .cacheOnly)).body == "pixels")
        _ = try await FetchedText(world.cache.fetch(request("/a", [.accept: "text/html, */*;q=0.1"])))
        #expect(try await FetchedText(world.cache.fetch(request(), .cacheOnly)).body == "portal")
    }

    @Test func `stays whole when a reload fails or breaks off`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "10"], "0123456789")
        _ = try await fixture.get()
        fixture.server.plan(.cut(after: 4), exchange: 1)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get("/a", .reload) }
        #expect(fixture.store.all.map(\.response.coverage) == [.whole])
        #expect(try await fixture.get("/a", .cacheOnly).body == "0123456789")
    }

    @Test func `that cannot be read for now stays, and the whole is requested from the server`() async throws {
        let fixture = CacheFixture { (_, _) throws(TransportError) in json(StoredCopyWorld.good, "max-age=60") }
        let value = { @Sendable (strategy: SingleAnswerStrategy) in
            try await fixture.cache.value(of: request(), strategy, decoding: StoredCopyWorld.decode).value
        }
        _ = try await value(.standard)
        fixture.store.failReads(1)
        await #expect(throws: HTTPCacheError.self) { _ = try await value(.cacheOnly) }
        #expect(try await value(.cacheOnly) == StoredCopyWorld.good)
        #expect(fixture.requests.count == 1)
        fixture.store.failReads(1)
        #expect(try await value(.standard) == StoredCopyWorld.good)
        #expect(fixture.requests.count == 2)
        #expect(fixture.store.all.count == 1)
    }

    @Test func `is not needed to store an error that a program does not decode`() async throws {
        let decoded = Flag(false)
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            TransportResponse(status: .notFound, headers: [.cacheControl: "max-age=60"], body: Array("none".utf8))
        }
        for _ in 0..<2 {
            await #expect(throws: HTTPCacheError.self) {
                _ = try await fixture.cache.value(of: request()) { bytes in
                    decoded.value = true
                    return bytes
                }
            }
        }
        #expect(!decoded.value)
        #expect(fixture.requests.count == 1)
    }

    @Test func `is what a program decodes that joins a plain fetch`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            await barrier.wait()
            return json(StoredCopyWorld.good, "max-age=60")
        }
        let plainFetch = Task { try await fixture.get().body }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let checked = Task { try await fixture.cache.value(of: request(), decoding: StoredCopyWorld.decode).value }
        for _ in 0..<1000 { await Task.yield() }
        #expect(fixture.requests.count == 1)
        barrier.open()
        for task in [plainFetch, checked] { #expect(try await task.value == StoredCopyWorld.good) }
        #expect(fixture.requests.count == 1)
    }

    @Test func `is not replaced by what two programs cannot decode`() async throws {
        let barrier = FetchBarrier()
        let answers = Flag(true)
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            if answers.value { return json(StoredCopyWorld.good, "max-age=60") }
            await barrier.wait()
            return json("{", "max-age=60")
        }
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        answers.value = false
        let checked = Task { try await fixture.cache.value(of: request(), decoding: StoredCopyWorld.decode).value }
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        let other = Task { try await fixture.cache.value(of: request(), decoding: StoredCopyWorld.decode).value }
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        for task in [checked, other] { await #expect(throws: HTTPCacheError.self) { _ = try await task.value } }
        #expect(try await fixture.get("/a", .cacheOnly).body == StoredCopyWorld.good)
    }
}

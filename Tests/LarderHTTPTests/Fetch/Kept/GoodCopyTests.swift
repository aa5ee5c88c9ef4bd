// Proves that an unusable answer never replaces a usable stored one.
import HTTPTypes
import Larder
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
        let world = KeptWorld(try under.make(directory))
        #expect(try await world.value() == KeptWorld.good)
        world.clock.advance(by: .seconds(100))
        world.server.set(Self.bad[number]())
        for strategy in [SingleAnswerStrategy.standard, .networkOnly, .reload, .networkElseCache] {
            #expect(await world.fails(strategy))
        }
        #expect(world.server.sent.count == 4 + 1)
        world.server.goAway()
        #expect(try await world.value(.cacheOnly) == KeptWorld.good)
        #expect(try await world.value(.staleIfOffline) == KeptWorld.good)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `stays when a validation behind the caller's back brings nothing usable`(
        under: CacheUnderTest
    ) async throws {
        let directory = TemporaryDirectory()
        let control = "max-age=60, stale-while-revalidate=600"
        let world = KeptWorld(try under.make(directory), json(KeptWorld.good, control))
        _ = try await world.value()
        world.clock.advance(by: .seconds(100))
        for (body, kept) in [("{", KeptWorld.good), ("{2}", "{2}")] {
            world.server.set(json(body, control))
            let before = world.server.sent.count
            #expect(try await world.value() == KeptWorld.good)
            while world.server.sent.count == before { await Task.yield() }
            // A validation joins the exchange under way, or finds what came of it.
            while body == kept, try await world.value(.cacheOnly) != kept { await Task.yield() }
            #expect(try await world.value(.cacheOnly) == kept)
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `is replaced by an answer that is understood`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let world = KeptWorld(try under.make(directory))
        _ = try await world.value()
        world.clock.advance(by: .seconds(100))
        world.server.set(json("{2}", "max-age=60"))
        #expect(try await world.value() == "{2}")
        world.server.goAway()
        #expect(try await world.value(.cacheOnly) == "{2}")
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `of another variant stays when one cannot be understood`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = KeptWorld(place, json(KeptWorld.good, "max-age=600", [.vary: "accept-language"]))
        let german = request("/a", [.acceptLanguage: "de"])
        let french = request("/a", [.acceptLanguage: "fr"])
        _ = try await world.value(.standard, german)
        world.server.set(json("{", "max-age=600", [.vary: "accept-language"]))
        // A plain fetch cannot know.
        _ = try await Got(world.cache.fetch(french))
        #expect(await world.fails(.cacheOnly, french))
        world.server.goAway()
        #expect(try await world.value(.standard, german) == KeptWorld.good)
        #expect(try await place.entries(for: key()).count == 1)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `of a file is not replaced by a page that was not asked for`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let image: HTTPFields = [.contentType: "image/png", .cacheControl: "max-age=60"]
        let world = KeptWorld(try under.make(directory), ok(image, "pixels"))
        _ = try await Got(world.cache.fetch(request()))
        world.clock.advance(by: .seconds(100))
        world.server.set(ok([.contentType: "Text/HTML; charset=utf-8", .cacheControl: "max-age=600"], "portal"))
        for strategy in [SingleAnswerStrategy.standard, .reload] {
            let page = try await Got(world.cache.fetch(request("/a", [.accept: "image/*, */*"]), strategy))
            #expect(page.body == "portal")
            #expect(page.fetched.storage.word == "page-leaves-cache")
        }
        #expect(try await Got(world.cache.fetch(request(), .cacheOnly)).body == "pixels")
        _ = try await Got(world.cache.fetch(request("/a", [.accept: "text/html, */*;q=0.1"])))
        #expect(try await Got(world.cache.fetch(request(), .cacheOnly)).body == "portal")
    }

    @Test func `stays whole when a reload fails or breaks off`() async throws {
        let bench = Bench([.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "10"], "0123456789")
        _ = try await bench.get()
        bench.server.plan(.cut(after: 4), exchange: 1)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get("/a", .reload) }
        #expect(bench.store.all.map(\.response.coverage) == [.whole])
        #expect(try await bench.get("/a", .cacheOnly).body == "0123456789")
    }

    @Test func `that cannot be read at the moment stays, and the server is asked for the whole`() async throws {
        let bench = Bench { (_, _) throws(TransportError) in json(KeptWorld.good, "max-age=60") }
        let value = { @Sendable (strategy: SingleAnswerStrategy) in
            try await bench.cache.value(of: request(), strategy, decoding: KeptWorld.decode).value
        }
        _ = try await value(.standard)
        bench.store.failReads(1)
        await #expect(throws: HTTPCacheError.self) { _ = try await value(.cacheOnly) }
        #expect(try await value(.cacheOnly) == KeptWorld.good)
        #expect(bench.requests.count == 1)
        bench.store.failReads(1)
        #expect(try await value(.standard) == KeptWorld.good)
        #expect(bench.requests.count == 2)
        #expect(bench.store.all.count == 1)
    }

    @Test func `is not needed to store an error that a program does not decode`() async throws {
        let decoded = Flag(false)
        let bench = Bench { (_, _) throws(TransportError) in
            TransportResponse(status: .notFound, headers: [.cacheControl: "max-age=60"], body: Array("none".utf8))
        }
        for _ in 0..<2 {
            await #expect(throws: HTTPCacheError.self) {
                _ = try await bench.cache.value(of: request()) { bytes in
                    decoded.value = true
                    return bytes
                }
            }
        }
        #expect(!decoded.value)
        #expect(bench.requests.count == 1)
    }

    @Test func `is what a program decodes that joins a plain fetch`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            await door.pass()
            return json(KeptWorld.good, "max-age=60")
        }
        let plain = Task { try await bench.get().body }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let checked = Task { try await bench.cache.value(of: request(), decoding: KeptWorld.decode).value }
        for _ in 0..<1000 { await Task.yield() }
        #expect(bench.requests.count == 1)
        door.open()
        for task in [plain, checked] { #expect(try await task.value == KeptWorld.good) }
        #expect(bench.requests.count == 1)
    }

    @Test func `is not replaced by what two programs cannot decode`() async throws {
        let door = FetchDoor()
        let answers = Flag(true)
        let bench = Bench { (_, _) throws(TransportError) in
            if answers.value { return json(KeptWorld.good, "max-age=60") }
            await door.pass()
            return json("{", "max-age=60")
        }
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        answers.value = false
        let checked = Task { try await bench.cache.value(of: request(), decoding: KeptWorld.decode).value }
        #expect(await bench.eventually { bench.requests.count == 2 })
        let other = Task { try await bench.cache.value(of: request(), decoding: KeptWorld.decode).value }
        for _ in 0..<1000 { await Task.yield() }
        door.open()
        for task in [checked, other] { await #expect(throws: HTTPCacheError.self) { _ = try await task.value } }
        #expect(try await bench.get("/a", .cacheOnly).body == KeptWorld.good)
    }
}

// Proves that a 304 that changes Vary leaves the response it confirmed reachable, in every cache.
import HTTPTypes
import LarderHTTP
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A confirmation with another Vary` {
    private static func confirmation(_ vary: String) -> TransportResponse {
        TransportResponse(
            status: .notModified, headers: [.eTag: "\"1\"", .cacheControl: "max-age=60", .vary: vary])
    }

    private static func makeRequest(_ language: String) -> FetchRequest { request("/a", [.acceptLanguage: language]) }

    private static func storedBody(_ world: StoredCopyWorld, _ language: String) async -> String? {
        do { return try await FetchedText(world.cache.fetch(makeRequest(language), .cacheOnly)).body } catch {
            return nil
        }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `is selected by that, and by no other request`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(place, json(StoredCopyWorld.good, "max-age=60", [.eTag: "\"1\""]))
        _ = try await FetchedText(world.cache.fetch(Self.makeRequest("de")))
        world.clock.advance(by: .seconds(100))
        world.server.set(Self.confirmation("Accept-Language"))
        #expect(try await FetchedText(world.cache.fetch(Self.makeRequest("de"))).origin == .revalidated)
        world.server.stop()
        let got = try await FetchedText(world.cache.fetch(Self.makeRequest("de")))
        #expect(got.body == StoredCopyWorld.good)
        #expect(got.isFresh)
        #expect(await Self.storedBody(world, "fr") == nil)
        #expect(try await place.entries(for: key()).count == 1)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `replaces the one that this selected already`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = StoredCopyWorld(
            place, json(StoredCopyWorld.good, "max-age=60", [.eTag: "\"1\"", .vary: "Accept-Language"]))
        for language in ["de", "fr"] { _ = try await FetchedText(world.cache.fetch(Self.makeRequest(language))) }
        #expect(try await place.entries(for: key()).count == 2)
        world.server.set(Self.confirmation("Accept"))
        for language in ["de", "fr"] {
            world.clock.advance(by: .seconds(100))
            _ = try await FetchedText(world.cache.fetch(Self.makeRequest(language)))
        }
        #expect(try await place.entries(for: key()).count == 1)
        world.server.stop()
        for language in ["de", "fr"] { #expect(await Self.storedBody(world, language) == StoredCopyWorld.good) }
    }

    @Test func `leaves a store that is sound`() async throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path + "/store", host: .still)
        let cache = StoreResponseCache(store: store)
        let german = try await cache.store(makeResponse(language: "de"), "k", body: "1", tags: ["t"])
        try await cache.store(makeResponse(language: "fr"), "k", body: "2", tags: ["t"])
        try await cache.refresh(german, with: makeResponse(language: "fr"))
        #expect(try await cache.texts("k") == ["1"])
        #expect(try store.verify { _ in }.findings == 0)
        try store.close()
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Variants of one key` {
    @Test(arguments: CacheUnderTest.keeping)
    func `are 32 at most, those used last`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let cache = try under.make(directory)
        try await cache.store(makeResponse(language: "pinned"), "k", body: "pinned", isPinned: true)
        try await cache.store(makeResponse(), "other", body: "other")
        var used: CachedResponse?
        for number in 0..<100 {
            // Long before its use.
            let response = makeResponse(language: "\(number)", receivedAt: 1_600_000_000_000 + Int64(number))
            let entry = try await cache.store(response, "k", body: "\(number)")
            if number == 0 { used = entry }
            // A lookup finds all variants, and uses one.
            _ = try await cache.entries(for: "k")
            if let used { cache.recordUse(of: used) }
        }
        let stored = Set(try await cache.texts("k"))
        #expect(stored.count <= 33)
        #expect(stored.contains("0"))
        #expect(stored.isSuperset(of: (80..<100).map { "\($0)" }))
        #expect(stored.contains("pinned"))
        #expect(try await cache.texts("other") == ["other"])
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `do not push out the one that is read`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let fields: HTTPFields = [.vary: "Accept-Language"]
        let world = StoredCopyWorld(place, json(StoredCopyWorld.good, "max-age=600", fields))
        let good = request("/a", [.acceptLanguage: "de"])
        _ = try await FetchedText(world.cache.fetch(good))
        for number in 0..<40 {
            _ = try await FetchedText(world.cache.fetch(request("/a", [.acceptLanguage: "x-\(number)"])))
            #expect(try await FetchedText(world.cache.fetch(good)).origin == .cache)
        }
        #expect(try await place.entries(for: key()).count == 32)
        #expect(world.server.sent.count == 41)
    }
}

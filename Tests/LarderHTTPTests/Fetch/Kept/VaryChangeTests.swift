// Proves that a confirmation which selects by other fields leaves what it confirmed within reach, in every cache.
import HTTPTypes
import Larder
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A confirmation with another Vary` {
    private static func confirmation(_ vary: String) -> TransportResponse {
        TransportResponse(
            status: .notModified, headers: [.eTag: "\"1\"", .cacheControl: "max-age=60", .vary: vary])
    }

    private static func ask(_ language: String) -> FetchRequest { request("/a", [.acceptLanguage: language]) }

    private static func kept(_ world: KeptWorld, _ language: String) async -> String? {
        do { return try await Got(world.cache.fetch(ask(language), .cacheOnly)).body } catch { return nil }
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `is selected by that, and by no other request`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = KeptWorld(place, json(KeptWorld.good, "max-age=60", [.eTag: "\"1\""]))
        _ = try await Got(world.cache.fetch(Self.ask("de")))
        world.clock.advance(by: .seconds(100))
        world.server.set(Self.confirmation("Accept-Language"))
        #expect(try await Got(world.cache.fetch(Self.ask("de"))).origin == .revalidated)
        world.server.goAway()
        let got = try await Got(world.cache.fetch(Self.ask("de")))
        #expect(got.body == KeptWorld.good)
        #expect(got.isFresh)
        #expect(await Self.kept(world, "fr") == nil)
        #expect(try await place.entries(for: key()).count == 1)
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `takes the place of the one that this selected already`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let world = KeptWorld(
            place, json(KeptWorld.good, "max-age=60", [.eTag: "\"1\"", .vary: "Accept-Language"]))
        for language in ["de", "fr"] { _ = try await Got(world.cache.fetch(Self.ask(language))) }
        #expect(try await place.entries(for: key()).count == 2)
        world.server.set(Self.confirmation("Accept"))
        for language in ["de", "fr"] {
            world.clock.advance(by: .seconds(100))
            _ = try await Got(world.cache.fetch(Self.ask(language)))
        }
        #expect(try await place.entries(for: key()).count == 1)
        world.server.goAway()
        for language in ["de", "fr"] { #expect(await Self.kept(world, language) == KeptWorld.good) }
    }

    @Test func `leaves a store that is sound`() async throws {
        let directory = TemporaryDirectory()
        let store = try Store.open(at: directory.path + "/store", host: .still)
        let cache = StoreResponseCache(store: store)
        let german = try await cache.keep(makeResponse(language: "de"), "k", body: "1", tags: ["t"])
        try await cache.keep(makeResponse(language: "fr"), "k", body: "2", tags: ["t"])
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
        try await cache.keep(makeResponse(language: "pinned"), "k", body: "pinned", isPinned: true)
        try await cache.keep(makeResponse(), "other", body: "other")
        var used: CachedResponse?
        for number in 0..<100 {
            // Long before its use.
            let response = makeResponse(language: "\(number)", receivedAt: 1_600_000_000_000 + Int64(number))
            let entry = try await cache.keep(response, "k", body: "\(number)")
            if number == 0 { used = entry }
            // A lookup finds all variants, and uses one.
            _ = try await cache.entries(for: "k")
            if let used { cache.noteUse(of: used) }
        }
        let kept = Set(try await cache.texts("k"))
        #expect(kept.count <= 33)
        #expect(kept.contains("0"))
        #expect(kept.isSuperset(of: (80..<100).map { "\($0)" }))
        #expect(kept.contains("pinned"))
        #expect(try await cache.texts("other") == ["other"])
    }

    @Test(arguments: CacheUnderTest.keeping)
    func `do not push out the one that is read`(under: CacheUnderTest) async throws {
        let directory = TemporaryDirectory()
        let place = try under.make(directory)
        let fields: HTTPFields = [.vary: "Accept-Language"]
        let world = KeptWorld(place, json(KeptWorld.good, "max-age=600", fields))
        let good = request("/a", [.acceptLanguage: "de"])
        _ = try await Got(world.cache.fetch(good))
        for number in 0..<40 {
            _ = try await Got(world.cache.fetch(request("/a", [.acceptLanguage: "x-\(number)"])))
            #expect(try await Got(world.cache.fetch(good)).origin == .cache)
        }
        #expect(try await place.entries(for: key()).count == 32)
        #expect(world.server.sent.count == 41)
    }
}

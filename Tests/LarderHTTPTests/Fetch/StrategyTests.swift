// Proves what each cache strategy other than the standard one reads, fetches and stores.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Network else cache` {
    @Test func `validates what is fresh, and answers with it on a 304`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        _ = try await fixture.get()
        let again = try await fixture.get("/a", .networkElseCache)
        #expect(again.origin == .revalidated)
        #expect(fixture.requests[1].headerFields[.ifNoneMatch] == "\"1\"")
    }

    @Test(arguments: [TransportError.connectionRefused, .timeout(.head), .noConnection(reason: "")])
    func `answers with what is stored, however old, when nobody answers`(error: TransportError) async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(1_000_000))
        fixture.server.plan(.fail(error), exchange: 1)
        let stored = try await fixture.get("/a", .networkElseCache)
        #expect(stored.body == "hello")
        #expect(stored.isExpiredServedOffline)
    }

    @Test func `is an error when nobody answers and nothing is stored`() async throws {
        let fixture = CacheFixture([:])
        fixture.server.plan(.fail(.connectionRefused), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get("/a", .networkElseCache) }
    }

    @Test func `answers at once with what is stored when the host knows of no network`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.setOnline(false)
        #expect(try await fixture.get("/a", .networkElseCache).origin == .cache)
        #expect(fixture.requests.count == 1)
        // What the host knows may be wrong: with nothing stored, the server is tried.
        #expect(try await fixture.get("/b", .networkElseCache).origin == .network)
    }

    @Test func `gives the server's error, and leaves what is stored`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.server.plan(.status(.internalServerError), exchange: 1)
        #expect(try await fixture.get("/a", .networkElseCache).status == 500)
        #expect(fixture.store.all.first?.response.status == .ok)
    }

    @Test func `answers from the cache when the time limit is over, and stores what comes later`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { await barrier.wait() }
            return ok([.cacheControl: "max-age=60", .eTag: "\"1\""], "\(request.headerFields[.ifNoneMatch] == nil)")
        }
        _ = try await fixture.get()
        async let late = fixture.get("/a", .networkElseCache(within: .seconds(3)))
        #expect(await fixture.waitUntil { fixture.requests.count == 2 && fixture.clock.sleeperCount > 0 })
        fixture.clock.advance(by: .seconds(3))
        let stored = try await late
        #expect(stored.origin == .cache)
        #expect(stored.body == "true")
        #expect(stored.fetched.reuse.word == "time-limit")
        barrier.open()
        #expect(await fixture.waitUntil { fixture.store.counts.writes == 2 })
        #expect(try await fixture.get().body == "false")
    }

    @Test func `waits for the server past the time limit when nothing is stored`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok()
        }
        async let late = fixture.get("/a", .networkElseCache(within: .seconds(3)))
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        fixture.clock.advance(by: .seconds(30))
        barrier.open()
        #expect(try await late.origin == .network)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A strategy` {
    @Test func `network only neither looks at the cache nor fills it`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        #expect(try await fixture.get("/a", .networkOnly).origin == .network)
        #expect(fixture.store.all.isEmpty)
        _ = try await fixture.get()
        #expect(try await fixture.get("/a", .networkOnly).origin == .network)
        #expect(fixture.requests.count == 3)
        #expect(fixture.requests[2].headerFields.isEmpty)
        #expect(fixture.store.counts.writes == 1)
    }

    @Test func `reload sends no conditions, and stores the answer`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get()
        #expect(try await fixture.get("/a", .reload).origin == .network)
        #expect(fixture.requests[1].headerFields[.ifNoneMatch] == nil)
        #expect(fixture.store.counts.writes == 2)
        #expect(fixture.store.all.count == 1)
    }

    @Test func `cache else network ignores freshness, and the answer says so`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        #expect(try await fixture.get("/a", .cacheElseNetwork).origin == .network)
        fixture.clock.advance(by: .seconds(1000))
        let old = try await fixture.get("/a", .cacheElseNetwork, fields: [.cacheControl: "max-age=1"])
        #expect(old.origin == .cache)
        #expect(old.isStale)
        #expect(old.fetched.reuse.word == "any-age")
        #expect(fixture.requests.count == 1)
    }

    @Test func `cache only never uses the network`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get("/a", .cacheOnly) }
        if case .notCached? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(fixture.requests.isEmpty)
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(1000))
        #expect(try await fixture.get("/a", .cacheOnly).isStale)
        #expect(fixture.requests.count == 1)
    }

    @Test func `cache then network gives what is stored, then what the server says`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        #expect(try await fixture.all("/a", .cacheThenNetwork).map(\.origin) == [.network])
        #expect(try await fixture.all("/a", .cacheThenNetwork).map(\.origin) == [.cache, .revalidated])
        fixture.clock.advance(by: .seconds(1000))
        fixture.server.plan(.status(.ok), .header(.eTag, "\"2\""), .body(Array("new".utf8)), exchange: 2)
        let answers = try await fixture.all("/a", .cacheThenNetwork)
        #expect(answers.map(\.body) == ["hello", "new"])
        #expect(answers.map(\.origin) == [.cache, .network])
        #expect(answers[0].isStale)
    }

    /// §2.1.24.
    @Test func `stale if offline serves what has expired, and names that state`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(1000))
        fixture.server.plan(.fail(.noConnection(reason: "test")), exchange: 1)
        #expect(try await fixture.get("/a", .staleIfOffline).isExpiredServedOffline)
        fixture.setOnline(false)
        let quick = try await fixture.get("/a", .staleIfOffline)
        #expect(quick.isExpiredServedOffline)
        #expect(quick.body == "hello")
        #expect(fixture.requests.count == 2)
        fixture.setOnline(true)
        #expect(try await fixture.get("/a", .staleIfOffline).origin == .network)
    }

    @Test(arguments: [
        SingleAnswerStrategy.cacheElseNetwork, .cacheOnly, .networkElseCache, .staleIfOffline, .standard,
    ])
    func `serves nothing stale against must-revalidate, unless the host says so`(
        strategy: SingleAnswerStrategy
    ) async throws {
        for directive in ["max-age=60, must-revalidate", "no-cache"] {
            let fixture = CacheFixture([.cacheControl: directive])
            _ = try await fixture.get()
            fixture.clock.advance(by: .seconds(1000))
            fixture.setOnline(false)
            fixture.server.plan(.fail(.noConnection(reason: "test")), times: 9) { _ in true }
            await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get("/a", strategy) }
            guard strategy != .standard else { continue }
            var fetchRequest = request()
            fetchRequest.terms.ignoresMustRevalidate = true
            #expect(try await fixture.cache.fetch(fetchRequest, strategy).origin == .cache)
        }
    }

    @Test func `stores in memory what must not persist, and reports when there is no place`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        var fetchRequest = request()
        fetchRequest.isPersistent = false
        _ = try await FetchedText(fixture.cache.fetch(fetchRequest))
        #expect(fixture.store.all.isEmpty)
        #expect(fixture.memory.all.count == 1)
        #expect(try await fixture.cache.fetch(fetchRequest).origin == .cache)
        #expect(try await fixture.get().origin == .network)
        let bare = HTTPCache(
            transport: fixture.server, persistent: nil, memory: fixture.memory, services: .virtual(fixture.clock))
        fetchRequest.isPersistent = true
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await bare.fetch(fetchRequest) }
        if case .notConfigured? = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// §2.1.1.
    @Test func `stores under a key of the host's own`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        var fetchRequest = request("/a?session=1")
        fetchRequest.key = "the list"
        _ = try await FetchedText(fixture.cache.fetch(fetchRequest))
        #expect(fixture.store.all.map(\.key) == ["the list"])
        var other = request("/a?session=2")
        other.key = "the list"
        #expect(try await fixture.cache.fetch(other).origin == .cache)
    }
}

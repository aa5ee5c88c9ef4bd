import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Network else cache` {
    @Test func `validates what is fresh, and answers with it on a 304`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        _ = try await bench.get()
        let again = try await bench.get("/a", .networkElseCache)
        #expect(again.origin == .revalidated)
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == "\"1\"")
    }

    @Test(arguments: [TransportError.connectionRefused, .timeout(.head), .noConnection(reason: "")])
    func `answers with what is stored, however old, when nobody answers`(error: TransportError) async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(1_000_000))
        bench.server.plan(.fail(error), exchange: 1)
        let stored = try await bench.get("/a", .networkElseCache)
        #expect(stored.body == "hello")
        #expect(stored.isExpiredServedOffline)
    }

    @Test func `is an error when nobody answers and nothing is stored`() async throws {
        let bench = Bench([:])
        bench.server.plan(.fail(.connectionRefused), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get("/a", .networkElseCache) }
    }

    @Test func `answers at once with what is stored when the host knows of no network`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.setOnline(false)
        #expect(try await bench.get("/a", .networkElseCache).origin == .cache)
        #expect(bench.requests.count == 1)
        // What the host knows may be wrong: with nothing stored, the server is tried.
        #expect(try await bench.get("/b", .networkElseCache).origin == .network)
    }

    @Test func `gives the server's error, and keeps what is stored`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.server.plan(.status(.internalServerError), exchange: 1)
        #expect(try await bench.get("/a", .networkElseCache).status == 500)
        #expect(bench.store.all.first?.response.status == .ok)
    }

    @Test func `answers from the cache when the time limit is over, and stores what comes later`() async throws {
        let door = FetchDoor()
        let bench = Bench { (request, _) throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { await door.pass() }
            return ok([.cacheControl: "max-age=60", .eTag: "\"1\""], "\(request.headerFields[.ifNoneMatch] == nil)")
        }
        _ = try await bench.get()
        async let late = bench.get("/a", .networkElseCache(within: .seconds(3)))
        #expect(await bench.eventually { bench.requests.count == 2 && bench.clock.sleeperCount > 0 })
        bench.clock.advance(by: .seconds(3))
        let stored = try await late
        #expect(stored.origin == .cache)
        #expect(stored.body == "true")
        #expect(stored.fetched.reuse.word == "time-limit")
        door.open()
        #expect(await bench.eventually { bench.store.counts.writes == 2 })
        #expect(try await bench.get().body == "false")
    }

    @Test func `waits for the server past the time limit when nothing is stored`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            await door.pass()
            return ok()
        }
        async let late = bench.get("/a", .networkElseCache(within: .seconds(3)))
        #expect(await bench.eventually { bench.requests.count == 1 })
        bench.clock.advance(by: .seconds(30))
        door.open()
        #expect(try await late.origin == .network)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A strategy` {
    @Test func `network only neither looks at the cache nor fills it`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        #expect(try await bench.get("/a", .networkOnly).origin == .network)
        #expect(bench.store.all.isEmpty)
        _ = try await bench.get()
        #expect(try await bench.get("/a", .networkOnly).origin == .network)
        #expect(bench.requests.count == 3)
        #expect(bench.requests[2].headerFields.isEmpty)
        #expect(bench.store.counts.writes == 1)
    }

    @Test func `reload asks without conditions, and stores the answer`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        _ = try await bench.get()
        #expect(try await bench.get("/a", .reload).origin == .network)
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == nil)
        #expect(bench.store.counts.writes == 2)
        #expect(bench.store.all.count == 1)
    }

    @Test func `cache else network ignores freshness, and the answer says so`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        #expect(try await bench.get("/a", .cacheElseNetwork).origin == .network)
        bench.clock.advance(by: .seconds(1000))
        let old = try await bench.get("/a", .cacheElseNetwork, fields: [.cacheControl: "max-age=1"])
        #expect(old.origin == .cache)
        #expect(old.isStale)
        #expect(old.fetched.reuse.word == "any-age")
        #expect(bench.requests.count == 1)
    }

    @Test func `cache only never asks the network`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await bench.get("/a", .cacheOnly) }
        if case .notCached? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(bench.requests.isEmpty)
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(1000))
        #expect(try await bench.get("/a", .cacheOnly).isStale)
        #expect(bench.requests.count == 1)
    }

    @Test func `cache then network gives what is stored, then what the server says`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        #expect(try await bench.all("/a", .cacheThenNetwork).map(\.origin) == [.network])
        #expect(try await bench.all("/a", .cacheThenNetwork).map(\.origin) == [.cache, .revalidated])
        bench.clock.advance(by: .seconds(1000))
        bench.server.plan(.status(.ok), .header(.eTag, "\"2\""), .body(Array("new".utf8)), exchange: 2)
        let answers = try await bench.all("/a", .cacheThenNetwork)
        #expect(answers.map(\.body) == ["hello", "new"])
        #expect(answers.map(\.origin) == [.cache, .network])
        #expect(answers[0].isStale)
    }

    /// §2.1.24.
    @Test func `stale if offline serves what has expired, and names that state`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(1000))
        bench.server.plan(.fail(.noConnection(reason: "test")), exchange: 1)
        #expect(try await bench.get("/a", .staleIfOffline).isExpiredServedOffline)
        bench.setOnline(false)
        let quick = try await bench.get("/a", .staleIfOffline)
        #expect(quick.isExpiredServedOffline)
        #expect(quick.body == "hello")
        #expect(bench.requests.count == 2)
        bench.setOnline(true)
        #expect(try await bench.get("/a", .staleIfOffline).origin == .network)
    }

    @Test(arguments: [
        SingleAnswerStrategy.cacheElseNetwork, .cacheOnly, .networkElseCache, .staleIfOffline, .standard,
    ])
    func `serves nothing stale against must-revalidate, unless the host says so`(
        strategy: SingleAnswerStrategy
    ) async throws {
        for directive in ["max-age=60, must-revalidate", "no-cache"] {
            let bench = Bench([.cacheControl: directive])
            _ = try await bench.get()
            bench.clock.advance(by: .seconds(1000))
            bench.setOnline(false)
            bench.server.plan(.fail(.noConnection(reason: "test")), times: 9) { _ in true }
            await #expect(throws: HTTPCacheError.self) { _ = try await bench.get("/a", strategy) }
            guard strategy != .standard else { continue }
            var asked = request()
            asked.terms.ignoresMustRevalidate = true
            #expect(try await bench.cache.fetch(asked, strategy).origin == .cache)
        }
    }

    @Test func `keeps in memory what asks not to persist, and tells when there is no place`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        var asked = request()
        asked.isPersistent = false
        _ = try await Got(bench.cache.fetch(asked))
        #expect(bench.store.all.isEmpty)
        #expect(bench.memory.all.count == 1)
        #expect(try await bench.cache.fetch(asked).origin == .cache)
        #expect(try await bench.get().origin == .network)
        let bare = HTTPCache(
            transport: bench.server, persistent: nil, memory: bench.memory, services: .virtual(bench.clock))
        asked.isPersistent = true
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await bare.fetch(asked) }
        if case .notConfigured? = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// §2.1.1.
    @Test func `keeps under a key of the host's own`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        var asked = request("/a?session=1")
        asked.key = "the list"
        _ = try await Got(bench.cache.fetch(asked))
        #expect(bench.store.all.map(\.key) == ["the list"])
        var other = request("/a?session=2")
        other.key = "the list"
        #expect(try await bench.cache.fetch(other).origin == .cache)
    }
}

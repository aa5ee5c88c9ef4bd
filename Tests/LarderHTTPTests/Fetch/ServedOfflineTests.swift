// Proves that a cache with the offline option serves stored responses when the server cannot be reached, and only then.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A stored response, served offline,` {
    /// What a server may say against stale answers.
    private static let prohibitions = [
        "max-age=60, must-revalidate", "no-cache", "max-age=60, no-cache", "max-age=60, stale-if-error=1",
        "max-age=0, must-revalidate, stale-if-error=0",
    ]
    private static let strategies: [SingleAnswerStrategy] = [
        .standard, .staleIfOffline, .networkElseCache, .networkElseCache(within: .seconds(1)), .cacheElseNetwork,
    ]

    private static func makeFixture(_ cacheControl: String, isWanted: Bool = true) -> CacheFixture {
        CacheFixture(
            [.cacheControl: cacheControl, .eTag: "\"1\""], options: HTTPCacheOptions(servesStoredOffline: isWanted))
    }

    private static func disconnect(_ fixture: CacheFixture) {
        fixture.server.plan(.fail(.noConnection(reason: "test")), times: 99) { _ in true }
    }

    @Test(arguments: prohibitions, strategies)
    func `answers when nobody does, whatever the server said, and says so`(
        cacheControl: String, strategy: SingleAnswerStrategy
    ) async throws {
        // Served whatever its age before anybody is asked.
        let isForbidden = cacheControl.contains("must-revalidate") || cacheControl.contains("no-cache")
        guard strategy != .cacheElseNetwork || isForbidden else { return }
        for isKnown in [false, true] {
            let fixture = Self.makeFixture(cacheControl)
            _ = try await fixture.get()
            fixture.clock.advance(by: .seconds(1000))
            Self.disconnect(fixture)
            fixture.setOnline(!isKnown)
            let got = try await fixture.get("/a", strategy)
            #expect(got.body == "hello")
            #expect(got.origin == .cache)
            #expect(got.isExpiredServedOffline)
            #expect(got.fields[HTTPField.Name("Warning")!] == nil)
            #expect(got.fetched.reuse.word == "served-offline")
            // Where the host knows, nobody is asked.
            #expect(fixture.requests.count == (isKnown ? 1 : 2))
        }
    }

    @Test func `is expired where it must be validated before each use`() async throws {
        let fixture = Self.makeFixture("max-age=600, no-cache")
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(10))
        Self.disconnect(fixture)
        let got = try await fixture.get()
        #expect(got.isExpiredServedOffline)
        #expect(got.fetched.reuse.word == "served-offline")
    }

    @Test func `is fresh where it is, also behind a soft lifetime`() async throws {
        let fixture = Self.makeFixture("max-age=600")
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        Self.disconnect(fixture)
        var fetchRequest = request()
        fetchRequest.terms.softLifetime = .seconds(1)
        let got = try await FetchedText(fixture.cache.fetch(fetchRequest))
        #expect(got.isFresh)
        #expect(got.fetched.reuse.word == "fresh")
    }

    @Test(arguments: [403, 404, 429, 500, 502, 503, 504])
    func `leaves a server's error the answer`(code: Int) async throws {
        for strategy in Self.strategies where strategy != .cacheElseNetwork {
            let fixture = Self.makeFixture("max-age=0, must-revalidate")
            _ = try await fixture.get()
            fixture.clock.advance(by: .seconds(10))
            fixture.server.plan(.status(.init(code: code)), exchange: 1)
            #expect(try await fixture.get("/a", strategy).status == code)
        }
    }

    @Test(arguments: [SingleAnswerStrategy.networkOnly, .reload, .cacheOnly])
    func `is not for strategies that use the cache or the network alone`(strategy: SingleAnswerStrategy) async throws {
        let fixture = Self.makeFixture("max-age=0, must-revalidate")
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(10))
        Self.disconnect(fixture)
        fixture.setOnline(false)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get("/a", strategy) }
    }

    @Test func `is not for a server that is late`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture(options: HTTPCacheOptions(servesStoredOffline: true)) {
            (request, _) throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { await barrier.wait() }
            return ok([.cacheControl: "max-age=0, must-revalidate", .eTag: "\"1\""])
        }
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(10))
        let late = Task { try await fixture.get("/a", .networkElseCache(within: .seconds(1))) }
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        fixture.clock.advance(by: .seconds(30))
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        #expect(try await late.value.origin == .network)
    }

    @Test func `is not for a request that wants no cache, or sets a limit itself`() async throws {
        let fixture = Self.makeFixture("max-age=0")
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(10))
        Self.disconnect(fixture)
        for directive in ["no-cache", "no-store", "stale-if-error=1"] {
            await #expect(throws: HTTPCacheError.self) {
                _ = try await fixture.get("/a", .standard, fields: [.cacheControl: directive])
            }
        }
        var fetchRequest = request()
        fetchRequest.terms.forcesValidation = true
        #expect(try await FetchedText(fixture.cache.fetch(fetchRequest)).isExpiredServedOffline)
    }

    @Test(arguments: [TwoAnswerStrategy.standard, .cacheThenNetwork])
    func `is the final answer of two`(strategy: TwoAnswerStrategy) async throws {
        for cacheControl in ["max-age=0, must-revalidate", "max-age=1, stale-while-revalidate=600"] {
            let fixture = Self.makeFixture(cacheControl)
            _ = try await fixture.get()
            fixture.clock.advance(by: .seconds(10))
            Self.disconnect(fixture)
            let got = try await fixture.all("/a", strategy)
            #expect(got.map(\.body) == (cacheControl.contains("while") ? ["hello", "hello"] : ["hello"]))
            let final = try #require(got.last)
            #expect(!final.fetched.isIntermediate)
            #expect(final.isExpiredServedOffline)
            #expect(final.fetched.reuse.word == "served-offline")
            // Known to the host: one answer, at once.
            fixture.setOnline(false)
            #expect(try await fixture.all("/a", strategy).map(\.isExpiredServedOffline) == [true])
            #expect(fixture.requests.count == 2)
        }
    }

    @Test(arguments: [TwoAnswerStrategy.standard, .cacheThenNetwork])
    func `is not served unless the host enables it`(strategy: TwoAnswerStrategy) async throws {
        let fixture = Self.makeFixture("max-age=0, must-revalidate", isWanted: false)
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(10))
        Self.disconnect(fixture)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.all("/a", strategy) }
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
    }
}

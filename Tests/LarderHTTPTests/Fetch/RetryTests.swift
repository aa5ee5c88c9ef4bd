// Proves that a fetch is retried only where that is safe and useful, at the times that the policy and the server set.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A fetch that failed` {
    /// Waits of 1, 2, 4 and 4 seconds, less up to half.
    private static let waits = RetryPolicy(first: .seconds(1), limit: .seconds(4), jitter: 0.5)

    private static func makeFixture(attempts: Int = 3, isOnline: Bool = true) -> CacheFixture {
        let retries = FetchRetries(waits: waits, mostAttempts: attempts, longestRetryAfter: .seconds(30))
        return CacheFixture(options: HTTPCacheOptions(retries: retries), isOnline: isOnline) {
            (_, _) throws(TransportError) in
            ok([.cacheControl: "max-age=60"])
        }
    }

    /// Lets a fetch run and advances the clock whenever it waits; how long it waited each time.
    private static func advancing(
        _ fixture: CacheFixture, _ fetch: @escaping @Sendable () async throws -> Int
    ) async throws -> (status: Int, waits: [Duration]) {
        let isOver = Flag(false)
        let task = Task {
            defer { isOver.value = true }
            return try await fetch()
        }
        var waits: [Duration] = []
        while await fixture.waitUntil({ isOver.value || fixture.clock.sleeperCount > 0 }), !isOver.value {
            let sent = fixture.requests.count
            var wait = Duration.zero
            while fixture.clock.sleeperCount > 0, fixture.requests.count == sent {
                fixture.clock.advance(by: .milliseconds(1))
                wait += .milliseconds(1)
            }
            waits.append(wait)
            #expect(await fixture.waitUntil { fixture.requests.count > sent || isOver.value })
        }
        return (try await task.value, waits)
    }

    private static let failures: [Fault] = [
        .fail(.connectionRefused), .fail(.timeout(.head)), .loseResponse(.connectionLost(reason: "")),
        .fail(.noConnection(reason: "")), .status(.init(code: 408)), .status(.init(code: 425)),
        .status(.init(code: 429)), .status(.init(code: 502)), .status(.init(code: 503)), .status(.init(code: 504)),
    ]

    @Test(arguments: failures)
    func `is sent again after growing waits, and its answer is stored`(fault: Fault) async throws {
        let fixture = Self.makeFixture(attempts: 5)
        fixture.server.plan(fault, times: 4) { _ in true }
        let got = try await Self.advancing(fixture) { try await fixture.get().status }
        #expect(got.status == 200)
        #expect(fixture.requests.count == 5)
        #expect(got.waits.count == 4)
        for (wait, most) in zip(got.waits, [1, 2, 4, 4]) {
            #expect(wait > .seconds(most) / 2 && wait <= .seconds(most), "\(got.waits)")
        }
        // The random numbers are the host's, and each wait uses another one.
        #expect(got.waits[2] != got.waits[3])
        #expect(fixture.store.counts.writes == 1)
        #expect(try await fixture.get().origin == .cache)
    }

    @Test func `ends with the last failure when its attempts are used up`() async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.status(.serviceUnavailable), times: 99) { _ in true }
        #expect(try await Self.advancing(fixture) { try await fixture.get().status }.status == 503)
        #expect(fixture.requests.count == 3)
        fixture.server.clearPlans()
        fixture.server.plan(.fail(.connectionRefused), times: 99) { _ in true }
        await #expect(throws: HTTPCacheError.self) {
            _ = try await Self.advancing(fixture) { try await fixture.get("/b").status }
        }
        #expect(fixture.requests.count == 6)
    }

    @Test func `waits as long as the server requests, up to a limit`() async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.status(.tooManyRequests), .header(.retryAfter, "20"), exchange: 0)
        // Less than the own wait, which then counts.
        fixture.server.plan(.status(.serviceUnavailable), .header(.retryAfter, "0"), exchange: 1)
        let got = try await Self.advancing(fixture) { try await fixture.get().status }
        #expect(got.status == 200)
        #expect(got.waits.first == .seconds(20))
        #expect(got.waits[1] > .seconds(1))
        fixture.server.plan(.status(.serviceUnavailable), .header(.retryAfter, "31"), exchange: 3)
        let other = try await Self.advancing(fixture) { try await fixture.get("/b").status }
        #expect(other.status == 503)
        #expect(other.waits.isEmpty)
    }

    @Test(arguments: [400, 401, 403, 404, 409, 500, 501, 511])
    func `is not sent again after another answer`(code: Int) async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.status(.init(code: code)), exchange: 0)
        #expect(try await Self.advancing(fixture) { try await fixture.get().status }.status == code)
        #expect(fixture.requests.count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch, .init("LOCK")!])
    func `is not sent again with a method that is not idempotent`(method: HTTPRequest.Method) async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.status(.serviceUnavailable), exchange: 0)
        let sent = request("/a", method: method)
        #expect(
            try await Self.advancing(fixture) { try await FetchedText(fixture.cache.fetch(sent)).status }.status == 503)
        #expect(fixture.requests.count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .head, .options, .trace])
    func `is sent again with its body by an idempotent method`(method: HTTPRequest.Method) async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.fail(.connectionRefused), exchange: 0)
        var fetchRequest = request("/a", method: method)
        fetchRequest.body = method == .put ? Array("text".utf8) : nil
        let sent = fetchRequest
        #expect(
            try await Self.advancing(fixture) { try await FetchedText(fixture.cache.fetch(sent)).status }.status == 200)
        #expect(fixture.server.recorded.map(\.body) == [fetchRequest.body, fetchRequest.body])
    }

    @Test(arguments: [SingleAnswerStrategy.networkOnly, .reload, .networkElseCache, .staleIfOffline])
    func `is sent again by every strategy that uses the network`(strategy: SingleAnswerStrategy) async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.status(.badGateway), exchange: 0)
        #expect(try await Self.advancing(fixture) { try await fixture.get("/a", strategy).status }.status == 200)
        #expect(fixture.requests.count == 2)
    }

    @Test func `is not sent again once its head was handed out`() async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.cut(after: 2), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.requests.count == 1)
    }

    @Test func `is not sent again without an answer while the host knows of no network`() async throws {
        let fixture = Self.makeFixture(isOnline: false)
        fixture.server.plan(.fail(.noConnection(reason: "")), exchange: 0)
        await #expect(throws: HTTPCacheError.self) {
            _ = try await Self.advancing(fixture) { try await fixture.get().status }
        }
        #expect(fixture.requests.count == 1)
    }

    @Test func `ends at once when it is cancelled in a wait`() async throws {
        let fixture = Self.makeFixture()
        fixture.server.plan(.status(.serviceUnavailable), times: 9) { _ in true }
        let task = Task { try await fixture.get().status }
        #expect(await fixture.waitUntil { fixture.clock.sleeperCount > 0 })
        task.cancel()
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await task.value }
        if case .transport(.cancelled)? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(await fixture.waitUntil { fixture.clock.sleeperCount == 0 })
        #expect(fixture.requests.count == 1)
        await fixture.cache.close()
    }

    @Test func `leaves its slot to others while it waits`() async throws {
        let options = HTTPCacheOptions(concurrentExchanges: 1, retries: FetchRetries(waits: Self.waits))
        let fixture = CacheFixture([:], options: options)
        fixture.server.plan(.status(.serviceUnavailable), exchange: 0)
        let waiting = Task { try await fixture.get("/a").status }
        #expect(await fixture.waitUntil { fixture.clock.sleeperCount > 0 })
        #expect(try await fixture.get("/b").status == 200)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await waiting.value == 200)
    }

    @Test func `is sent once unless the host sets more attempts`() async throws {
        let fixture = CacheFixture([:])
        fixture.server.plan(.status(.serviceUnavailable), exchange: 0)
        #expect(try await fixture.get().status == 503)
        #expect(fixture.requests.count == 1)
    }
}

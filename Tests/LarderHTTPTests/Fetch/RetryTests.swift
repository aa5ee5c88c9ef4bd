// Proves that a fetch is sent again only where that is safe and may help, at the times that policy and server say.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A fetch that failed` {
    /// Waits of 1, 2, 4 and 4 seconds, less up to half.
    private static let waits = RetryPolicy(first: .seconds(1), limit: .seconds(4), jitter: 0.5)

    private static func bench(attempts: Int = 3, isOnline: Bool = true) -> Bench {
        let retries = FetchRetries(waits: waits, mostAttempts: attempts, longestRetryAfter: .seconds(30))
        return Bench(options: HTTPCacheOptions(retries: retries), isOnline: isOnline) { (_, _) throws(TransportError) in
            ok([.cacheControl: "max-age=60"])
        }
    }

    /// Lets a fetch run and advances the clock whenever it waits; how long it waited each time.
    private static func advancing(
        _ bench: Bench, _ fetch: @escaping @Sendable () async throws -> Int
    ) async throws -> (status: Int, waits: [Duration]) {
        let isOver = Flag(false)
        let task = Task {
            defer { isOver.value = true }
            return try await fetch()
        }
        var waits: [Duration] = []
        while await bench.eventually({ isOver.value || bench.clock.sleeperCount > 0 }), !isOver.value {
            let sent = bench.requests.count
            var wait = Duration.zero
            while bench.clock.sleeperCount > 0, bench.requests.count == sent {
                bench.clock.advance(by: .milliseconds(1))
                wait += .milliseconds(1)
            }
            waits.append(wait)
            #expect(await bench.eventually { bench.requests.count > sent || isOver.value })
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
        let bench = Self.bench(attempts: 5)
        bench.server.plan(fault, times: 4) { _ in true }
        let got = try await Self.advancing(bench) { try await bench.get().status }
        #expect(got.status == 200)
        #expect(bench.requests.count == 5)
        #expect(got.waits.count == 4)
        for (wait, most) in zip(got.waits, [1, 2, 4, 4]) {
            #expect(wait > .seconds(most) / 2 && wait <= .seconds(most), "\(got.waits)")
        }
        // Chance is the host's, and another for each wait.
        #expect(got.waits[2] != got.waits[3])
        #expect(bench.store.counts.writes == 1)
        #expect(try await bench.get().origin == .cache)
    }

    @Test func `ends with the last failure when its attempts are used up`() async throws {
        let bench = Self.bench()
        bench.server.plan(.status(.serviceUnavailable), times: 99) { _ in true }
        #expect(try await Self.advancing(bench) { try await bench.get().status }.status == 503)
        #expect(bench.requests.count == 3)
        bench.server.clearPlans()
        bench.server.plan(.fail(.connectionRefused), times: 99) { _ in true }
        await #expect(throws: HTTPCacheError.self) {
            _ = try await Self.advancing(bench) { try await bench.get("/b").status }
        }
        #expect(bench.requests.count == 6)
    }

    @Test func `waits as long as the server asks, up to a limit`() async throws {
        let bench = Self.bench()
        bench.server.plan(.status(.tooManyRequests), .header(.retryAfter, "20"), exchange: 0)
        // Less than the own wait, which then counts.
        bench.server.plan(.status(.serviceUnavailable), .header(.retryAfter, "0"), exchange: 1)
        let got = try await Self.advancing(bench) { try await bench.get().status }
        #expect(got.status == 200)
        #expect(got.waits.first == .seconds(20))
        #expect(got.waits[1] > .seconds(1))
        bench.server.plan(.status(.serviceUnavailable), .header(.retryAfter, "31"), exchange: 3)
        let other = try await Self.advancing(bench) { try await bench.get("/b").status }
        #expect(other.status == 503)
        #expect(other.waits.isEmpty)
    }

    @Test(arguments: [400, 401, 403, 404, 409, 500, 501, 511])
    func `is not sent again after another answer`(code: Int) async throws {
        let bench = Self.bench()
        bench.server.plan(.status(.init(code: code)), exchange: 0)
        #expect(try await Self.advancing(bench) { try await bench.get().status }.status == code)
        #expect(bench.requests.count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch, .init("LOCK")!])
    func `is not sent again with a method that is not idempotent`(method: HTTPRequest.Method) async throws {
        let bench = Self.bench()
        bench.server.plan(.status(.serviceUnavailable), exchange: 0)
        let sent = request("/a", method: method)
        #expect(try await Self.advancing(bench) { try await Got(bench.cache.fetch(sent)).status }.status == 503)
        #expect(bench.requests.count == 1)
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .head, .options, .trace])
    func `is sent again with its body by an idempotent method`(method: HTTPRequest.Method) async throws {
        let bench = Self.bench()
        bench.server.plan(.fail(.connectionRefused), exchange: 0)
        var asked = request("/a", method: method)
        asked.body = method == .put ? Array("text".utf8) : nil
        let sent = asked
        #expect(try await Self.advancing(bench) { try await Got(bench.cache.fetch(sent)).status }.status == 200)
        #expect(bench.server.recorded.map(\.body) == [asked.body, asked.body])
    }

    @Test(arguments: [SingleAnswerStrategy.networkOnly, .reload, .networkElseCache, .staleIfOffline])
    func `is sent again by every strategy that asks`(strategy: SingleAnswerStrategy) async throws {
        let bench = Self.bench()
        bench.server.plan(.status(.badGateway), exchange: 0)
        #expect(try await Self.advancing(bench) { try await bench.get("/a", strategy).status }.status == 200)
        #expect(bench.requests.count == 2)
    }

    @Test func `is not sent again once its head was handed out`() async throws {
        let bench = Self.bench()
        bench.server.plan(.cut(after: 2), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.requests.count == 1)
    }

    @Test func `is not sent again without an answer while the host knows of no network`() async throws {
        let bench = Self.bench(isOnline: false)
        bench.server.plan(.fail(.noConnection(reason: "")), exchange: 0)
        await #expect(throws: HTTPCacheError.self) {
            _ = try await Self.advancing(bench) { try await bench.get().status }
        }
        #expect(bench.requests.count == 1)
    }

    @Test func `ends at once when it is cancelled in a wait`() async throws {
        let bench = Self.bench()
        bench.server.plan(.status(.serviceUnavailable), times: 9) { _ in true }
        let task = Task { try await bench.get().status }
        #expect(await bench.eventually { bench.clock.sleeperCount > 0 })
        task.cancel()
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await task.value }
        if case .transport(.cancelled)? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(await bench.eventually { bench.clock.sleeperCount == 0 })
        #expect(bench.requests.count == 1)
        await bench.cache.close()
    }

    @Test func `leaves its slot to others while it waits`() async throws {
        let options = HTTPCacheOptions(concurrentExchanges: 1, retries: FetchRetries(waits: Self.waits))
        let bench = Bench([:], options: options)
        bench.server.plan(.status(.serviceUnavailable), exchange: 0)
        let waiting = Task { try await bench.get("/a").status }
        #expect(await bench.eventually { bench.clock.sleeperCount > 0 })
        #expect(try await bench.get("/b").status == 200)
        bench.clock.advance(by: .seconds(1))
        #expect(try await waiting.value == 200)
    }

    @Test func `is sent once unless the host asks for more`() async throws {
        let bench = Bench([:])
        bench.server.plan(.status(.serviceUnavailable), exchange: 0)
        #expect(try await bench.get().status == 503)
        #expect(bench.requests.count == 1)
    }
}

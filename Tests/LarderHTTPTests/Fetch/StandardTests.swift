import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The standard strategy` {
    /// §2.1.7.
    @Test func `fetches what is missing, stores it, and gives one final answer`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        let answers = try await bench.all("/a", .standard)
        #expect(answers.count == 1)
        #expect(answers[0].body == "hello")
        #expect(answers[0].origin == .network)
        #expect(!answers[0].fetched.isIntermediate)
        #expect(bench.store.all.count == 1)
        #expect(bench.memory.all.isEmpty)
    }

    /// §2.1.6, §2.1.9, §2.1.22.
    @Test func `answers from the cache while the response is fresh, without the network`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(59))
        let again = try await bench.get()
        #expect(again.origin == .cache)
        #expect(again.body == "hello")
        #expect(again.isFresh)
        #expect(again.fetched.age == .seconds(59))
        #expect(again.fields[.age] == "59")
        #expect(again.fetched.reuse.word == "fresh")
        #expect(bench.requests.count == 1)
        #expect(try await bench.all("/a", .standard).count == 1)
    }

    /// §2.1.8.
    @Test func `leaves an expired response aside: one final answer, from the network`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(61))
        let answers = try await bench.all("/a", .standard)
        #expect(answers.map(\.origin) == [.network])
        #expect(bench.requests.count == 2)
    }

    /// §2.1.8.
    @Test func `gives an expired response's failure, and no answer`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(61))
        bench.server.plan(.fail(.noConnection(reason: "test")), exchange: 1)
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.store.all.count == 1)
    }

    /// §2.1.11.
    @Test func `answers at once past the soft lifetime, and then with what the server says`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        let answers = try await bench.all("/a", .standard, terms: RequestTerms(softLifetime: .seconds(50)))
        #expect(answers.map(\.origin) == [.cache, .revalidated])
        #expect(answers.map(\.fetched.isIntermediate) == [true, false])
        #expect(answers.map(\.body) == ["hello", "hello"])
        #expect(bench.requests.count == 2)
    }

    @Test func `gives the final answer alone where one is asked for, past the soft lifetime`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        var asked = request()
        asked.terms.softLifetime = .seconds(50)
        #expect(try await bench.cache.fetch(asked).origin == .revalidated)
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.fail(.connectionRefused), exchange: 2)
        // It is fresh by its own word: better than an error.
        #expect(try await bench.cache.fetch(asked).origin == .cache)
    }

    /// §2.1.11.
    @Test func `ends with the error behind an intermediate answer`() async throws {
        let bench = Bench([.cacheControl: "max-age=600"])
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.fail(.connectionRefused), exchange: 1)
        var asked = request()
        asked.terms.softLifetime = .seconds(50)
        let iterator = Box(bench.cache.answers(to: asked).makeAsyncIterator())
        #expect(try await iterator.next()?.isIntermediate == true)
        await #expect(throws: HTTPCacheError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    /// §2.1.12.
    @Test func `renews only the metadata when nothing was modified`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        _ = try await bench.get()
        let before = try #require(bench.store.all.first)
        bench.clock.advance(by: .seconds(100))
        let again = try await bench.get()
        #expect(again.origin == .revalidated)
        #expect(again.body == "hello")
        #expect(again.status == 200)
        #expect(again.isFresh)
        #expect(bench.requests[1].headerFields[.ifNoneMatch] == "\"1\"")
        #expect(bench.store.counts == ListCache.Counts(writes: 1, refreshes: 1))
        let after = try #require(bench.store.all.first)
        #expect(after.identity == before.identity)
        #expect(after.response.receivedAt == before.response.receivedAt + 100_000)
        #expect(try await bench.get().origin == .cache)
    }

    /// §2.1.13.
    @Test func `puts a whole answer in the place of the old one`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.status(.ok), .header(.eTag, "\"2\""), .body(Array("new".utf8)), exchange: 1)
        #expect(try await bench.get().body == "new")
        #expect(bench.store.all.count == 1)
        let again = try await bench.get()
        #expect(again.body == "new")
        #expect(again.origin == .cache)
    }

    /// §2.1.14.
    @Test(arguments: [404, 410, 500, 503])
    func `leaves the cache alone when the server answers with an error`(code: Int) async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        let fault = Fault.status(HTTPResponse.Status(code: code))
        bench.server.plan(fault, .header(.cacheControl, "max-age=1000"), exchange: 1)
        let refused = try await bench.get()
        #expect(refused.status == code)
        #expect(refused.fetched.storage.word == "error-leaves-cache")
        #expect(bench.store.all.first?.response.status == .ok)
        #expect(bench.store.counts == ListCache.Counts(writes: 1))
        #expect(try await bench.get().origin == .revalidated)
    }

    @Test func `answers stale at once while it revalidates, and the revalidation outlives the caller`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60, stale-while-revalidate=60"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(90))
        let stale = try await bench.get()
        #expect(stale.origin == .cache)
        #expect(stale.isStale)
        #expect(await bench.eventually { bench.store.counts.refreshes == 1 })
        let fresh = try await bench.get()
        #expect(fresh.origin == .cache)
        #expect(fresh.isFresh)
        #expect(bench.requests.count == 2)
    }

    @Test func `answers 504 to only-if-cached with nothing stored, and asks nobody`() async throws {
        let bench = Bench([:])
        let got = try await bench.get("/a", fields: [.cacheControl: "only-if-cached"])
        #expect(got.status == 504)
        #expect(bench.requests.isEmpty)
    }

    @Test func `lets a stale response stand in for an error where its server says so`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60, stale-if-error=600"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.status(.serviceUnavailable), exchange: 1)
        bench.server.plan(.fail(.timeout(.head)), exchange: 2)
        let first = try await bench.get()
        #expect(first.status == 200)
        #expect(first.isStale)
        let second = try await bench.get()
        #expect(second.isExpiredServedOffline)
        bench.clock.advance(by: .seconds(1000))
        bench.server.plan(.status(.serviceUnavailable), exchange: 3)
        #expect(try await bench.get().status == 503)
    }

    @Test func `asks again without conditions when a 304 confirms nothing`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=60"))
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        bench.server.plan(.status(.notModified), .header(.eTag, "\"other\""), .body([]), exchange: 1)
        let again = try await bench.get()
        #expect(again.status == 200)
        #expect(again.body == "hello")
        #expect(bench.requests.count == 3)
        #expect(bench.requests[2].headerFields[.ifNoneMatch] == nil)
    }

    @Test func `keeps responses apart that Vary tells apart`() async throws {
        let bench = Bench { (request, _) throws(TransportError) in
            let language = request.headerFields[.acceptLanguage] ?? "none"
            return ok([.cacheControl: "max-age=60", .vary: "Accept-Language"], language)
        }
        for language in ["de", "en", "de", "en"] {
            #expect(try await bench.get("/a", fields: [.acceptLanguage: language]).body == language)
        }
        #expect(bench.requests.count == 2)
    }

    @Test func `stores nothing that the server forbids to store`() async throws {
        let bench = Bench([.cacheControl: "no-store"])
        let got = try await bench.get()
        #expect(got.fetched.storage.word == "no-store")
        #expect(got.fetched.state == .unknown)
        #expect(bench.store.all.isEmpty)
    }

    @Test func `delivers the answer when the cache fails`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        bench.store.breakDown()
        let got = try await bench.get()
        #expect(got.body == "hello")
        #expect(got.fetched.storage.word == "cache-failed")
    }
}

/// An iterator of answers that a test's closures can share.
final class Box {
    private var iterator: AnswerSequence.Iterator

    init(_ iterator: AnswerSequence.Iterator) { self.iterator = iterator }

    func next() async throws -> Got? {
        guard let fetched = try await iterator.next() else { return nil }
        return try await Got(fetched)
    }
}

extension Got {
    var isIntermediate: Bool { fetched.isIntermediate }
}

// Proves that the standard strategy follows RFC 9111: fresh, stale, validated, revalidated in the background, or failed.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The standard strategy` {
    /// §2.1.7.
    @Test func `fetches what is missing, stores it, and gives one final answer`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        let answers = try await fixture.all("/a", .standard)
        #expect(answers.count == 1)
        #expect(answers[0].body == "hello")
        #expect(answers[0].origin == .network)
        #expect(!answers[0].fetched.isIntermediate)
        #expect(fixture.store.all.count == 1)
        #expect(fixture.memory.all.isEmpty)
    }

    /// §2.1.6, §2.1.9, §2.1.22.
    @Test func `answers from the cache while the response is fresh, without the network`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(59))
        let again = try await fixture.get()
        #expect(again.origin == .cache)
        #expect(again.body == "hello")
        #expect(again.isFresh)
        #expect(again.fetched.age == .seconds(59))
        #expect(again.fields[.age] == "59")
        #expect(again.fetched.reuse.word == "fresh")
        #expect(fixture.requests.count == 1)
        #expect(try await fixture.all("/a", .standard).count == 1)
    }

    @Test func `reads the salt only for a response that a secret may have selected`() async throws {
        for (vary, reads) in [("Accept", 0), ("Authorization", 3)] {
            let fixture = CacheFixture([.cacheControl: "max-age=60", .vary: vary])
            for _ in 0..<3 { _ = try await fixture.get(fields: [.accept: "a", .authorization: "Bearer 1"]) }
            #expect(fixture.requests.count == 1)
            // Once to store the response, and once for each request that finds it.
            #expect(fixture.store.saltReads == reads)
        }
    }

    /// §2.1.8.
    @Test func `leaves an expired response aside: one final answer, from the network`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(61))
        let answers = try await fixture.all("/a", .standard)
        #expect(answers.map(\.origin) == [.network])
        #expect(fixture.requests.count == 2)
    }

    /// §2.1.8.
    @Test func `gives an expired response's failure, and no answer`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(61))
        fixture.server.plan(.fail(.noConnection(reason: "test")), exchange: 1)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.store.all.count == 1)
    }

    /// §2.1.11.
    @Test func `answers at once past the soft lifetime, and then with what the server says`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        let answers = try await fixture.all("/a", .standard, terms: RequestTerms(softLifetime: .seconds(50)))
        #expect(answers.map(\.origin) == [.cache, .revalidated])
        #expect(answers.map(\.fetched.isIntermediate) == [true, false])
        #expect(answers.map(\.body) == ["hello", "hello"])
        #expect(fixture.requests.count == 2)
    }

    @Test func `gives the answer alone where one is requested, past the soft lifetime`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        var fetchRequest = request()
        fetchRequest.terms.softLifetime = .seconds(50)
        #expect(try await fixture.cache.fetch(fetchRequest).origin == .revalidated)
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.fail(.connectionRefused), exchange: 2)
        // It is fresh by its own word: better than an error.
        #expect(try await fixture.cache.fetch(fetchRequest).origin == .cache)
    }

    /// §2.1.11.
    @Test func `ends with the error behind an intermediate answer`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=600"])
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.fail(.connectionRefused), exchange: 1)
        var fetchRequest = request()
        fetchRequest.terms.softLifetime = .seconds(50)
        let iterator = SharedIterator(fixture.cache.answers(to: fetchRequest).makeAsyncIterator())
        #expect(try await iterator.next()?.isIntermediate == true)
        await #expect(throws: HTTPCacheError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    /// §2.1.12.
    @Test func `renews only the metadata when nothing was modified`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get()
        let before = try #require(fixture.store.all.first)
        fixture.clock.advance(by: .seconds(100))
        let again = try await fixture.get()
        #expect(again.origin == .revalidated)
        #expect(again.body == "hello")
        #expect(again.status == 200)
        #expect(again.isFresh)
        #expect(fixture.requests[1].headerFields[.ifNoneMatch] == "\"1\"")
        #expect(fixture.store.counts == ListCache.Counts(writes: 1, refreshes: 1))
        let after = try #require(fixture.store.all.first)
        #expect(after.identity == before.identity)
        #expect(after.response.receivedAt == before.response.receivedAt + 100_000)
        #expect(try await fixture.get().origin == .cache)
    }

    /// §2.1.13.
    @Test func `replaces the old answer with a whole one`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.status(.ok), .header(.eTag, "\"2\""), .body(Array("new".utf8)), exchange: 1)
        #expect(try await fixture.get().body == "new")
        #expect(fixture.store.all.count == 1)
        let again = try await fixture.get()
        #expect(again.body == "new")
        #expect(again.origin == .cache)
    }

    /// §2.1.14.
    @Test(arguments: [404, 410, 500, 503])
    func `leaves the cache alone when the server answers with an error`(code: Int) async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        let fault = Fault.status(HTTPResponse.Status(code: code))
        fixture.server.plan(fault, .header(.cacheControl, "max-age=1000"), exchange: 1)
        let refused = try await fixture.get()
        #expect(refused.status == code)
        #expect(refused.fetched.storage.word == "error-leaves-cache")
        #expect(fixture.store.all.first?.response.status == .ok)
        #expect(fixture.store.counts == ListCache.Counts(writes: 1))
        #expect(try await fixture.get().origin == .revalidated)
    }

    @Test func `answers stale at once while it revalidates, and the revalidation outlives the caller`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60, stale-while-revalidate=60"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(90))
        let stale = try await fixture.get()
        #expect(stale.origin == .cache)
        #expect(stale.isStale)
        #expect(await fixture.waitUntil { fixture.store.counts.refreshes == 1 })
        let fresh = try await fixture.get()
        #expect(fresh.origin == .cache)
        #expect(fresh.isFresh)
        #expect(fixture.requests.count == 2)
    }

    @Test func `answers 504 to only-if-cached with nothing stored, and sends nothing`() async throws {
        let fixture = CacheFixture([:])
        let got = try await fixture.get("/a", fields: [.cacheControl: "only-if-cached"])
        #expect(got.status == 504)
        #expect(fixture.requests.isEmpty)
    }

    @Test func `uses a stale response as fallback for an error where its server says so`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60, stale-if-error=600"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.status(.serviceUnavailable), exchange: 1)
        fixture.server.plan(.fail(.timeout(.head)), exchange: 2)
        let first = try await fixture.get()
        #expect(first.status == 200)
        #expect(first.isStale)
        let second = try await fixture.get()
        #expect(second.isExpiredServedOffline)
        fixture.clock.advance(by: .seconds(1000))
        fixture.server.plan(.status(.serviceUnavailable), exchange: 3)
        #expect(try await fixture.get().status == 503)
    }

    @Test func `sends the request again without conditions when a 304 confirms nothing`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        fixture.server.plan(.status(.notModified), .header(.eTag, "\"other\""), .body([]), exchange: 1)
        let again = try await fixture.get()
        #expect(again.status == 200)
        #expect(again.body == "hello")
        #expect(fixture.requests.count == 3)
        #expect(fixture.requests[2].headerFields[.ifNoneMatch] == nil)
    }

    @Test func `stores responses separately that differ by Vary`() async throws {
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            let language = request.headerFields[.acceptLanguage] ?? "none"
            return ok([.cacheControl: "max-age=60", .vary: "Accept-Language"], language)
        }
        for language in ["de", "en", "de", "en"] {
            #expect(try await fixture.get("/a", fields: [.acceptLanguage: language]).body == language)
        }
        #expect(fixture.requests.count == 2)
    }

    @Test func `stores nothing that the server forbids to store`() async throws {
        let fixture = CacheFixture([.cacheControl: "no-store"])
        let got = try await fixture.get()
        #expect(got.fetched.storage.word == "no-store")
        #expect(got.fetched.state == .unknown)
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `delivers the answer when the cache fails`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        fixture.store.failAll()
        let got = try await fixture.get()
        #expect(got.body == "hello")
        #expect(got.fetched.storage.word == "cache-failed")
    }
}

/// An iterator of answers that a test's closures can share.
final class SharedIterator {
    private var iterator: AnswerSequence.Iterator

    init(_ iterator: AnswerSequence.Iterator) { self.iterator = iterator }

    func next() async throws -> FetchedText? {
        guard let fetched = try await iterator.next() else { return nil }
        return try await FetchedText(fetched)
    }
}

extension FetchedText {
    var isIntermediate: Bool { fetched.isIntermediate }
}

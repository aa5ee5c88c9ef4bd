// Proves that unsafe requests, the host and a sign-out invalidate or remove exactly what they should.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Invalidation` {
    @Test func `comes with what an unsafe request changes`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        _ = try await fixture.get()
        _ = try await FetchedText(fixture.cache.fetch(request("/a", method: .post)))
        let again = try await fixture.get()
        #expect(again.origin == .revalidated)
        #expect(fixture.requests.map(\.method) == [.get, .post, .get])
    }

    @Test func `reaches what Location and Content-Location name on the same origin`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        for path in ["/a", "/b", "/c"] { _ = try await fixture.get(path) }
        fixture.server.plan(.header(.location, "/b"), .header(.contentLocation, "http://origin.test/c"), exchange: 3)
        _ = try await FetchedText(fixture.cache.fetch(request("/a", method: .put)))
        for path in ["/a", "/b", "/c"] { #expect(try await fixture.get(path).origin == .revalidated) }
    }

    /// RFC 9110 §9.3.3.
    @Test func `does not reach what the same answer stores`() async throws {
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            ok([.cacheControl: "max-age=60", .contentLocation: "/a"], request.method == .post ? "new" : "old")
        }
        _ = try await fixture.get()
        _ = try await FetchedText(fixture.cache.fetch(request("/a", method: .post)))
        let again = try await fixture.get()
        #expect(again.origin == .cache)
        #expect(again.body == "new")
        #expect(fixture.store.all.count == 1)
    }

    @Test func `does not come with an error`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        _ = try await fixture.get()
        fixture.server.plan(.status(.internalServerError), exchange: 1)
        _ = try await FetchedText(fixture.cache.fetch(request("/a", method: .delete)))
        #expect(try await fixture.get().origin == .cache)
    }

    @Test func `keeps an answer under way from being stored`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            if request.method == .get { await barrier.wait() }
            return ok([.cacheControl: "max-age=600"])
        }
        async let slow = fixture.get()
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        _ = try await FetchedText(fixture.cache.fetch(request("/a", method: .post)))
        barrier.open()
        #expect(try await slow.body == "hello")
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `by the host has a response validated before its next use`() async throws {
        let fixture = CacheFixture(tagged("\"1\"", "max-age=600"))
        _ = try await fixture.get()
        try await fixture.cache.invalidate(key())
        #expect(try await fixture.get().origin == .revalidated)
        #expect(try await fixture.get().origin == .cache)
    }

    @Test func `by key, prefix or tag removes`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=600"])
        for path in ["/a/1", "/a/2", "/b", "/c"] {
            var fetchRequest = request(path)
            if path == "/c" { fetchRequest.tags = ["user:7"] }
            _ = try await FetchedText(fixture.cache.fetch(fetchRequest))
        }
        #expect(try await fixture.cache.remove(.prefix(key("/a/"))) == 2)
        #expect(try await fixture.cache.remove(.tag("user:7")) == 1)
        #expect(fixture.store.all.map(\.key) == [key("/b")])
        #expect(try await fixture.cache.remove(.key(key("/b"))) == 1)
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `by signing out removes everything, and what was under way`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            if request.path == "/slow" { await barrier.wait() }
            return ok([.cacheControl: "max-age=600"])
        }
        _ = try await fixture.get()
        var volatile = request("/b")
        volatile.isPersistent = false
        _ = try await FetchedText(fixture.cache.fetch(volatile))
        let slow = Task { try await fixture.get("/slow") }
        #expect(await fixture.waitUntil { fixture.requests.count == 3 })
        async let cleared: Void = fixture.cache.clear()
        barrier.open()
        try await cleared
        _ = try? await slow.value
        #expect(fixture.store.all.isEmpty)
        #expect(fixture.memory.all.isEmpty)
        #expect(try await fixture.get().origin == .network)
    }
}

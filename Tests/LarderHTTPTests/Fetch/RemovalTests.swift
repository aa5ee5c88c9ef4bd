import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Invalidation` {
    @Test func `comes with what an unsafe request changes`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        _ = try await bench.get()
        _ = try await Got(bench.cache.fetch(request("/a", method: .post)))
        let again = try await bench.get()
        #expect(again.origin == .revalidated)
        #expect(bench.requests.map(\.method) == [.get, .post, .get])
    }

    @Test func `reaches what Location and Content-Location name on the same origin`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        for path in ["/a", "/b", "/c"] { _ = try await bench.get(path) }
        bench.server.plan(.header(.location, "/b"), .header(.contentLocation, "http://origin.test/c"), exchange: 3)
        _ = try await Got(bench.cache.fetch(request("/a", method: .put)))
        for path in ["/a", "/b", "/c"] { #expect(try await bench.get(path).origin == .revalidated) }
    }

    /// RFC 9110 §9.3.3.
    @Test func `does not reach what the same answer stores`() async throws {
        let bench = Bench { (request, _) throws(TransportError) in
            ok([.cacheControl: "max-age=60", .contentLocation: "/a"], request.method == .post ? "new" : "old")
        }
        _ = try await bench.get()
        _ = try await Got(bench.cache.fetch(request("/a", method: .post)))
        let again = try await bench.get()
        #expect(again.origin == .cache)
        #expect(again.body == "new")
        #expect(bench.store.all.count == 1)
    }

    @Test func `does not come with an error`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        _ = try await bench.get()
        bench.server.plan(.status(.internalServerError), exchange: 1)
        _ = try await Got(bench.cache.fetch(request("/a", method: .delete)))
        #expect(try await bench.get().origin == .cache)
    }

    @Test func `keeps an answer under way from being stored`() async throws {
        let door = FetchDoor()
        let bench = Bench { (request, _) throws(TransportError) in
            if request.method == .get { await door.pass() }
            return ok([.cacheControl: "max-age=600"])
        }
        async let slow = bench.get()
        #expect(await bench.eventually { bench.requests.count == 1 })
        _ = try await Got(bench.cache.fetch(request("/a", method: .post)))
        door.open()
        #expect(try await slow.body == "hello")
        #expect(bench.store.all.isEmpty)
    }

    @Test func `by the host has a response validated before its next use`() async throws {
        let bench = Bench(tagged("\"1\"", "max-age=600"))
        _ = try await bench.get()
        try await bench.cache.invalidate(key())
        #expect(try await bench.get().origin == .revalidated)
        #expect(try await bench.get().origin == .cache)
    }

    @Test func `by key, prefix or tag removes`() async throws {
        let bench = Bench([.cacheControl: "max-age=600"])
        for path in ["/a/1", "/a/2", "/b", "/c"] {
            var asked = request(path)
            if path == "/c" { asked.tags = ["user:7"] }
            _ = try await Got(bench.cache.fetch(asked))
        }
        #expect(try await bench.cache.remove(.prefix(key("/a/"))) == 2)
        #expect(try await bench.cache.remove(.tag("user:7")) == 1)
        #expect(bench.store.all.map(\.key) == [key("/b")])
        #expect(try await bench.cache.remove(.key(key("/b"))) == 1)
        #expect(bench.store.all.isEmpty)
    }

    @Test func `by signing out removes everything, and what was under way`() async throws {
        let door = FetchDoor()
        let bench = Bench { (request, _) throws(TransportError) in
            if request.path == "/slow" { await door.pass() }
            return ok([.cacheControl: "max-age=600"])
        }
        _ = try await bench.get()
        var volatile = request("/b")
        volatile.isPersistent = false
        _ = try await Got(bench.cache.fetch(volatile))
        let slow = Task { try await bench.get("/slow") }
        #expect(await bench.eventually { bench.requests.count == 3 })
        async let cleared: Void = bench.cache.clear()
        door.open()
        try await cleared
        _ = try? await slow.value
        #expect(bench.store.all.isEmpty)
        #expect(bench.memory.all.isEmpty)
        #expect(try await bench.get().origin == .network)
    }
}

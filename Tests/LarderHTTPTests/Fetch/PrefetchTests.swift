// Proves that prefetching fills the cache at the lowest priority, reports each outcome and holds little memory.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Prefetching` {
    private static func word(_ outcome: PrefetchOutcome) -> String {
        switch outcome {
        case .stored: "stored"
        case .fresh: "fresh"
        case .notStored(let because): because.word
        case .failed(.server(let head)): "\(head.status.code)"
        case .failed(.transport(.cancelled)): "cancelled"
        case .failed: "failed"
        }
    }

    private static func words(_ fixture: CacheFixture, _ paths: [String]) async -> [String] {
        await fixture.cache.prefetch(paths.map { request($0) }).map(word)
    }

    @Test func `stores what is read without a network afterwards`() async throws {
        let fixture = CacheFixture([.cacheControl: "max-age=60"])
        #expect(await Self.words(fixture, ["/a", "/b", "/a"]) == ["stored", "stored", "stored"])
        fixture.setOnline(false)
        for path in ["/a", "/b"] { #expect(try await fixture.get(path, .cacheOnly).body == "hello") }
        #expect(fixture.requests.count == 2)
    }

    @Test func `says what became of each request, in their order`() async throws {
        let fixture = CacheFixture(options: HTTPCacheOptions(fileLimit: 100)) { (request, _) throws(TransportError) in
            switch request.path {
            case "/fresh", "/stale": return try await tagged("\"1\"", "max-age=60")(request, nil)
            case "/large": return ok([.cacheControl: "max-age=60"], String(repeating: "x", count: 101))
            case "/announced": return ok([.contentLength: "101"], String(repeating: "x", count: 101))
            case "/secret": return ok([.cacheControl: "no-store"])
            case "/gone": return TransportResponse(status: .gone, headers: [.cacheControl: "max-age=60"])
            case "/down": throw .connectionRefused
            default: return ok([.cacheControl: "max-age=60"])
            }
        }
        _ = try await fixture.get("/stale")
        fixture.clock.advance(by: .seconds(100))
        _ = try await fixture.get("/fresh")
        let paths = ["/new", "/fresh", "/stale", "/large", "/announced", "/secret", "/gone", "/down"]
        #expect(
            await Self.words(fixture, paths)
                == ["stored", "fresh", "stored", "too-large", "too-large", "no-store", "410", "failed"])
        #expect(fixture.requests.count == 2 + 7)
        #expect(fixture.requests.contains { $0.path == "/stale" && $0.headerFields[.ifNoneMatch] == "\"1\"" })
        #expect(try await fixture.get("/stale").isFresh)
    }

    @Test(arguments: ["prefetched", "fetched", "sequenced"], [10, 100])
    func `pins and tags what is stored already, fresh or confirmed by the server`(way: String, age: Int) async throws {
        let fixture = CacheFixture(options: HTTPCacheOptions(), tagged("\"1\"", "max-age=60"))
        _ = try await fixture.get("/a")
        fixture.clock.advance(by: .seconds(age))
        var pinned = request("/a")
        (pinned.isPinned, pinned.tags) = (true, ["offline"])
        for _ in 1...2 {
            switch way {
            case "prefetched":
                #expect(await fixture.cache.prefetch([pinned]).map(Self.word).allSatisfy { $0 != "failed" })
            case "fetched": _ = try await fixture.cache.fetch(pinned)
            default: for try await _ in fixture.cache.answers(to: pinned) {}
            }
        }
        let entry = try #require(try await fixture.store.entries(for: "http://origin.test/a").first)
        #expect(entry.isPinned && entry.tags == ["offline"])
        // What has them already is not written again.
        #expect(fixture.store.counts.additions == 1)
        #expect(fixture.requests.count == (age > 60 ? 2 : 1))
    }

    @Test func `says why a body was not stored`() async throws {
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if request.headerFields[.authorization] == nil { return ok(fields, "<html>portal") }
            fields[.contentType] = "image/png"
            return ok(fields, "pixels")
        }
        _ = try await fixture.get("/a", fields: [.authorization: "x"])
        fixture.clock.advance(by: .seconds(100))
        #expect(await Self.words(fixture, ["/a"]) == ["page-leaves-cache"])
        #expect(try await fixture.get("/a", .cacheOnly).body == "pixels")
    }

    @Test(arguments: [1, 3])
    func `has as many requests under way as may go in the background, over all calls`(limit: Int) async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture(options: HTTPCacheOptions(backgroundExchanges: limit)) {
            (_, _) throws(TransportError) in
            await barrier.wait()
            return ok([.cacheControl: "max-age=60"])
        }
        let tasks = ["/a", "/b"].map { name in
            Task { await Self.words(fixture, (0..<10).map { "\(name)\($0)" }) }
        }
        #expect(await fixture.waitUntil { fixture.requests.count == limit })
        for _ in 0..<1000 { await Task.yield() }
        #expect(fixture.requests.count == limit)
        barrier.open()
        for task in tasks { #expect(await task.value == [String](repeating: "stored", count: 10)) }
    }

    @Test func `yields to other requests`() async throws {
        let barrier = FetchBarrier()
        let options = HTTPCacheOptions(concurrentExchanges: 1)
        let fixture = CacheFixture(options: options) { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok([.cacheControl: "max-age=60"])
        }
        let first = Task { try await fixture.get("/first") }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let ahead = Task { await Self.words(fixture, ["/ahead"]) }
        // One that waits for its slot looks after its patience.
        #expect(await fixture.waitUntil { fixture.clock.sleeperCount == 1 })
        let foreground = Task { try await fixture.get("/asked") }
        #expect(await fixture.waitUntil { fixture.clock.sleeperCount == 2 })
        barrier.open()
        _ = try await (first.value, foreground.value)
        _ = await ahead.value
        #expect(fixture.requests.map(\.path) == ["/first", "/asked", "/ahead"])
    }

    @Test func `joins what is under way, and is joined`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok([.cacheControl: "max-age=60"])
        }
        let one = Task { try await fixture.get("/a").body }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let ahead = Task { await Self.words(fixture, ["/a", "/b"]) }
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        let other = Task { try await fixture.get("/b").body }
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        #expect(await ahead.value == ["stored", "stored"])
        #expect(try await [one.value, other.value] == ["hello", "hello"])
        #expect(fixture.requests.count == 2)
    }

    @Test func `sends its own request when the request that it joined is ended`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok([.cacheControl: "max-age=60"])
        }
        let one = Task { try await fixture.get("/a").body }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let ahead = Task { await Self.words(fixture, ["/a"]) }
        #expect(await fixture.waitUntil { fixture.store.lookups == 2 })
        for _ in 0..<1000 { await Task.yield() }
        let clearing = Task { try await fixture.cache.clear() }
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        // What it asks for anew may have come before the cache is emptied, or not.
        #expect([["stored"], ["changed-meanwhile"]].contains(await ahead.value))
        await #expect(throws: HTTPCacheError.self) { _ = try await one.value }
        try await clearing.value
        #expect(fixture.requests.count == 2)
    }

    @Test func `reads long bodies to their end and holds none of them`() async throws {
        let chunksRead = Mutex(0)
        let options = HTTPCacheOptions(fileLimit: 1 << 20, unreadLimit: 100, finishLimit: 0)
        let fixture = CacheFixture(options: options) { (_, _) throws(TransportError) in
            let body = TransportBody(next: { () async throws(TransportError) in
                let count = chunksRead.withLock { chunksRead in
                    chunksRead += 1
                    return chunksRead
                }
                return count <= 1000 ? [UInt8](repeating: 7, count: 1000) : nil
            })
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: body)
        }
        #expect(await Self.words(fixture, ["/a"]) == ["stored"])
        #expect(try await fixture.get("/a", .cacheOnly).body.utf8.count == 1_000_000)
    }

    @Test func `ends what is under way when its task is cancelled, and says so of the rest`() async throws {
        let ended = Flag(false)
        let fixture = CacheFixture(options: HTTPCacheOptions(backgroundExchanges: 1)) {
            (request, _) throws(TransportError) in
            if request.path == "/0" { return ok([.cacheControl: "max-age=60"]) }
            do { try await Task.sleep(for: .seconds(1000)) } catch { ended.value = true }
            throw .cancelled
        }
        let task = Task { await Self.words(fixture, ["/0", "/1", "/2"]) }
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        task.cancel()
        #expect(await task.value == ["stored", "cancelled", "cancelled"])
        #expect(await fixture.waitUntil { ended.value })
        #expect(fixture.requests.count == 2)
        #expect(try await fixture.get("/0", .cacheOnly).body == "hello")
    }

    @Test func `follows redirections where the cache does`() async throws {
        let fixture = CacheFixture(options: HTTPCacheOptions(redirectLimit: 2)) { (request, _) throws(TransportError) in
            if request.path == "/new" { return ok([.cacheControl: "max-age=60"]) }
            let place = request.path == "/circle" ? "/circle" : "/new"
            return TransportResponse(status: .movedPermanently, headers: [.location: place, .cacheControl: "no-store"])
        }
        #expect(await Self.words(fixture, ["/old", "/circle"]) == ["stored", "failed"])
        #expect(try await fixture.get("/new", .cacheOnly).body == "hello")
    }
}

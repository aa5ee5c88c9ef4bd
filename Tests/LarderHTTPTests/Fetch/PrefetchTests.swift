// Proves that prefetching fills the cache behind everything else, says what became of each request, and holds little.
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

    private static func words(_ bench: Bench, _ paths: [String]) async -> [String] {
        await bench.cache.prefetch(paths.map { request($0) }).map(word)
    }

    @Test func `stores what is read without a network afterwards`() async throws {
        let bench = Bench([.cacheControl: "max-age=60"])
        #expect(await Self.words(bench, ["/a", "/b", "/a"]) == ["stored", "stored", "stored"])
        bench.setOnline(false)
        for path in ["/a", "/b"] { #expect(try await bench.get(path, .cacheOnly).body == "hello") }
        #expect(bench.requests.count == 2)
    }

    @Test func `says what became of each request, in their order`() async throws {
        let bench = Bench(options: HTTPCacheOptions(fileLimit: 100)) { (request, _) throws(TransportError) in
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
        _ = try await bench.get("/stale")
        bench.clock.advance(by: .seconds(100))
        _ = try await bench.get("/fresh")
        let paths = ["/new", "/fresh", "/stale", "/large", "/announced", "/secret", "/gone", "/down"]
        #expect(
            await Self.words(bench, paths)
                == ["stored", "fresh", "stored", "too-large", "too-large", "no-store", "410", "failed"])
        #expect(bench.requests.count == 2 + 7)
        #expect(bench.requests.contains { $0.path == "/stale" && $0.headerFields[.ifNoneMatch] == "\"1\"" })
        #expect(try await bench.get("/stale").isFresh)
    }

    @Test func `says why a body did not take its place`() async throws {
        let bench = Bench { (request, _) throws(TransportError) in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if request.headerFields[.authorization] == nil { return ok(fields, "<html>portal") }
            fields[.contentType] = "image/png"
            return ok(fields, "pixels")
        }
        _ = try await bench.get("/a", fields: [.authorization: "x"])
        bench.clock.advance(by: .seconds(100))
        #expect(await Self.words(bench, ["/a"]) == ["page-leaves-cache"])
        #expect(try await bench.get("/a", .cacheOnly).body == "pixels")
    }

    @Test(arguments: [1, 3])
    func `has as many requests under way as may go in the background, over all calls`(limit: Int) async throws {
        let door = FetchDoor()
        let bench = Bench(options: HTTPCacheOptions(backgroundExchanges: limit)) { (_, _) throws(TransportError) in
            await door.pass()
            return ok([.cacheControl: "max-age=60"])
        }
        let tasks = ["/a", "/b"].map { name in
            Task { await Self.words(bench, (0..<10).map { "\(name)\($0)" }) }
        }
        #expect(await bench.eventually { bench.requests.count == limit })
        for _ in 0..<1000 { await Task.yield() }
        #expect(bench.requests.count == limit)
        door.open()
        for task in tasks { #expect(await task.value == [String](repeating: "stored", count: 10)) }
    }

    @Test func `stands back behind other requests`() async throws {
        let door = FetchDoor()
        let options = HTTPCacheOptions(concurrentExchanges: 1)
        let bench = Bench(options: options) { (_, _) throws(TransportError) in
            await door.pass()
            return ok([.cacheControl: "max-age=60"])
        }
        let first = Task { try await bench.get("/first") }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let ahead = Task { await Self.words(bench, ["/ahead"]) }
        // One that waits for its slot looks after its patience.
        #expect(await bench.eventually { bench.clock.sleeperCount == 1 })
        let asked = Task { try await bench.get("/asked") }
        #expect(await bench.eventually { bench.clock.sleeperCount == 2 })
        door.open()
        _ = try await (first.value, asked.value)
        _ = await ahead.value
        #expect(bench.requests.map(\.path) == ["/first", "/asked", "/ahead"])
    }

    @Test func `joins what is under way, and is joined`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            await door.pass()
            return ok([.cacheControl: "max-age=60"])
        }
        let one = Task { try await bench.get("/a").body }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let ahead = Task { await Self.words(bench, ["/a", "/b"]) }
        #expect(await bench.eventually { bench.requests.count == 2 })
        let other = Task { try await bench.get("/b").body }
        for _ in 0..<1000 { await Task.yield() }
        door.open()
        #expect(await ahead.value == ["stored", "stored"])
        #expect(try await [one.value, other.value] == ["hello", "hello"])
        #expect(bench.requests.count == 2)
    }

    @Test func `asks again by itself when the request that it joined is ended`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            await door.pass()
            return ok([.cacheControl: "max-age=60"])
        }
        let one = Task { try await bench.get("/a").body }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let ahead = Task { await Self.words(bench, ["/a"]) }
        #expect(await bench.eventually { bench.store.lookups == 2 })
        for _ in 0..<1000 { await Task.yield() }
        let clearing = Task { try await bench.cache.clear() }
        for _ in 0..<1000 { await Task.yield() }
        door.open()
        // What it asks for anew may have come before the cache is emptied, or not.
        #expect([["stored"], ["changed-meanwhile"]].contains(await ahead.value))
        await #expect(throws: HTTPCacheError.self) { _ = try await one.value }
        try await clearing.value
        #expect(bench.requests.count == 2)
    }

    @Test func `reads long bodies to their end and holds none of them`() async throws {
        let taken = Mutex(0)
        let options = HTTPCacheOptions(fileLimit: 1 << 20, unreadLimit: 100, finishLimit: 0)
        let bench = Bench(options: options) { (_, _) throws(TransportError) in
            let body = TransportBody(next: { () async throws(TransportError) in
                let count = taken.withLock { taken in
                    taken += 1
                    return taken
                }
                return count <= 1000 ? [UInt8](repeating: 7, count: 1000) : nil
            })
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]), body: body)
        }
        #expect(await Self.words(bench, ["/a"]) == ["stored"])
        #expect(try await bench.get("/a", .cacheOnly).body.utf8.count == 1_000_000)
    }

    @Test func `ends what is under way when its task is cancelled, and says so of the rest`() async throws {
        let ended = Flag(false)
        let bench = Bench(options: HTTPCacheOptions(backgroundExchanges: 1)) { (request, _) throws(TransportError) in
            if request.path == "/0" { return ok([.cacheControl: "max-age=60"]) }
            do { try await Task.sleep(for: .seconds(1000)) } catch { ended.value = true }
            throw .cancelled
        }
        let task = Task { await Self.words(bench, ["/0", "/1", "/2"]) }
        #expect(await bench.eventually { bench.requests.count == 2 })
        task.cancel()
        #expect(await task.value == ["stored", "cancelled", "cancelled"])
        #expect(await bench.eventually { ended.value })
        #expect(bench.requests.count == 2)
        #expect(try await bench.get("/0", .cacheOnly).body == "hello")
    }

    @Test func `follows redirections where the cache does`() async throws {
        let bench = Bench(options: HTTPCacheOptions(redirectLimit: 2)) { (request, _) throws(TransportError) in
            if request.path == "/new" { return ok([.cacheControl: "max-age=60"]) }
            let place = request.path == "/circle" ? "/circle" : "/new"
            return TransportResponse(status: .movedPermanently, headers: [.location: place, .cacheControl: "no-store"])
        }
        #expect(await Self.words(bench, ["/old", "/circle"]) == ["stored", "failed"])
        #expect(try await bench.get("/new", .cacheOnly).body == "hello")
    }
}

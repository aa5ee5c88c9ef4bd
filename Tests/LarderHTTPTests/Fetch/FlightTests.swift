// Proves that identical concurrent requests share one exchange, and that exchanges are limited and ordered by priority.

import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Identical requests` {
    /// A server whose responses wait at a barrier.
    private static func makeFixture(_ barrier: FetchBarrier, _ fields: HTTPFields) -> CacheFixture {
        CacheFixture { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok(fields)
        }
    }

    @Test func `under way at the same time are one exchange`() async throws {
        let barrier = FetchBarrier()
        let fixture = Self.makeFixture(barrier, [.cacheControl: "max-age=60"])
        try await withThrowingTaskGroup(of: FetchedText.self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.get() } }
            #expect(await fixture.waitUntil { fixture.requests.count == 1 })
            for _ in 0..<1000 { await Task.yield() }
            barrier.open()
            var origins: [AnswerOrigin] = []
            for try await got in group {
                #expect(got.body == "hello")
                origins.append(got.origin)
            }
            #expect(origins.count == 20)
        }
        #expect(fixture.requests.count == 1)
        #expect(fixture.store.counts.writes == 1)
    }

    @Test func `go each for itself when the first answer is not for storing`() async throws {
        let barrier = FetchBarrier()
        let fixture = Self.makeFixture(barrier, [.cacheControl: "no-store"])
        async let one = fixture.get()
        async let other = fixture.get()
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        barrier.open()
        #expect(try await [one.body, other.body] == ["hello", "hello"])
        #expect(fixture.requests.count == 2)
    }

    @Test func `do not wait for a body that is not for storing`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            let steps = GatedChunks([Array("first".utf8), Array("second".utf8)], before: [1: barrier])
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"]), body: steps.body)
        }
        let first = try await fixture.cache.fetch(request())
        let second = try await fixture.cache.fetch(request())
        #expect(fixture.requests.count == 2)
        barrier.open()
        for fetched in [first, second] { #expect(try await FetchedText(fetched).body == "firstsecond") }
    }

    @Test func `one after the other are as many exchanges, however soon the next follows`() async throws {
        let fixture = CacheFixture([.cacheControl: "no-cache"])
        for number in 1...2000 {
            _ = try await fixture.get()
            try #require(fixture.requests.count == number)
        }
    }

    @Test func `share a failure`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            await barrier.wait()
            throw .connectionRefused
        }
        let tasks = (0..<5).map { _ in Task { try await fixture.get() } }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        for task in tasks { await #expect(throws: HTTPCacheError.self) { _ = try await task.value } }
        #expect(fixture.requests.count == 1)
    }

    @Test func `with other header fields are others`() async throws {
        let barrier = FetchBarrier()
        let fixture = Self.makeFixture(barrier, [.cacheControl: "max-age=60"])
        async let one = fixture.get("/a", fields: [.accept: "text/html"])
        async let other = fixture.get("/a", fields: [.accept: "text/plain"])
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        barrier.open()
        _ = try await (one, other)
    }

    @Test func `for the whole do not join one that validates`() async throws {
        let barrier = FetchBarrier()
        let isOpen = Flag(true)
        let fixture = CacheFixture { (request, body) throws(TransportError) in
            if !isOpen.value { await barrier.wait() }
            return try await tagged("\"1\"", "max-age=60")(request, body)
        }
        _ = try await fixture.get()
        fixture.clock.advance(by: .seconds(100))
        isOpen.value = false
        async let confirmed = fixture.get()
        #expect(await fixture.waitUntil { fixture.requests.count == 2 })
        async let whole = fixture.get("/a", .reload)
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        #expect(try await [confirmed.origin, whole.origin] == [.revalidated, .network])
        #expect(fixture.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test func `go on when the first of them is cancelled`() async throws {
        let barrier = FetchBarrier()
        let fixture = Self.makeFixture(barrier, [.cacheControl: "max-age=60"])
        let first = Task { try await fixture.get() }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let second = Task { try await fixture.get() }
        for _ in 0..<1000 { await Task.yield() }
        first.cancel()
        await #expect(throws: HTTPCacheError.self) { _ = try await first.value }
        barrier.open()
        #expect(try await second.value.body == "hello")
        #expect(fixture.requests.count == 1)
    }

    @Test func `do not wait for a slow reader among them`() async throws {
        let fixture = CacheFixture(options: HTTPCacheOptions(unreadLimit: 10)) { (_, _) throws(TransportError) in
            let chunks = [[UInt8]](repeating: [UInt8](repeating: 7, count: 100), count: 50)
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: TransportBody(chunks: chunks))
        }
        let unread = try await fixture.cache.fetch(request())
        let other = try await fixture.get()
        #expect(other.body.utf8.count == 5000)
        #expect(fixture.requests.count == 1)
        #expect(try await unread.value.body.bytes().count == 5000)
    }

    @Test func `are given up when the last of them is cancelled`() async throws {
        let cancelled = Flag(false)
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            do { try await Task.sleep(for: .seconds(1000)) } catch { cancelled.value = true }
            throw .cancelled
        }
        let tasks = (0..<3).map { _ in Task { try await fixture.get() } }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        for _ in 0..<1000 { await Task.yield() }
        tasks[0].cancel()
        tasks[1].cancel()
        for _ in 0..<1000 { await Task.yield() }
        #expect(!cancelled.value)
        tasks[2].cancel()
        for task in tasks { await #expect(throws: HTTPCacheError.self) { _ = try await task.value } }
        #expect(await fixture.waitUntil { cancelled.value })
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Exchanges` {
    @Test func `are bounded; the higher priority goes first, and equals in the order they came`() async throws {
        let barriers = [FetchBarrier(), FetchBarrier()]
        let fixture = CacheFixture(options: HTTPCacheOptions(concurrentExchanges: 1)) {
            (request, _) throws(TransportError) in
            await barriers[request.path == "/first" ? 0 : 1].wait()
            return ok()
        }
        var tasks = [Task { try await fixture.get("/first") }]
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let waiting: [(String, FetchPriority)] = [
            ("/low", .low), ("/normal1", .normal), ("/high", .high), ("/normal2", .normal),
        ]
        for (path, priority) in waiting {
            tasks.append(
                Task {
                    var fetchRequest = request(path)
                    fetchRequest.priority = priority
                    return try await FetchedText(fixture.cache.fetch(fetchRequest))
                })
            for _ in 0..<2000 { await Task.yield() }
        }
        #expect(fixture.requests.count == 1)
        barriers.forEach { $0.open() }
        for task in tasks { _ = try await task.value }
        #expect(fixture.requests.map(\.path) == ["/first", "/high", "/normal1", "/normal2", "/low"])
    }

    @Test func `that wait go with the highest priority of those who wait for them`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture(options: HTTPCacheOptions(concurrentExchanges: 1)) { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok([.cacheControl: "max-age=60"])
        }
        let requests: [(String, FetchPriority)] = [
            ("/first", .normal), ("/other", .normal), ("/wanted", .low), ("/wanted", .high),
        ]
        var tasks: [Task<FetchedText, any Error>] = []
        for (path, priority) in requests {
            tasks.append(
                Task {
                    var requests = request(path)
                    requests.priority = priority
                    return try await FetchedText(fixture.cache.fetch(requests))
                })
            for _ in 0..<2000 { await Task.yield() }
        }
        barrier.open()
        for task in tasks { _ = try await task.value }
        #expect(fixture.requests.map(\.path) == ["/first", "/wanted", "/other"])
    }

    @Test func `end when the cache is closed, and none begins after`() async throws {
        let fixture = CacheFixture { (_, _) throws(TransportError) in
            try? await Task.sleep(for: .seconds(1000))
            throw .cancelled
        }
        let task = Task { try await fixture.get() }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        await fixture.cache.close()
        await #expect(throws: HTTPCacheError.self) { _ = try await task.value }
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.requests.count == 1)
    }

    @Test func `behind the caller's back are bounded`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture(options: HTTPCacheOptions(backgroundExchanges: 2)) {
            (request, _) throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { await barrier.wait() }
            return ok([.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"1\""])
        }
        for number in 0..<5 { _ = try await fixture.get("/\(number)") }
        fixture.clock.advance(by: .seconds(100))
        for number in 0..<5 { #expect(try await fixture.get("/\(number)").isStale) }
        for _ in 0..<2000 { await Task.yield() }
        #expect(fixture.store.counts.writes == 5)
        barrier.open()
        #expect(await fixture.waitUntil { fixture.store.counts.writes >= 7 })
        for _ in 0..<2000 { await Task.yield() }
        #expect(fixture.store.counts.writes == 7)
    }
}

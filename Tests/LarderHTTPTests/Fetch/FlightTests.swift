import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Identical requests` {
    /// A server whose answers wait at a door.
    private static func bench(_ door: FetchDoor, _ fields: HTTPFields) -> Bench {
        Bench { (_, _) throws(TransportError) in
            await door.pass()
            return ok(fields)
        }
    }

    @Test func `under way at the same time are one exchange`() async throws {
        let door = FetchDoor()
        let bench = Self.bench(door, [.cacheControl: "max-age=60"])
        try await withThrowingTaskGroup(of: Got.self) { group in
            for _ in 0..<20 { group.addTask { try await bench.get() } }
            #expect(await bench.eventually { bench.requests.count == 1 })
            for _ in 0..<1000 { await Task.yield() }
            door.open()
            var origins: [AnswerOrigin] = []
            for try await got in group {
                #expect(got.body == "hello")
                origins.append(got.origin)
            }
            #expect(origins.count == 20)
        }
        #expect(bench.requests.count == 1)
        #expect(bench.store.counts.writes == 1)
    }

    @Test func `go each for itself when the first answer is not for storing`() async throws {
        let door = FetchDoor()
        let bench = Self.bench(door, [.cacheControl: "no-store"])
        async let one = bench.get()
        async let other = bench.get()
        #expect(await bench.eventually { bench.requests.count == 1 })
        door.open()
        #expect(try await [one.body, other.body] == ["hello", "hello"])
        #expect(bench.requests.count == 2)
    }

    @Test func `do not wait for a body that is not for storing`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            let steps = Steps([Array("first".utf8), Array("second".utf8)], before: [1: door])
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "no-store"]), body: steps.body)
        }
        let first = try await bench.cache.fetch(request())
        let second = try await bench.cache.fetch(request())
        #expect(bench.requests.count == 2)
        door.open()
        for fetched in [first, second] { #expect(try await Got(fetched).body == "firstsecond") }
    }

    @Test func `one after the other are as many exchanges, however soon the next follows`() async throws {
        let bench = Bench([.cacheControl: "no-cache"])
        for number in 1...2000 {
            _ = try await bench.get()
            try #require(bench.requests.count == number)
        }
    }

    @Test func `share a failure`() async throws {
        let door = FetchDoor()
        let bench = Bench { (_, _) throws(TransportError) in
            await door.pass()
            throw .connectionRefused
        }
        let tasks = (0..<5).map { _ in Task { try await bench.get() } }
        #expect(await bench.eventually { bench.requests.count == 1 })
        for _ in 0..<1000 { await Task.yield() }
        door.open()
        for task in tasks { await #expect(throws: HTTPCacheError.self) { _ = try await task.value } }
        #expect(bench.requests.count == 1)
    }

    @Test func `with other header fields are others`() async throws {
        let door = FetchDoor()
        let bench = Self.bench(door, [.cacheControl: "max-age=60"])
        async let one = bench.get("/a", fields: [.accept: "text/html"])
        async let other = bench.get("/a", fields: [.accept: "text/plain"])
        #expect(await bench.eventually { bench.requests.count == 2 })
        door.open()
        _ = try await (one, other)
    }

    @Test func `for the whole do not join one that asks for a confirmation`() async throws {
        let door = FetchDoor()
        let isOpen = Flag(true)
        let bench = Bench { (request, body) throws(TransportError) in
            if !isOpen.value { await door.pass() }
            return try await tagged("\"1\"", "max-age=60")(request, body)
        }
        _ = try await bench.get()
        bench.clock.advance(by: .seconds(100))
        isOpen.value = false
        async let confirmed = bench.get()
        #expect(await bench.eventually { bench.requests.count == 2 })
        async let whole = bench.get("/a", .reload)
        for _ in 0..<1000 { await Task.yield() }
        door.open()
        #expect(try await [confirmed.origin, whole.origin] == [.revalidated, .network])
        #expect(bench.requests.map { $0.headerFields[.ifNoneMatch] } == [nil, "\"1\"", nil])
    }

    @Test func `go on when the first of them is cancelled`() async throws {
        let door = FetchDoor()
        let bench = Self.bench(door, [.cacheControl: "max-age=60"])
        let first = Task { try await bench.get() }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let second = Task { try await bench.get() }
        for _ in 0..<1000 { await Task.yield() }
        first.cancel()
        await #expect(throws: HTTPCacheError.self) { _ = try await first.value }
        door.open()
        #expect(try await second.value.body == "hello")
        #expect(bench.requests.count == 1)
    }

    @Test func `do not wait for a slow reader among them`() async throws {
        let bench = Bench(options: HTTPCacheOptions(unreadLimit: 10)) { (_, _) throws(TransportError) in
            let chunks = [[UInt8]](repeating: [UInt8](repeating: 7, count: 100), count: 50)
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60"]),
                body: TransportBody(chunks: chunks))
        }
        let unread = try await bench.cache.fetch(request())
        let other = try await bench.get()
        #expect(other.body.utf8.count == 5000)
        #expect(bench.requests.count == 1)
        #expect(try await unread.value.body.bytes().count == 5000)
    }

    @Test func `are given up when the last of them is cancelled`() async throws {
        let cancelled = Flag(false)
        let bench = Bench { (_, _) throws(TransportError) in
            do { try await Task.sleep(for: .seconds(1000)) } catch { cancelled.value = true }
            throw .cancelled
        }
        let tasks = (0..<3).map { _ in Task { try await bench.get() } }
        #expect(await bench.eventually { bench.requests.count == 1 })
        for _ in 0..<1000 { await Task.yield() }
        tasks[0].cancel()
        tasks[1].cancel()
        for _ in 0..<1000 { await Task.yield() }
        #expect(!cancelled.value)
        tasks[2].cancel()
        for task in tasks { await #expect(throws: HTTPCacheError.self) { _ = try await task.value } }
        #expect(await bench.eventually { cancelled.value })
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Exchanges` {
    @Test func `are bounded; the higher priority goes first, and equals in the order they came`() async throws {
        let doors = [FetchDoor(), FetchDoor()]
        let bench = Bench(options: HTTPCacheOptions(concurrentExchanges: 1)) { (request, _) throws(TransportError) in
            await doors[request.path == "/first" ? 0 : 1].pass()
            return ok()
        }
        var tasks = [Task { try await bench.get("/first") }]
        #expect(await bench.eventually { bench.requests.count == 1 })
        let waiting: [(String, FetchPriority)] = [
            ("/low", .low), ("/normal1", .normal), ("/high", .high), ("/normal2", .normal),
        ]
        for (path, priority) in waiting {
            tasks.append(
                Task {
                    var asked = request(path)
                    asked.priority = priority
                    return try await Got(bench.cache.fetch(asked))
                })
            for _ in 0..<2000 { await Task.yield() }
        }
        #expect(bench.requests.count == 1)
        doors.forEach { $0.open() }
        for task in tasks { _ = try await task.value }
        #expect(bench.requests.map(\.path) == ["/first", "/high", "/normal1", "/normal2", "/low"])
    }

    @Test func `that wait go with the highest priority of those who wait for them`() async throws {
        let door = FetchDoor()
        let bench = Bench(options: HTTPCacheOptions(concurrentExchanges: 1)) { (_, _) throws(TransportError) in
            await door.pass()
            return ok([.cacheControl: "max-age=60"])
        }
        let asked: [(String, FetchPriority)] = [
            ("/first", .normal), ("/other", .normal), ("/wanted", .low), ("/wanted", .high),
        ]
        var tasks: [Task<Got, any Error>] = []
        for (path, priority) in asked {
            tasks.append(
                Task {
                    var asked = request(path)
                    asked.priority = priority
                    return try await Got(bench.cache.fetch(asked))
                })
            for _ in 0..<2000 { await Task.yield() }
        }
        door.open()
        for task in tasks { _ = try await task.value }
        #expect(bench.requests.map(\.path) == ["/first", "/wanted", "/other"])
    }

    @Test func `end when the cache is closed, and none begins after`() async throws {
        let bench = Bench { (_, _) throws(TransportError) in
            try? await Task.sleep(for: .seconds(1000))
            throw .cancelled
        }
        let task = Task { try await bench.get() }
        #expect(await bench.eventually { bench.requests.count == 1 })
        await bench.cache.close()
        await #expect(throws: HTTPCacheError.self) { _ = try await task.value }
        await #expect(throws: HTTPCacheError.self) { _ = try await bench.get() }
        #expect(bench.requests.count == 1)
    }

    @Test func `behind the caller's back are bounded`() async throws {
        let door = FetchDoor()
        let bench = Bench(options: HTTPCacheOptions(backgroundExchanges: 2)) { (request, _) throws(TransportError) in
            if request.headerFields[.ifNoneMatch] != nil { await door.pass() }
            return ok([.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"1\""])
        }
        for number in 0..<5 { _ = try await bench.get("/\(number)") }
        bench.clock.advance(by: .seconds(100))
        for number in 0..<5 { #expect(try await bench.get("/\(number)").isStale) }
        for _ in 0..<2000 { await Task.yield() }
        #expect(bench.store.counts.writes == 5)
        door.open()
        #expect(await bench.eventually { bench.store.counts.writes >= 7 })
        for _ in 0..<2000 { await Task.yield() }
        #expect(bench.store.counts.writes == 7)
    }
}

// Proves that an unread body costs no more memory than it may, keeps no other request waiting, and is stored.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// A server whose bodies have 1000 chunks of 100 bytes, and that counts what is taken of each.
private final class Spring: Sendable {
    static let chunk = [UInt8](repeating: 7, count: 100)

    private let taken = Mutex<[Int]>([])
    private let fields: HTTPFields
    private let headDoor: FetchDoor?
    let bodyDoor: FetchDoor?

    init(_ fields: HTTPFields, headDoor: FetchDoor? = nil, bodyDoor: FetchDoor? = nil) {
        self.fields = fields
        self.headDoor = headDoor
        self.bodyDoor = bodyDoor
    }

    func taken(of exchange: Int) -> Int { taken.withLock { $0.indices.contains(exchange) ? $0[exchange] : 0 } }

    func answer() async -> TransportResponse {
        await headDoor?.pass()
        let number = taken.withLock { taken in
            taken.append(0)
            return taken.count - 1
        }
        let body = TransportBody(next: { () async throws(TransportError) in
            let count = self.taken.withLock { taken in
                taken[number] += 1
                return taken[number]
            }
            if count == 2 { await self.bodyDoor?.pass() }
            return count <= 1000 ? Self.chunk : nil
        })
        return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A body that is held` {
    private static func bench(_ spring: Spring, _ options: HTTPCacheOptions) -> Bench {
        Bench(options: options) { (_, _) throws(TransportError) in await spring.answer() }
    }

    @Test func `is bounded again when those who joined go their own way`() async throws {
        let door = FetchDoor()
        let spring = Spring([.cacheControl: "no-store"], headDoor: door)
        let bench = Self.bench(spring, HTTPCacheOptions(unreadLimit: 1000))
        let first = Task { try await bench.cache.fetch(request()) }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let second = Task { try await bench.get() }
        // From its lookup on it needs no other task to join.
        #expect(await bench.eventually { bench.store.lookups == 2 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(bench.requests.count == 1)
        door.open()
        let held = try await first.value
        #expect(try await second.value.body.utf8.count == 100_000)
        // A body that is not bounded comes as fast as these.
        for number in 0..<2 { _ = try await bench.get("/\(number)") }
        #expect(spring.taken(of: 0) <= 12)
        #expect(try await held.value.body.bytes().count == 100_000)
    }

    @Test func `is bounded again when it proves too long to be stored`() async throws {
        let spring = Spring([.cacheControl: "max-age=60"])
        let bench = Self.bench(spring, HTTPCacheOptions(fileLimit: 5000, unreadLimit: 1000))
        let held = try await bench.cache.fetch(request())
        let second = Task { try await bench.get() }
        #expect(try await second.value.body.utf8.count == 100_000)
        for number in 0..<2 { _ = try await bench.get("/\(number)") }
        #expect(spring.taken(of: 0) <= 52)
        #expect(try await held.value.body.bytes().count == 100_000)
        #expect(bench.store.all.isEmpty)
    }

    @Test func `is bounded again when the last of those who joined leaves`() async throws {
        let door = FetchDoor()
        let spring = Spring([.cacheControl: "max-age=60"], bodyDoor: door)
        let bench = Self.bench(spring, HTTPCacheOptions(unreadLimit: 1000))
        let held = try await bench.cache.fetch(request())
        let second = Task { try await bench.get() }
        // Two of the first one: before it asks, and when its head has come.
        #expect(await bench.eventually { bench.store.lookups == 3 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(bench.requests.count == 1)
        second.cancel()
        await #expect(throws: HTTPCacheError.self) { _ = try await second.value }
        door.open()
        for number in 0..<2 { _ = try await bench.get("/\(number)") }
        #expect(spring.taken(of: 0) <= 12)
        #expect(try await held.value.body.bytes().count == 100_000)
    }

    @Test func `is bounded when it continues a stored part and is too long to be stored with it`() async throws {
        let spring = Spring([.cacheControl: "max-age=60", .eTag: "\"1\"", .contentRange: "bytes 500-100499/100500"])
        let bench = Bench(options: HTTPCacheOptions(fileLimit: 1000, unreadLimit: 1000)) {
            (request, _) throws(TransportError) in
            if request.headerFields[.range] == "bytes=500-" {
                var answer = await spring.answer()
                answer.head.status = .partialContent
                return answer
            }
            let fields: HTTPFields = [
                .cacheControl: "max-age=60", .eTag: "\"1\"", .contentRange: "bytes 0-499/100500",
            ]
            return TransportResponse(
                status: .partialContent, headers: fields, body: [UInt8](repeating: 7, count: 500))
        }
        _ = try await bench.get("/a", fields: [.range: "bytes=0-499"])
        #expect(bench.store.all.count == 1)
        let held = try await bench.cache.fetch(request("/a", [.range: "bytes=500-"]))
        // A joined request would be answered only when all of the held body has come.
        let second = try await bench.get("/a", fields: [.range: "bytes=500-"])
        #expect(second.body.utf8.count == 100_000)
        #expect(spring.taken(of: 0) <= 12)
        #expect(try await held.value.body.bytes().count == 100_000)
    }

    @Test func `keeps no other request from the server`() async throws {
        let spring = Spring([:])
        let bench = Self.bench(spring, HTTPCacheOptions(concurrentExchanges: 2, unreadLimit: 1000))
        var held: [Fetched<HTTPAnswer>] = []
        for number in 0..<5 {
            let next = Task { try await bench.cache.fetch(request("/\(number)")) }
            let isAnswered = await bench.eventually { bench.requests.count == number + 1 }
            #expect(isAnswered)
            // What waits for ever would be waited for here.
            if !isAnswered { return await bench.cache.close() }
            held.append(try await next.value)
        }
        for fetched in held { #expect(try await fetched.value.body.bytes().count == 100_000) }
        #expect(await bench.eventually { bench.store.all.count == 5 })
    }

    @Test func `is all there is to it: turns are still given to so many at a time`() async throws {
        let door = FetchDoor()
        let bench = Bench(options: HTTPCacheOptions(concurrentExchanges: 2)) { (_, _) throws(TransportError) in
            await door.pass()
            return ok()
        }
        let tasks = (0..<6).map { number in Task { try await bench.get("/\(number)").status } }
        for _ in 0..<5000 { await Task.yield() }
        #expect(bench.requests.count == 2)
        door.open()
        for task in tasks { #expect(try await task.value == 200) }
    }

    @Test func `behind exchanges that hang is not waited for without end`() async throws {
        let door = FetchDoor()
        let timeouts = TransportTimeouts(head: .seconds(10))
        let options = HTTPCacheOptions(concurrentExchanges: 1, timeouts: timeouts)
        let bench = Bench(options: options) { (request, _) throws(TransportError) in
            if request.path == "/hangs" { await door.pass() }
            return ok()
        }
        let hanging = Task { try await bench.get("/hangs") }
        #expect(await bench.eventually { bench.requests.count == 1 })
        let waiting = Task { try await bench.get("/waits") }
        await bench.clock.sleepers(atLeast: 1)
        for _ in 0..<3 {
            bench.clock.advance(by: .seconds(10))
            for _ in 0..<1000 { await Task.yield() }
        }
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await waiting.value }
        #expect(error?.isTimeoutError == true)
        door.open()
        _ = try await hanging.value
        // The turn was not lost.
        #expect(try await bench.get("/later").status == 200)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A body that is let go` {
    private static func bench(_ fields: HTTPFields, _ door: FetchDoor, _ options: HTTPCacheOptions) -> Bench {
        let spring = Spring(fields, bodyDoor: door)
        return Bench(options: options) { (_, _) throws(TransportError) in await spring.answer() }
    }

    @Test(arguments: [true, false])
    func `is stored all the same when it is short`(isAnnounced: Bool) async throws {
        let door = FetchDoor()
        let fields: HTTPFields =
            isAnnounced ? [.cacheControl: "max-age=60", .contentLength: "100000"] : [.cacheControl: "max-age=60"]
        let bench = Self.bench(fields, door, HTTPCacheOptions(unreadLimit: 1000))
        _ = try await bench.cache.fetch(request())
        for _ in 0..<1000 { await Task.yield() }
        door.open()
        #expect(await bench.eventually { bench.store.all.count == 1 })
        #expect(try await bench.get("/a", .cacheOnly).body.utf8.count == 100_000)
        #expect(bench.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `is given up when it is long`(isAnnounced: Bool) async throws {
        let ended = Flag(false)
        let bench = Bench(options: HTTPCacheOptions(unreadLimit: 1000, finishLimit: 5000)) {
            (_, _) throws(TransportError) in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if isAnnounced { fields[.contentLength] = "5001" }
            let body = TransportBody(next: { Spring.chunk }, cancel: { ended.value = true })
            return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
        }
        _ = try await bench.cache.fetch(request())
        #expect(await bench.eventually { ended.value })
        #expect(bench.store.all.isEmpty)
    }

    @Test func `is not stored when the cache is cleared meanwhile`() async throws {
        let door = FetchDoor()
        let bench = Self.bench([.cacheControl: "max-age=60"], door, HTTPCacheOptions(unreadLimit: 1000))
        _ = try await bench.cache.fetch(request())
        door.open()
        try await bench.cache.clear()
        for _ in 0..<2000 { await Task.yield() }
        #expect(bench.store.all.isEmpty)
    }
}

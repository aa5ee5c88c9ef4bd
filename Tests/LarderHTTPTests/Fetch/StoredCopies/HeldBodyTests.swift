// Proves that an unread body costs no more memory than it may, keeps no other request waiting, and is stored.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// A server whose bodies have 1000 chunks of 100 bytes, and that counts what is taken of each.
private final class CountingServer: Sendable {
    static let chunk = [UInt8](repeating: 7, count: 100)

    private let chunkCounts = Mutex<[Int]>([])
    private let fields: HTTPFields
    private let headBarrier: FetchBarrier?
    let bodyBarrier: FetchBarrier?

    init(_ fields: HTTPFields, headBarrier: FetchBarrier? = nil, bodyBarrier: FetchBarrier? = nil) {
        self.fields = fields
        self.headBarrier = headBarrier
        self.bodyBarrier = bodyBarrier
    }

    func chunksRead(of exchange: Int) -> Int {
        chunkCounts.withLock { $0.indices.contains(exchange) ? $0[exchange] : 0 }
    }

    func answer() async -> TransportResponse {
        await headBarrier?.wait()
        let number = chunkCounts.withLock { taken in
            taken.append(0)
            return taken.count - 1
        }
        let body = TransportBody(next: { () async throws(TransportError) in
            let count = self.chunkCounts.withLock { taken in
                taken[number] += 1
                return taken[number]
            }
            if count == 2 { await self.bodyBarrier?.wait() }
            return count <= 1000 ? Self.chunk : nil
        })
        return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A body that is held` {
    private static func makeFixture(_ server: CountingServer, _ options: HTTPCacheOptions) -> CacheFixture {
        CacheFixture(options: options) { (_, _) throws(TransportError) in await server.answer() }
    }

    @Test func `is bounded again when the joined readers separate`() async throws {
        let barrier = FetchBarrier()
        let spring = CountingServer([.cacheControl: "no-store"], headBarrier: barrier)
        let fixture = Self.makeFixture(spring, HTTPCacheOptions(unreadLimit: 1000))
        let first = Task { try await fixture.cache.fetch(request()) }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let second = Task { try await fixture.get() }
        // From its lookup on it needs no other task to join.
        #expect(await fixture.waitUntil { fixture.store.lookups == 2 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(fixture.requests.count == 1)
        barrier.open()
        let held = try await first.value
        #expect(try await second.value.body.utf8.count == 100_000)
        // A body that is not bounded comes as fast as these.
        for number in 0..<2 { _ = try await fixture.get("/\(number)") }
        #expect(spring.chunksRead(of: 0) <= 12)
        #expect(try await held.value.body.bytes().count == 100_000)
    }

    @Test func `is bounded again when it proves too long to be stored`() async throws {
        let spring = CountingServer([.cacheControl: "max-age=60"])
        let fixture = Self.makeFixture(spring, HTTPCacheOptions(fileLimit: 5000, unreadLimit: 1000))
        let held = try await fixture.cache.fetch(request())
        let second = Task { try await fixture.get() }
        #expect(try await second.value.body.utf8.count == 100_000)
        for number in 0..<2 { _ = try await fixture.get("/\(number)") }
        #expect(spring.chunksRead(of: 0) <= 52)
        #expect(try await held.value.body.bytes().count == 100_000)
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `is bounded again when the last of those who joined leaves`() async throws {
        let barrier = FetchBarrier()
        let spring = CountingServer([.cacheControl: "max-age=60"], bodyBarrier: barrier)
        let fixture = Self.makeFixture(spring, HTTPCacheOptions(unreadLimit: 1000))
        let held = try await fixture.cache.fetch(request())
        let second = Task { try await fixture.get() }
        // Two of the first one: before it asks, and when its head has come.
        #expect(await fixture.waitUntil { fixture.store.lookups == 3 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(fixture.requests.count == 1)
        second.cancel()
        await #expect(throws: HTTPCacheError.self) { _ = try await second.value }
        barrier.open()
        for number in 0..<2 { _ = try await fixture.get("/\(number)") }
        #expect(spring.chunksRead(of: 0) <= 12)
        #expect(try await held.value.body.bytes().count == 100_000)
    }

    @Test func `is bounded when it continues a stored part and is too long to be stored with it`() async throws {
        let server = CountingServer([
            .cacheControl: "max-age=60", .eTag: "\"1\"", .contentRange: "bytes 500-100499/100500",
        ])
        let fixture = CacheFixture(options: HTTPCacheOptions(fileLimit: 1000, unreadLimit: 1000)) {
            (request, _) throws(TransportError) in
            if request.headerFields[.range] == "bytes=500-" {
                var answer = await server.answer()
                answer.head.status = .partialContent
                return answer
            }
            let fields: HTTPFields = [
                .cacheControl: "max-age=60", .eTag: "\"1\"", .contentRange: "bytes 0-499/100500",
            ]
            return TransportResponse(
                status: .partialContent, headers: fields, body: [UInt8](repeating: 7, count: 500))
        }
        _ = try await fixture.get("/a", fields: [.range: "bytes=0-499"])
        #expect(fixture.store.all.count == 1)
        let held = try await fixture.cache.fetch(request("/a", [.range: "bytes=500-"]))
        // A joined request would be answered only when all of the held body has come.
        let second = try await fixture.get("/a", fields: [.range: "bytes=500-"])
        #expect(second.body.utf8.count == 100_000)
        #expect(server.chunksRead(of: 0) <= 12)
        #expect(try await held.value.body.bytes().count == 100_000)
    }

    @Test func `blocks no other request to the server`() async throws {
        let server = CountingServer([:])
        let fixture = Self.makeFixture(server, HTTPCacheOptions(concurrentExchanges: 2, unreadLimit: 1000))
        var held: [Fetched<HTTPAnswer>] = []
        for number in 0..<5 {
            let next = Task { try await fixture.cache.fetch(request("/\(number)")) }
            let isAnswered = await fixture.waitUntil { fixture.requests.count == number + 1 }
            #expect(isAnswered)
            // What waits for ever would be waited for here.
            if !isAnswered { return await fixture.cache.close() }
            held.append(try await next.value)
        }
        for fetched in held { #expect(try await fetched.value.body.bytes().count == 100_000) }
        #expect(await fixture.waitUntil { fixture.store.all.count == 5 })
    }

    @Test func `has no other exception: so many requests at a time still get slots`() async throws {
        let barrier = FetchBarrier()
        let fixture = CacheFixture(options: HTTPCacheOptions(concurrentExchanges: 2)) { (_, _) throws(TransportError) in
            await barrier.wait()
            return ok()
        }
        let tasks = (0..<6).map { number in Task { try await fixture.get("/\(number)").status } }
        for _ in 0..<5000 { await Task.yield() }
        #expect(fixture.requests.count == 2)
        barrier.open()
        for task in tasks { #expect(try await task.value == 200) }
    }

    @Test func `behind exchanges that hang is not waited for without end`() async throws {
        let barrier = FetchBarrier()
        let timeouts = TransportTimeouts(head: .seconds(10))
        let options = HTTPCacheOptions(concurrentExchanges: 1, timeouts: timeouts)
        let fixture = CacheFixture(options: options) { (request, _) throws(TransportError) in
            if request.path == "/hangs" { await barrier.wait() }
            return ok()
        }
        let hanging = Task { try await fixture.get("/hangs") }
        #expect(await fixture.waitUntil { fixture.requests.count == 1 })
        let waiting = Task { try await fixture.get("/waits") }
        await fixture.clock.sleepers(atLeast: 1)
        for _ in 0..<3 {
            fixture.clock.advance(by: .seconds(10))
            for _ in 0..<1000 { await Task.yield() }
        }
        let error = await #expect(throws: HTTPCacheError.self) { _ = try await waiting.value }
        #expect(error?.isTimeoutError == true)
        barrier.open()
        _ = try await hanging.value
        // The turn was not lost.
        #expect(try await fixture.get("/later").status == 200)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A body that is dropped` {
    private static func makeFixture(_ fields: HTTPFields, _ barrier: FetchBarrier, _ options: HTTPCacheOptions)
        -> CacheFixture
    {
        let server = CountingServer(fields, bodyBarrier: barrier)
        return CacheFixture(options: options) { (_, _) throws(TransportError) in await server.answer() }
    }

    @Test(arguments: [true, false])
    func `is stored all the same when it is short`(isAnnounced: Bool) async throws {
        let barrier = FetchBarrier()
        let fields: HTTPFields =
            isAnnounced ? [.cacheControl: "max-age=60", .contentLength: "100000"] : [.cacheControl: "max-age=60"]
        let fixture = Self.makeFixture(fields, barrier, HTTPCacheOptions(unreadLimit: 1000))
        _ = try await fixture.cache.fetch(request())
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        #expect(await fixture.waitUntil { fixture.store.all.count == 1 })
        #expect(try await fixture.get("/a", .cacheOnly).body.utf8.count == 100_000)
        #expect(fixture.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `is given up when it is long`(isAnnounced: Bool) async throws {
        let ended = Flag(false)
        let fixture = CacheFixture(options: HTTPCacheOptions(unreadLimit: 1000, finishLimit: 5000)) {
            (_, _) throws(TransportError) in
            var fields: HTTPFields = [.cacheControl: "max-age=60"]
            if isAnnounced { fields[.contentLength] = "5001" }
            let body = TransportBody(next: { CountingServer.chunk }, cancel: { ended.value = true })
            return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
        }
        _ = try await fixture.cache.fetch(request())
        #expect(await fixture.waitUntil { ended.value })
        #expect(fixture.store.all.isEmpty)
    }

    @Test func `is not stored when the cache is cleared meanwhile`() async throws {
        let barrier = FetchBarrier()
        let fixture = Self.makeFixture([.cacheControl: "max-age=60"], barrier, HTTPCacheOptions(unreadLimit: 1000))
        _ = try await fixture.cache.fetch(request())
        barrier.open()
        try await fixture.cache.clear()
        for _ in 0..<2000 { await Task.yield() }
        #expect(fixture.store.all.isEmpty)
    }
}

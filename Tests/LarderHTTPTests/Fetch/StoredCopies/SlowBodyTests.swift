// Proves that slow or endless bodies neither fail other requests nor block them indefinitely.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// A server that sends bodies of one chunk per second under `/slow`, and answers everything else at once.
private final class SlowServer: Sendable {
    private let clock: VirtualClock
    private let fields: Mutex<HTTPFields>
    private let seconds: Int
    private let ends = Mutex(0)

    /// - Parameter seconds: how long each body takes.
    init(_ clock: VirtualClock, _ fields: HTTPFields, seconds: Int) {
        self.clock = clock
        self.fields = Mutex(fields)
        self.seconds = seconds
    }

    /// How many bodies are over, be it before their ends.
    var ended: Int { ends.withLock { $0 } }

    func countEnd() { ends.withLock { $0 += 1 } }

    func set(_ fields: HTTPFields) { self.fields.withLock { $0 = fields } }

    func reply(to request: HTTPRequest) -> TransportResponse {
        guard request.path?.hasPrefix("/slow") ?? false else { return ok([.cacheControl: "no-store"]) }
        let body = SlowBody(server: self, clock: clock, seconds: seconds)
        return TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: fields.withLock { $0 }), body: body.body)
    }
}

private final class SlowBody: Sendable {
    private let server: SlowServer
    private let clock: VirtualClock
    private let left: Mutex<Int>

    init(server: SlowServer, clock: VirtualClock, seconds: Int) {
        self.server = server
        self.clock = clock
        left = Mutex(seconds)
    }

    var body: TransportBody {
        TransportBody(
            next: { () async throws(TransportError) in
                do {
                    try await self.clock.sleep(for: .seconds(1))
                } catch {
                    self.server.countEnd()
                    throw .cancelled
                }
                let left = self.left.withLock { left in
                    left -= 1
                    return left
                }
                if left >= 0 { return Array("tick ".utf8) }
                self.server.countEnd()
                return nil
            }, cancel: { self.server.countEnd() })
    }
}

private final class SlowWorld: Sendable {
    static let endless = 1_000_000

    let clock = VirtualClock()
    let store = ListCache()
    let server: SlowServer
    let cache: HTTPCache

    init(_ fields: HTTPFields, seconds: Int = endless, slots: Int = 1) {
        let server = SlowServer(clock, fields, seconds: seconds)
        self.server = server
        cache = HTTPCache(
            transport: HandlerTransport { (request, _) throws(TransportError) in server.reply(to: request) },
            persistent: store, options: HTTPCacheOptions(concurrentExchanges: slots), services: .virtual(clock))
    }

    func slow(_ number: Int = 0) async throws -> Fetched<HTTPAnswer> {
        try await cache.fetch(request("/slow/\(number)"))
    }

    /// Asks for something else; the flag is set when there is an answer.
    func fetch() -> (task: Task<String, any Error>, isAnswered: Flag) {
        let isAnswered = Flag(false)
        let task = Task { [cache] in
            let body = try await FetchedText(cache.fetch(request("/quick"))).body
            isAnswered.value = true
            return body
        }
        return (task, isAnswered)
    }

    /// Lets tasks run until something is so; false when it does not become so.
    func waitUntil(_ isSo: @Sendable () -> Bool) async -> Bool {
        for _ in 0..<20_000 where !isSo() { await Task.yield() }
        return isSo()
    }

    /// Lets so much time pass, second by second, until something is so; false when it does not become so.
    func within(seconds: Int, _ isSo: @Sendable () -> Bool) async -> Bool {
        for _ in 0..<seconds where !isSo() {
            // Where all has ended, no task sleeps.
            for _ in 0..<500 where clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .seconds(1))
            for _ in 0..<500 where !isSo() { await Task.yield() }
        }
        return await waitUntil(isSo)
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A body that comes slowly` {
    @Test func `does not fail the requests that wait behind it`() async throws {
        let world = SlowWorld([.cacheControl: "no-store", .contentLength: "300"], seconds: 60, slots: 8)
        let slow = (0..<8).map { number in
            Task { try await FetchedText(try await world.slow(number)).body.utf8.count }
        }
        await world.clock.sleepers(atLeast: 8)
        let (waiting, isAnswered) = world.fetch()
        await world.clock.sleepers(atLeast: 9)
        for _ in 0..<59 {
            // At least seven of the bodies, and possibly the request that waits.
            await world.clock.sleepers(atLeast: 8)
            world.clock.advance(by: .seconds(1))
        }
        #expect(await world.within(seconds: 20) { isAnswered.value })
        #expect(try await waiting.value == "hello")
        for task in slow { #expect(try await task.value == 300) }
    }

    @Test func `blocks no other request when it has no end`() async throws {
        let world = SlowWorld([.cacheControl: "no-store"])
        let held = try await world.slow()
        let reading = Task { for try await _ in held.value.body {} }
        await world.clock.sleepers(atLeast: 1)
        let (waiting, isAnswered) = world.fetch()
        #expect(await world.within(seconds: 100) { isAnswered.value })
        #expect(world.server.ended == 0)
        reading.cancel()
        waiting.cancel()
        await world.cache.close()
    }

    @Test func `is given up some time after its reader has left when it has no end`() async throws {
        let world = SlowWorld([.cacheControl: "no-cache"])
        do { _ = try await world.slow() }
        #expect(await world.within(seconds: 100) { world.server.ended == 1 })
        #expect(world.store.all.isEmpty)
        await world.cache.close()
    }

    @Test func `is given up at once when a background validation may not store it`() async throws {
        let world = SlowWorld([.cacheControl: "max-age=60, stale-while-revalidate=600"], seconds: 0)
        let first = Task { try await FetchedText(try await world.slow()).body }
        #expect(await world.within(seconds: 5) { world.server.ended == 1 })
        #expect(try await first.value == "")
        world.clock.advance(by: .seconds(100))
        world.server.set([.cacheControl: "no-store"])
        // The body of the new answer never gets a chunk: the clock stands still.
        #expect(try await world.slow().origin == .cache)
        #expect(await world.waitUntil { world.server.ended == 2 })
        await world.cache.close()
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A stream of events` {
    private static let fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-cache"]

    @Test func `holds no slot and is not stored`() async throws {
        let world = SlowWorld(Self.fields)
        let held = try await world.slow()
        let (waiting, isAnswered) = world.fetch()
        #expect(await world.waitUntil { isAnswered.value })
        #expect(held.storage.word == "endless")
        waiting.cancel()
        await world.cache.close()
    }

    @Test func `ends when its reader leaves`() async throws {
        let world = SlowWorld(Self.fields)
        for number in 0..<8 {
            do { _ = try await world.slow(number) }
            #expect(await world.waitUntil { world.server.ended == number + 1 })
        }
        await world.cache.close()
    }
}

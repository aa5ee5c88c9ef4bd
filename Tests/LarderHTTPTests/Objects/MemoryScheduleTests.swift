// Proves that an in-memory write that the server never accepts fails by the outbox's schedule and blocks only its own object.
import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// The dialect for tests, which may have no request for a path any more.
private final class FailingService: ObjectService {
    struct NoRequest: Error {}

    let refused = Mutex("")
    private let base = ModelService()

    var codec: PayloadCodec { base.codec }
    func path(of query: ObjectQuery) throws -> String { try base.path(of: query) }
    func target(of write: ObjectWrite) throws -> (method: HTTPRequest.Method, path: String) {
        try base.target(of: write)
    }
    func request(_ method: HTTPRequest.Method, _ path: String) throws -> HTTPRequest {
        if refused.withLock({ $0 == path }) { throw NoRequest() }
        return try base.request(method, path)
    }
    func objects(in body: [UInt8], answering query: ObjectQuery) throws -> [ReceivedObject] {
        try base.objects(in: body, answering: query)
    }
}

/// The accounts that were to sign in again.
private final class SignInRecorder: Sendable {
    let accounts = Mutex<[String?]>([])
}

@Suite(.timeLimit(.minutes(5))) struct `A write in memory that the server never accepts` {
    private func enqueue(_ world: ObjectWorld, _ number: Int, _ payload: String) async throws -> UUIDBytes {
        guard case .queued(let id) = try await world.cache.save(user(number), payload: Array(payload.utf8)) else {
            Issue.record("it was not queued")
            return world.store.host.makeID()
        }
        return id
    }

    /// What came to the server of the second object.
    private func others(_ world: ObjectWorld) -> [String] {
        world.server.written.filter { $0.hasPrefix("PUT /User/2") }
    }

    private func fail(_ world: ObjectWorld, _ status: HTTPResponse.Status) {
        world.network.plan(.status(status), times: 999, where: { $0.method == .put && $0.path == "/User/1" })
    }

    @Test(arguments: [HTTPResponse.Status.internalServerError, .requestTimeout, .unauthorized, .forbidden])
    func `fails after as many answers as the outbox allows, and others go on`(status: HTTPResponse.Status) async throws
    {
        let world = try ObjectWorld()
        fail(world, status)
        if status == .forbidden {
            world.network.clearPlans()
            world.network.plan(
                .status(status), .header(.contentType, "text/html"), times: 999,
                where: { $0.method == .put && $0.path == "/User/1" })
        }
        let first = try await enqueue(world, 1, "10")
        for number in 1...4 {
            world.clock.advance(by: .seconds(60))
            _ = try await enqueue(world, 2, "\(number)")
        }
        world.clock.advance(by: .seconds(60))
        guard case .sent = try await world.cache.save(user(2), payload: Array("5".utf8)) else {
            Issue.record("it waits behind one that has failed")
            return
        }
        #expect(others(world) == (1...5).map { "PUT /User/2 \($0)" })
        #expect(world.log.messages(at: .warning).contains { $0.contains("has failed") })
        // It is shown on, and what is about the same object waits behind it.
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
        let second = try await enqueue(world, 1, "11")
        let report = try await world.cache.sendQueued()
        #expect(report.failed.map(\.id) == [first] && report.failed.map(\.status) == [status.code])
        #expect(report.waiting == 2)
        world.network.clearPlans()
        #expect(try await world.cache.sendQueued().sent == [first, second])
    }

    @Test func `fails by answers that came when one was due, and not by a burst`() async throws {
        let world = try ObjectWorld()
        fail(world, .internalServerError)
        _ = try await enqueue(world, 1, "10")
        for _ in 1...20 { #expect(try await world.cache.sendQueued().failed == []) }
        _ = try await enqueue(world, 2, "20")
        // 1, 2, 4 and 8 seconds lie between the five that count.
        for seconds in [1, 2, 4] {
            world.clock.advance(by: .seconds(seconds))
            #expect(try await world.cache.sendQueued().failed == [])
        }
        world.clock.advance(by: .seconds(8))
        #expect(try await world.cache.sendQueued().failed.count == 1)
        #expect(others(world) == ["PUT /User/2 20"])
    }

    @Test(arguments: [HTTPResponse.Status.tooManyRequests, .found])
    func `waits on under an answer that is no failure of it`(status: HTTPResponse.Status) async throws {
        let world = try ObjectWorld()
        fail(world, status)
        _ = try await enqueue(world, 1, "10")
        for _ in 1...9 {
            world.clock.advance(by: .seconds(60))
            #expect(try await world.cache.sendQueued().failed == [])
        }
        _ = try await enqueue(world, 2, "20")
        #expect(others(world) == [])
    }

    @Test func `is sent again when the server has accepted another, and then after minutes`() async throws {
        let world = try ObjectWorld()
        fail(world, .internalServerError)
        _ = try await enqueue(world, 1, "10")
        for _ in 1...5 {
            world.clock.advance(by: .seconds(60))
            _ = try await world.cache.sendQueued()
        }
        func attemptCount() -> Int { world.network.recorded.count { $0.request.path == "/User/1" } }
        let failed = attemptCount()
        func saveOther() async throws { try await world.cache.save(user(2), payload: Array("20".utf8)) }
        try await saveOther()
        #expect(attemptCount() == failed)
        try await saveOther()
        #expect(attemptCount() == failed + 1)
        try await saveOther()
        #expect(attemptCount() == failed + 1)
        world.clock.advance(by: .seconds(300))
        world.network.clearPlans()
        try await saveOther()
        #expect(attemptCount() == failed + 2)
        #expect(try await world.cache.sendQueued() == QueueReport())
    }

    @Test func `has failed at once when there is no request for it`() async throws {
        let (world, service) = (try ObjectWorld(), FailingService())
        let cache = ObjectCache(service: service, transport: world.network, host: .virtual(world.clock))
        world.goOffline()
        for number in 1...2 { try await cache.save(user(number), payload: Array("\(number)0".utf8)) }
        world.goOnline()
        service.refused.withLock { $0 = "/User/1" }
        let report = try await cache.sendQueued()
        #expect(report.failed.map(\.status) == [nil] && report.sent.count == 1)
        service.refused.withLock { $0 = "" }
        #expect(try await cache.sendQueued().sent.count == 1)
        #expect(world.server.written == ["PUT /User/2 20", "PUT /User/1 10"])
    }

    @Test func `has the login renewed when it is answered with 401`() async throws {
        let world = try ObjectWorld()
        let recorder = SignInRecorder()
        var configuration = OutboxConfiguration(base: BaseURL("http://objects.test"))
        configuration.signIn = { account in
            world.network.clearPlans()
            recorder.accounts.withLock { $0.append(account) }
            return true
        }
        let outbox = Outbox(
            store: world.store, transport: world.network, configuration: configuration, account: "ada",
            connectivity: world.connectivity)
        world.cache.configure(
            persistent: ObjectBackend(
                objects: StoreObjectStorage(world.store), files: world.storeFiles, writes: OutboxWriteQueue(outbox)))
        let run = Task { try await outbox.run() }
        for await status in outbox.statuses() where status.isRunning { break }
        fail(world, .unauthorized)
        let id = try await enqueue(world, 1, "10")
        while recorder.accounts.withLock({ $0.isEmpty }) || outbox.authentication != .signedIn("ada") {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(recorder.accounts.withLock { $0 } == ["ada"])
        #expect(try await world.cache.sendQueued().sent == [id])
        run.cancel()
        _ = await run.result
    }

    @Test func `is not sent while the wait of the server, or the account, cannot be read`() async throws {
        let world = try ObjectWorld()
        let queue = HookedQueue(base: OutboxWriteQueue(world.outbox), meanwhile: world.meanwhile)
        world.cache.configure(
            persistent: ObjectBackend(objects: StoreObjectStorage(world.store), files: world.storeFiles, writes: queue))
        queue.isWaitUnreadable.value = true
        let id = try await enqueue(world, 1, "10")
        #expect(try await world.cache.sendQueued().waiting == 1)
        queue.isAuthenticationUnreadable.value = true
        await #expect(throws: HTTPCacheError.self) {
            try await world.cache.save(user(2), payload: Array("20".utf8))
        }
        #expect(world.network.lines == [])
        queue.isWaitUnreadable.value = false
        queue.isAuthenticationUnreadable.value = false
        #expect(try await world.cache.sendQueued().sent == [id])
    }
}

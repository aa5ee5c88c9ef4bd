// Proves that objects share the server's wait (Retry-After) with outbox and sync, and behave as offline during it.
import HTTPTypes
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Objects and the wait of their server` {
    private static let server = "http://objects.test"

    private func world(_ place: ObjectPersistence) throws -> ObjectWorld {
        try ObjectWorld(persistent: place == .persistent ? ["User"] : [])
    }

    private func remainingWait(_ world: ObjectWorld) throws -> Int64? {
        let now = world.clock.wallMilliseconds
        return try world.store.read { view in try view.serverWait(of: Self.server, at: now)?.remaining(at: now) }
    }

    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `that another part of the program recorded has saves wait`(_ place: ObjectPersistence) async throws {
        let world = try world(place)
        let now = world.clock.wallMilliseconds
        try await world.store.write { try $0.setServerWait(of: Self.server, milliseconds: 60_000, at: now) }
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was sent")
            return
        }
        await #expect {
            try await world.cache.save(user(2), payload: Array("20".utf8), strategy: .networkOnly)
        } throws: { ($0 as? HTTPCacheError)?.isNoConnectionError == true }
        #expect(try await world.cache.sendQueued().sent == [])
        #expect(world.network.lines == [])
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "10")
        world.clock.advance(by: .seconds(60))
        if place == .memory {
            #expect(try await world.cache.sendQueued().sent.count == 1)
        } else {
            try await world.sendWaitingWrites()
        }
        #expect(world.server.written == ["PUT /User/1 10"])
    }

    @Test func `are read from what is stored meanwhile`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(1))
        world.server.put("User", "1", "new")
        let now = world.clock.wallMilliseconds
        try await world.store.write { try $0.setServerWait(of: Self.server, milliseconds: 60_000, at: now) }
        let stored = try await world.cache.object(user(1), strategy: .networkElseCache)
        guard case .expiredServedOffline = stored.state else {
            Issue.record("\(stored.state)")
            return
        }
        await #expect {
            try await world.cache.collection(allUsers, strategy: .networkOnly)
        } throws: { ($0 as? HTTPCacheError)?.isNoConnectionError == true }
        #expect(world.network.lines.count == 1)
        world.clock.advance(by: .seconds(60))
        #expect(try await world.cache.object(user(1), strategy: .networkElseCache).number == "new")
    }

    @Test(arguments: [HTTPResponse.Status.tooManyRequests, .serviceUnavailable])
    func `record what a save is answered with, for every part of the program`(_ status: HTTPResponse.Status)
        async throws
    {
        let world = try ObjectWorld(persistent: ["User"])
        world.network.plan(.status(status), .header(.retryAfter, "60")) { $0.method == .put }
        guard case .queued = try await world.cache.save(user(1), payload: Array("10".utf8)) else {
            Issue.record("it was sent")
            return
        }
        #expect(try remainingWait(world) == 60_000)
        // After a restart as well.
        await #expect(throws: HTTPCacheError.self) {
            try await world.restarted().object(user(1), strategy: .networkOnly)
        }
        _ = await world.outbox.drain(within: .seconds(10))
        #expect(world.network.lines == ["PUT /User/1"])
    }

    @Test func `record what a read is answered with, and nothing that is not the server's`() async throws {
        let world = try ObjectWorld()
        let retryAfter = Fault.header(.retryAfter, "60")
        world.network.plan(.status(.serviceUnavailable), retryAfter, .header(.contentType, "text/html")) { _ in true }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1)) }
        world.network.plan(.status(.badGateway), retryAfter) { _ in true }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1)) }
        #expect(try remainingWait(world) == nil)
        world.network.plan(.status(.serviceUnavailable), retryAfter) { _ in true }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.object(user(1)) }
        #expect(try remainingWait(world) == 60_000)
    }
}

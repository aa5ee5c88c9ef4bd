// Proves that object writes wait, survive a relaunch, keep their order and are rolled back when refused.

import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A write without a connection` {
    private func isQueued(_ outcome: WriteOutcome) -> Bool {
        if case .queued = outcome { true } else { false }
    }

    /// §5.2.1.
    @Test func `waits, and is sent as soon as there is a connection, in order and under one key`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        let first = try await world.cache.save(user(1), payload: Array("10".utf8))
        let second = try await world.cache.delete(user(2))
        let third = try await world.cache.save(user(1), payload: Array("11".utf8))
        #expect([first, second, third].allSatisfy(isQueued))
        #expect(try await world.cache.collection(allUsers).numbers == ["11", "3", "4"])
        let stuck = try await world.cache.sendQueued()
        #expect(stuck.waiting == 3)
        world.goOnline()
        let report = try await world.cache.sendQueued()
        #expect(report.sent.count == 3)
        #expect(report.waiting == 0)
        #expect(world.server.written == ["PUT /User/1 10", "DELETE /User/2 ", "PUT /User/1 11"])
        #expect(try keys(world, of: "/User/1").count == 2)
        #expect(try await world.cache.sendQueued() == QueueReport())
        #expect(try world.findings() == [])
    }

    private func keys(_ world: ObjectWorld, of path: String) throws -> Set<String?> {
        let key = try #require(HTTPField.Name("Idempotency-Key"))
        let writes = world.network.recorded.filter { $0.request.method != .get && $0.request.path == path }
        return Set(writes.map { $0.request.headerFields[key] })
    }

    /// §5.2.1.
    @Test func `of a persistent class waits in the outbox, which sends it by itself, in order and under one key`()
        async throws
    {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        let first = try await world.cache.save(user(1), payload: Array("10".utf8))
        let second = try await world.cache.delete(user(2))
        let third = try await world.cache.save(user(1), payload: Array("11".utf8))
        #expect([first, second, third].allSatisfy(isQueued))
        #expect(try await world.cache.collection(allUsers).numbers == ["11", "3", "4"])
        world.goOnline()
        try await world.sendWaitingWrites()
        #expect(world.server.written == ["PUT /User/1 10", "DELETE /User/2 ", "PUT /User/1 11"])
        // The first was tried, in vain, before it was queued: under the same key.
        #expect(try keys(world, of: "/User/1").count == 2)
        #expect(try await world.cache.collection(allUsers).numbers == ["11", "3", "4"])
        #expect(try world.findings() == [])
    }

    @Test func `of a persistent class outlives the program`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        let cache = world.restarted(persistent: ["User"])
        #expect(try await cache.object(user(1)).number == "10")
        world.goOnline()
        try await world.sendWaitingWrites()
        #expect(world.server.written == ["PUT /User/1 10"])
        let outcomes = try world.store.read { view in try view.outboxOutcomes().map(\.outcome) }
        #expect(outcomes == ["accepted"])
    }

    @Test(arguments: [true, false])
    func `of a persistent class that the server may have all the same is not treated as never sent`(
        isLost: Bool
    ) async throws {
        let world = try ObjectWorld(persistent: ["User"])
        let lost = TransportError.connectionLost(reason: "test")
        if isLost {
            world.network.plan(.loseResponse(lost), where: { $0.method != .get })
        } else {
            world.goOffline()
        }
        let queued = try await world.cache.save(user(1), payload: Array("10".utf8))
        #expect(isQueued(queued))
        let entry = try #require(try world.store.read { view in try view.outboxEntries() }.first)
        #expect(entry.delivery.isInDoubt == isLost && entry.delivery.isUntried == !isLost)
        if isLost {
            await #expect(throws: OutboxError.self) { try await world.outbox.cancel(entry.id) }
        } else {
            try await world.outbox.cancel(entry.id)
        }
    }

    @Test(arguments: [(503, false), (429, false), (401, false), (500, false), (502, true), (504, true)])
    func `of a persistent class that the server turned away is in doubt only where it may have it`(
        status: Int, isInDoubt: Bool
    ) async throws {
        let world = try ObjectWorld(persistent: ["User"])
        world.network.plan(.status(.init(code: status)), where: { $0.method != .get })
        #expect(isQueued(try await world.cache.save(user(1), payload: Array("10".utf8))))
        let entry = try #require(try world.store.read { view in try view.outboxEntries() }.first)
        #expect(entry.delivery.isInDoubt == isInDoubt)
    }

    @Test func `of a persistent class is shown over what the server says meanwhile`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        world.server.put("User", "3", "30")
        #expect(try await world.cache.collection(allUsers).numbers == ["10", "2", "30", "4"])
        #expect(try await world.cache.object(user(1)).number == "10")
    }

    @Test func `of a persistent class that the server refuses is rolled back`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await world.cache.delete(user(2))
        #expect(try await world.cache.collection(allUsers).numbers == ["10", "3", "4"])
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), times: 2, where: { $0.method != .get })
        try await world.sendWaitingWrites()
        #expect(world.outbox.status.rejected == 2)
        #expect(try await world.cache.collection(allUsers, strategy: .cacheOnly).numbers == ["1", "2", "3", "4"])
        #expect(try world.findings() == [])
    }

    @Test func `of a persistent class loads what the server made of it`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        // The server rounds, and says so only when asked.
        world.server.set { $0.pages["/User/1"] = "1\t12" }
        let numbers = world.store.values(in: .row(user(1).row)) { view in try view.payload(at: user(1).row) ?? [] }
        try await world.sendWaitingWrites {
            for try await number in numbers where number == Array("12".utf8) { break }
        }
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "12")
    }

    @Test func `of a class in memory that the server refuses is rolled back`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.collection(allUsers)
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await world.cache.save(user(1), payload: Array("11".utf8))
        try await world.cache.delete(user(2))
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.path == "/User/1" })
        world.network.plan(.status(.unprocessableContent), where: { $0.path == "/User/2" })
        #expect(try await world.cache.sendQueued().rejected.count == 2)
        #expect(try await world.cache.collection(allUsers, strategy: .cacheOnly).numbers == ["11", "2", "3", "4"])
    }

    @Test func `of a persistent class is an error where no queue was given`() async throws {
        let world = try ObjectWorld(isConfigured: false)
        let place = ObjectBackend(objects: StoreObjectStorage(world.store), files: world.storeFiles)
        world.cache.configure(persistent: place)
        await #expect {
            try await world.cache.save(user(1), payload: [1], persistence: .persistent)
        } throws: { error in
            guard case .notConfigured? = error as? HTTPCacheError else { return false }
            return true
        }
        #expect(world.network.recorded.isEmpty)
    }

    @Test func `is not overtaken by a later one with a connection`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        try await world.cache.save(user(1), payload: Array("11".utf8))
        #expect(world.server.written == ["PUT /User/1 10", "PUT /User/1 11"])
    }

    @Test func `that the server refuses for good is reported, and the next one goes on`() async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        try await world.cache.save(user(2), payload: Array("20".utf8))
        world.goOnline()
        world.network.plan(.status(.unprocessableContent), where: { $0.path == "/User/1" })
        let report = try await world.cache.sendQueued()
        #expect(report.rejected.map(\.status) == [422])
        #expect(report.sent.count == 1)
        #expect(report.waiting == 0)
    }

    @Test(arguments: [.internalServerError, .unauthorized, .tooManyRequests] as [HTTPResponse.Status])
    func `waits on while the server cannot accept it now`(status: HTTPResponse.Status) async throws {
        let world = try ObjectWorld()
        world.goOffline()
        try await world.cache.save(user(1), payload: Array("10".utf8))
        world.goOnline()
        world.server.set { $0.status = status }
        #expect(try await world.cache.sendQueued().waiting == 1)
        world.server.set { $0.status = nil }
        #expect(try await world.cache.sendQueued().sent.count == 1)
    }

    @Test func `that a server refuses at once changes nothing`() async throws {
        let world = try ObjectWorld()
        _ = try await world.cache.object(user(1))
        world.server.set { $0.status = .unprocessableContent }
        await #expect(throws: HTTPCacheError.self) { try await world.cache.save(user(1), payload: Array("10".utf8)) }
        #expect(try await world.cache.object(user(1), strategy: .cacheOnly).number == "1")
    }
}

@Suite struct `A write with a connection` {
    @Test func `is sent, and stored as it is now`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.collection(allUsers)
        let outcome = try await world.cache.save(user(1), payload: Array("10".utf8))
        guard case .sent(let head) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(head.status == .ok)
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).numbers.first == "10")
        world.goOnline()
        try await world.cache.delete(user(1))
        world.goOffline()
        #expect(try await world.cache.collection(allUsers).value.missing == [user(1)])
    }
}

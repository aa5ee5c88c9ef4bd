// Proves that stored objects of one server are not renewed, replaced or written to by another before the host has decided.
import Larder
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Objects of another server` {
    private func cacheOfOtherServer(_ world: ObjectWorld, isOnline: Bool = true) -> ObjectCache {
        ObjectCache(
            service: ModelService(authority: "other.test"), transport: world.network,
            persistent: .store(world.store, writes: OutboxWriteQueue(world.outbox)),
            classes: [ObjectClass("User", persistence: .persistent)],
            host: .virtual(world.clock), isOnline: { isOnline })
    }

    private func mismatch(_ act: () async throws -> Void) async throws -> ServerMismatch {
        let error = await #expect(throws: HTTPCacheError.self) { try await act() }
        guard case .otherServer(let mismatch)? = error else { throw try #require(error) }
        return mismatch
    }

    @Test func `are shown, and no server is contacted`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.object(user(1))
        let sent = world.network.lines.count
        let cache = cacheOfOtherServer(world)
        let found = try await mismatch { _ = try await cache.object(user(1)) }
        #expect(found.content == .objects)
        #expect(found.stored == "http://objects.test" && found.configured == "http://other.test")
        _ = try await mismatch { _ = try await cache.save(user(1), payload: Array("2".utf8), strategy: .networkOnly) }
        #expect(world.network.lines.count == sent)
        #expect(try await cache.object(user(1), strategy: .cacheOnly).number == "1")
        #expect(try await world.cache.object(user(1)).origin == .revalidated)
    }

    @Test(arguments: [ObjectStrategy.networkElseCache, .cacheOnly])
    func `are not written to without a network either`(strategy: ObjectStrategy) async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.object(user(1))
        let cache = cacheOfOtherServer(world, isOnline: false)
        let found = try await mismatch {
            _ = try await cache.save(user(1), payload: Array("2".utf8), strategy: strategy)
        }
        #expect(found.content == .objects && found.configured == "http://other.test")
        #expect(try world.store.read { view in try view.outboxEntries() } == [])
        #expect(try await cache.object(user(1), strategy: .cacheOnly).number == "1")
        try await world.store.adopt(found)
        guard case .queued = try await cache.save(user(1), payload: Array("2".utf8), strategy: strategy) else {
            throw CancellationError()
        }
    }

    @Test func `are written to without a network where no request can be made yet`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        let cache = ObjectCache(
            service: ModelService(hasToken: false), transport: world.network,
            persistent: .store(world.store, writes: OutboxWriteQueue(world.outbox)),
            classes: [ObjectClass("User", persistence: .persistent)], host: .virtual(world.clock), isOnline: { false })
        guard case .queued = try await cache.save(user(1), payload: Array("2".utf8), strategy: .cacheOnly) else {
            throw CancellationError()
        }
        #expect(try world.store.read { view in try view.outboxEntries().count } == 1)
    }

    @Test func `are renewed once the server is adopted`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.object(user(1))
        let cache = cacheOfOtherServer(world)
        try await world.store.adopt(try await mismatch { _ = try await cache.object(user(1)) })
        #expect(try await cache.object(user(1)).origin == .revalidated)
    }

    @Test func `are none once they are removed`() async throws {
        let world = try ObjectWorld(persistent: ["User"])
        _ = try await world.cache.object(user(1))
        let cache = cacheOfOtherServer(world)
        try await cache.removeAllFromStorage(class: "User")
        #expect(try await cache.object(user(1)).origin == .network)
    }
}

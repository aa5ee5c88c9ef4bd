// Proves that the system's cache of objects sends what waits when the network is back, in memory and in the outbox.
import Larder
import LarderOutbox
import LarderTesting
import LarderTransport
import Testing

@testable import LarderHTTP

@Suite(.timeLimit(.minutes(5))) struct `The system's cache of objects` {
    @Test func `sends the writes that wait in memory when the network is back`() async throws {
        let world = try ObjectWorld()
        let connectivity = ScriptedConnectivity(.offline)
        let cache = ObjectCache.system(
            service: ModelService(), transport: world.network, connectivity: connectivity)
        while cache.isOnline() { await Task.yield() }
        try await cache.save(user(1), payload: Array("10".utf8))
        #expect(world.server.written == [])
        connectivity.set(.online)
        while world.server.written.isEmpty { await Task.yield() }
        #expect(world.server.written == ["PUT /User/1 10"])
    }

    @Test func `stores persistent classes in the store, and their writes in the outbox`() async throws {
        let world = try ObjectWorld()
        let connectivity = ScriptedConnectivity(.offline)
        let cache = ObjectCache.system(
            service: ModelService(), transport: world.network, store: world.store, outbox: world.outbox,
            classes: [ObjectClass("User", persistence: .persistent)], connectivity: connectivity)
        while cache.isOnline() { await Task.yield() }
        try await cache.save(user(1), payload: Array("10".utf8))
        #expect(try world.store.read { view in try view.outboxEntries() }.count == 1)
        try await world.sendWaitingWrites()
        #expect(world.server.written == ["PUT /User/1 10"])
    }
}

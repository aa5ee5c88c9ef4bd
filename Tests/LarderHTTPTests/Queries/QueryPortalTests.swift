// Proves that a captive portal's page, answered with 200, replaces neither a query's value nor the response beneath it.
import Larder
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A query over the HTTP cache` {
    private let world = QueryWorld()

    private func fetch(_ cache: QueryCache, _ stored: StoredCopyWorld) async throws -> String {
        let options = KeyedQueryOptions(mode: .always, staleAfter: .seconds(60))
        return try await cache.value(for: ["word"], options: options) { try await stored.value(.networkElseCache) }
            .value
    }

    @Test func `keeps its value, across a relaunch too, when a captive portal answers in the server's place`()
        async throws
    {
        let store = try world.openStore()
        let stored = StoredCopyWorld(StoreResponseCache(store: store), clock: world.clock)
        let persistence = QueryCache.Persistence(store: store, coder: JSONPayloadCoder()) { _ in true }
        let cache = world.cache(persistence)
        #expect(try await fetch(cache, stored) == StoredCopyWorld.good)
        stored.server.set(ok([.contentType: "text/html", .cacheControl: "max-age=600"], "<html>Sign in</html>"))
        stored.clock.advance(by: .seconds(100))
        for program in [cache, world.cache(persistence)] {
            await #expect(throws: HTTPCacheError.self) { _ = try await fetch(program, stored) }
            #expect(await program.peek(String.self, for: ["word"]) == StoredCopyWorld.good)
        }
        #expect(try await stored.value(.cacheOnly) == StoredCopyWorld.good)
    }
}

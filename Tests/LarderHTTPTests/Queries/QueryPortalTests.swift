// Proves that a captive portal's page, answered with 200, replaces neither a query's value nor the response beneath it.
import Larder
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A query over the HTTP cache` {
    private let world = QueryWorld()

    private func ask(_ cache: QueryCache, _ kept: KeptWorld) async throws -> String {
        let options = KeyedQueryOptions(mode: .always, staleAfter: .seconds(60))
        return try await cache.value(for: ["word"], options: options) { try await kept.value(.networkElseCache) }.value
    }

    @Test func `keeps its value, across a relaunch too, when a captive portal answers in the server's place`()
        async throws
    {
        let store = try world.openStore()
        let kept = KeptWorld(StoreResponseCache(store: store), clock: world.clock)
        let persistence = QueryCache.Persistence(store: store, coder: JSONPayloadCoder()) { _ in true }
        let cache = world.cache(persistence)
        #expect(try await ask(cache, kept) == KeptWorld.good)
        kept.server.set(ok([.contentType: "text/html", .cacheControl: "max-age=600"], "<html>Sign in</html>"))
        kept.clock.advance(by: .seconds(100))
        for program in [cache, world.cache(persistence)] {
            await #expect(throws: HTTPCacheError.self) { _ = try await ask(program, kept) }
            #expect(await program.peek(String.self, for: ["word"]) == KeptWorld.good)
        }
        #expect(try await kept.value(.cacheOnly) == KeptWorld.good)
    }
}

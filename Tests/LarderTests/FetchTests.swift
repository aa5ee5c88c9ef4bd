// Proves that a stored response is used offline, and that its explanation says so.

import Larder
import LarderServer
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A text over HTTP` {
    @Test func `comes from the cache without a network, and says how old it is`() async throws {
        let world = World()
        world.transport.on(.get, "/headlines").answer(
            200, "all quiet", [.cacheControl: "max-age=60", .contentType: "text/plain"])
        let cache = try await world.open()
        let first = try await cache.text("http://words.test/headlines")
        #expect(first.value == "all quiet" && first.explanation.hasPrefix("from the server: "))
        world.clock.advance(by: .seconds(3 * 3600))
        world.transport.plan(.fail(.noConnection(reason: "no network")), times: 9) { _ in true }
        let second = try await cache.text("http://words.test/headlines", .staleIfOffline)
        #expect(
            second.value == "all quiet" && second.explanation == "from the cache, 3 h old: the server cannot be reached"
        )
        try await cache.close()
    }
}

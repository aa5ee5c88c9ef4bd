// ArticleServer: the servers, the network and the clock that the code of the articles runs against, in the test's process.

import Foundation
import Larder
import LarderServer
import LarderTesting

/// A content server in the test's process, and a scripted server for everything else, in virtual time.
struct ArticleServer {
    let clock = VirtualClock()
    let network = ScriptedConnectivity()
    let secrets = MemorySecretStore()
    let location = CacheLocation.temporary()
    let origin: Origin
    let transport: ScriptedTransport

    /// Creates a server that publishes ten verses as `translations/10`, and no notes.
    init() throws {
        origin = Origin(secret: TokenSecret(1, 2), now: { [clock] in clock.wallMilliseconds })
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
        try origin.createResource(.init("translations", 10), rows: (1000..<1010).map { Self.verse($0) })
        try origin.createResource(.init("notes", 1))
    }

    var services: CacheServices { .scripted(transport, clock: clock, connectivity: network, secrets: secrets) }

    /// Returns a verse as the server publishes it.
    static func verse(_ id: Int, _ text: String = "river dawn") -> Origin.Row {
        Origin.Row(
            type: "translation", key: "\(id)", #"{"id":\#(id),"verse_key":"26:\#(id - 850)","text":"\#(text)"}"#)
    }

    /// Opens the cache of the articles.
    func open(
        rows: [any CachedRow.Type] = [GettingStarted.Verse.self, GettingStarted.Note.self], hasAccounts: Bool = false
    ) async throws -> ContentCache {
        var options = CacheOptions()
        options.hasAccounts = hasAccounts
        return try await ContentCache.open(
            location, content: "https://api.example.org/content", writes: "https://api.example.org", rows: rows,
            services: services, options: options)
    }

    /// Runs `body` while the cache runs, then closes it and removes its directory.
    func running(_ cache: ContentCache, _ body: () async throws -> Void) async throws {
        let run = Task { try await cache.run() }
        var failure: (any Error)?
        do { try await body() } catch { failure = error }
        run.cancel()
        _ = await run.result
        try await close(cache)
        if let failure { throw failure }
    }

    /// Closes the cache and removes its directory.
    func close(_ cache: ContentCache) async throws {
        try await cache.close()
        try? FileManager.default.removeItem(atPath: location.path)
    }

    /// The bodies of the requests of this method, in their order.
    func bodies(_ method: HTTPRequest.Method) -> [String] {
        transport.recorded.filter { $0.request.method == method }.map { String(decoding: $0.body ?? [], as: UTF8.self) }
    }
}

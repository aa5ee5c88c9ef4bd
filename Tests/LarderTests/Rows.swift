// Rows: the rows and the opened cache of the tests of the surface.

import Larder
import LarderServer
import LarderTesting

struct Verse: CachedRow, Equatable {
    static let schema = RowSchema("translation", in: .group("translations"), index: "verse_key", search: "text")
    let id: Int, verse_key: String, text: String

    var json: String { #"{"id":\#(id),"verse_key":"\#(verse_key)","text":"\#(text)"}"# }
}

struct Note: LocalRow, Equatable {
    static let schema = RowSchema("note", in: .resource("notes/1"))
    var id: String, text: String
}

/// A cache over an origin in the same process, with virtual time and a scripted server for writes.
struct World {
    let clock = VirtualClock()
    let network = ScriptedConnectivity()
    let origin: Origin
    let transport: ScriptedTransport
    let location = CacheLocation.temporary()

    init() {
        origin = Origin(secret: TokenSecret(1, 2), now: { [clock] in clock.wallMilliseconds })
        transport = ScriptedTransport(OriginTransport(origin), clock: clock)
    }

    /// A cache of these options; without any, writes are anonymous.
    func open(
        content: BaseURL = "http://words.test/content", rows: [any CachedRow.Type] = [Verse.self, Note.self],
        options: CacheOptions? = nil, transport: (any Transport)? = nil, services: CacheServices? = nil
    ) async throws -> ContentCache {
        var anonymous = CacheOptions()
        anonymous.hasAccounts = false
        return try await ContentCache.open(
            location, content: content, writes: "http://words.test", rows: rows,
            services: services ?? .scripted(transport ?? self.transport, clock: clock, connectivity: network),
            options: options ?? anonymous)
    }

    /// Publishes verses numbered from 1000 on as `translations/id`.
    func publish(_ id: Int64, count: Int = 20) throws {
        let verses = (0..<count).map { Verse(id: 1000 + $0, verse_key: "26:\(150 + $0)", text: "word \($0) river") }
        _ = try origin.createResource(
            .init("translations", id),
            rows: verses.map { Origin.Row(type: "translation", key: "\($0.id)", $0.json) })
    }

    /// Runs `body` while the cache runs, and closes it.
    func running(_ cache: ContentCache, _ body: () async throws -> Void) async throws {
        let run = Task { try await cache.run() }
        do {
            try await body()
        } catch {
            run.cancel()
            _ = await run.result
            throw error
        }
        run.cancel()
        _ = await run.result
        try await cache.close()
    }

    /// Keeps a filter until it is ready.
    func keep(_ filter: ResourceFilter, in cache: ContentCache) async -> [KeepProgress] {
        var seen: [KeepProgress] = []
        for await progress in cache.keep(filter) { seen.append(progress) }
        return seen
    }
}

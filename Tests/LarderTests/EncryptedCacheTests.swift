// Proves that an app with an encrypted store syncs, fetches, writes and searches, and leaves no word of it in a file.

#if Encryption && Server
import Foundation
import HTTPOrigin
import HTTPTypes
import Larder
import LarderEncryption
import LarderHTTP
import LarderOutbox
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import LarderURLSession
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `A content cache with encryption` {
    /// Sends requests for the loopback to a real server, and all others to the scripted one.
    private struct Routed: Transport {
        let scripted: any Transport
        let real = URLSessionTransport()

        func send(
            _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
        ) async throws(TransportError) -> TransportResponse {
            let isReal = request.authority?.hasPrefix("127.0.0.1") == true
            return try await (isReal ? real : scripted).send(request, body: body, timeouts: timeouts)
        }
    }

    private let resource = ResourceKey("translations", 10)
    /// Payloads and searched words of the snapshot and of the change, account, session, response, write.
    private let secrets = [
        "river", "brook", "canary-account", "canary-value", "canary-page", "canary-query", "canary-tag", "canary-field",
        "canary-body", "canary-note", "canary-endpoint",
    ]
    /// What no store has.
    private let credential = "canary-credential"

    @Test(arguments: [true, false])
    func `does all that a plain one does, and no byte of its files shows any of it`(isEncrypted: Bool) async throws {
        let world = World()
        try world.publish(10)
        let pages = HTTPOrigin()
        var page = OriginPage("canary-body", etag: "\"canary-tag\"", cacheControl: "max-age=60")
        page.headers.append((name: "X-Canary", value: "canary-field"))
        pages["/canary-page"] = page
        world.transport.on(.put, "/canary-endpoint/*").answer(200)
        var options = CacheOptions()
        if isEncrypted { options.store.encryption = .aes256(.random()) }
        options.credentials = FixedCredentials([.authorization: "Bearer \(credential)"])
        let cache = try await world.open(options: options, transport: Routed(scripted: world.transport))
        try await cache.session.signIn(as: "canary-account")
        try await cache.session.setValues([.plain("name", "canary-value")])
        let found = try await pages.serve { address in
            var found: Set<String> = []
            try await world.running(cache) {
                let tokens = try await sync(cache, world)
                try await fetch(cache, world, pages, address)
                try await write(cache, world) { found.formUnion(try words(secrets + tokens, in: world.location.path)) }
                #expect(try cache.store.verify { _ in }.findings == 0)
                found.formUnion(try words(secrets + tokens + [credential], in: world.location.path))
                let missing = Set(secrets + tokens.suffix(1)).subtracting(found)
                #expect(isEncrypted ? found.isEmpty : missing.isEmpty, "\(isEncrypted ? found : missing)")
            }
            return try found.union(words(secrets + [credential], in: world.location.path))
        }
        #expect(found.isEmpty == isEncrypted && !found.contains(credential))
        let names = try FileManager.default.contentsOfDirectory(atPath: world.location.path)
        #expect(names.contains { $0.hasPrefix("search.sqlite") } == !isEncrypted)
    }

    /// A snapshot, then a change since its token; returns both tokens.
    private func sync(_ cache: ContentCache, _ world: World) async throws -> [String] {
        func token() throws -> String {
            try #require(cache.store.read { view in try view.filters() }.first?.token)
        }
        _ = await world.keep("translations:10", in: cache)
        #expect(try cache.rows(Verse.self, in: "translations/10").count == 20)
        #expect(try cache.search(Verse.self, "river").count == 20)
        let first = try token()
        let snapshots = world.transport.recorded.count { $0.request.path?.contains("/sync?") == false }
        let changed = Verse(id: 1003, verse_key: "26:153", text: "word 3 brook")
        _ = try world.origin.putRow(
            Origin.Row(type: "translation", key: "1003", changed.json), in: .init("translations", 10))
        cache.content?.trigger(.manual(nil))
        try await world.clock.wait(for: "the change and its token") {
            try cache.row(Verse.self, 1003, in: "translations/10") == changed && token() != first
        }
        #expect(world.transport.recorded.count { $0.request.path?.contains("/sync?") == false } == snapshots)
        #expect(try cache.search(Verse.self, "brook").map(\.row.id) == [1003])
        #expect(try cache.rows(Verse.self, where: "verse_key = \("26:153")").map(\.text) == ["word 3 brook"])
        return [first, try token()]
    }

    /// A response from the server, from the file, and from the file after the server has confirmed it.
    private func fetch(_ cache: ContentCache, _ world: World, _ pages: HTTPOrigin, _ address: String) async throws {
        let request = try #require(FetchRequest("\(address)/canary-page?canary-query"))
        for origin in [AnswerOrigin.network, .cache, .revalidated] {
            if origin == .revalidated { world.clock.advance(by: .seconds(61)) }
            let answer = try await cache.http.fetch(request)
            #expect(answer.origin == origin)
            #expect(String(decoding: try await answer.value.body.bytes(), as: UTF8.self) == "canary-body")
        }
        #expect(pages.count("/canary-page") == 2)
        #expect(pages.requests.last?["if-none-match"] == "\"canary-tag\"")
    }

    /// A write that is made offline, then sent and acknowledged; `waiting` runs while it waits.
    private func write(_ cache: ContentCache, _ world: World, waiting: () throws -> Void) async throws {
        world.network.set(.offline)
        let note = Note(id: "9", text: "canary-note")
        let sent = try await cache.put(note, to: "/canary-endpoint/9")
        #expect(try cache.rows(Note.self) == [note] && cache.isPending(note))
        try waiting()
        world.network.set(.online)
        try await world.clock.wait(for: "the note to be sent") { !cache.isPending(note) }
        #expect(try await sent.outcome == .accepted)
        #expect(world.transport.recorded.contains { $0.request.path == "/canary-endpoint/9" })
    }

    /// The words that some file beneath `path` has in any of its bytes.
    private func words(_ words: [String], in path: String) throws -> Set<String> {
        var found: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let file = URL(fileURLWithPath: path + "/" + name)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            let data = try Data(contentsOf: file)
            found.formUnion(words.filter { data.range(of: Data($0.utf8)) != nil })
        }
        return found
    }
}
#endif

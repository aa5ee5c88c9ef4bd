// Proves that the README's code compiles, runs and does what the README says.

#if Server && AsyncHTTPClient
import Foundation
import HTTPOrigin
import Hummingbird
import Larder
import HTTPTypes
import LarderHTTP
import LarderStore
import LarderAsyncHTTPClient
import LarderServer
import Synchronization
import Testing

@Suite struct `The README` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: ["FirstScreen", "InStep", "Fetching", "Queries", "Writing", "TestingOffline"])
    func `shows code that compiles`(file: String) throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Tests/ReadmeTests/\(file).swift"), encoding: .utf8)
        let compiled = try #require(Self.text(in: source, from: "// README begins\n", to: "// README ends"))
        #expect(readme.contains("```swift\n\(compiled)```\n"))
    }

    @Test func `shows code that keeps filters synced`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
        let row = Origin.Row(type: "translation", key: "1", #"{"id":1,"text":"words"}"#)
        _ = try origin.createResource(Origin.ResourceID("translations", 19), rows: [row])
        let store = try Store.open(at: path)
        try await OriginServer.run(origin) { baseURL in
            let base = try #require(BaseURL(baseURL))
            let host = Task { try await keepInStep(store: store, base: base, headers: [:]) }
            for try await isReady in store.values(
                in: .everything, { view in try view.readiness(of: "translations:19,20")?.isComplete == true })
            where isReady { break }
            host.cancel()
            _ = await host.result
        }
        try store.close()
    }

    @Test func `shows code that fetches through the cache`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let origin = HTTPOrigin()
        origin["/news"] = OriginPage("news", etag: "\"v1\"", cacheControl: "max-age=60")
        let store = try Store.open(at: path)
        try await origin.serve { address in try await readTheNews(store: store, address: "\(address)/news") }
        // Once for the first fetch, and once to confirm it.
        #expect(origin.count("/news") == 2)
        try store.close()
    }

    @Test func `shows a first screen that runs against a server`() async throws {
        let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
        let verses = (1000...1009).map { number in
            Origin.Row(
                type: "translation", key: "\(number)",
                #"{"id":\#(number),"verse_key":"26:\#(number - 850)","text":"river dawn \#(number)"}"#)
        }
        _ = try origin.createResource(Origin.ResourceID("translations", 10), rows: verses)
        let notes = Origin.ResourceID("notes", 1)
        _ = try origin.createResource(notes)
        let router = Router()
        router.add(middleware: ContentSyncMiddleware(origin))
        router.get("news") { _, _ in "all quiet" }
        router.put("notes/:id") { request, context in
            let id = try context.parameters.require("id")
            let body = try await request.body.collect(upTo: 65_536)
            _ = try origin.putRow(Origin.Row(.init("note", id), body: Array(buffer: body)), in: notes)
            return Response(status: .ok)
        }
        let location = CacheLocation.temporary()
        defer { try? FileManager.default.removeItem(atPath: location.path) }
        try await router.serve { address in
            let (api, content) = (try #require(BaseURL(address)), try #require(BaseURL(address + "/content")))
            try await readTheVerses(in: location, api: api, content: content)
        }
        let stored = try #require(origin.rows(of: notes)?.first)
        #expect(String(decoding: stored.body, as: UTF8.self).hasSuffix(#""id":"9","text":"buy bread"}"#))
        let store = try Store.open(at: location.path)
        defer { try? store.close() }
        #expect(try store.read { view in try view.resource("translations/10")?.rowCount } == 10)
    }

    @Test func `shows a loader of images on its own page`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/images.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Tests/ReadmeTests/Images.swift"), encoding: .utf8)
        let compiled = try #require(Self.text(in: source, from: "// Page begins\n", to: "// Page ends"))
        #expect(page.contains("```swift\n\(compiled)```\n"))
    }

    @Test func `shows a loader of images that rejects a portal's page and works without a server`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let image = Data([0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 7, count: 100_000))
        let origin = HTTPOrigin()
        origin["/a.png"] = OriginPage([UInt8](image), etag: "\"v1\"", cacheControl: "max-age=0")
        let store = try Store.open(at: path)
        let cache = HTTPCache.system(store: store, transport: AsyncHTTPClientTransport())
        let images = CachedImages(cache: cache)
        let address = Mutex("")
        try await origin.serve { base in
            let url = "\(base)/a.png"
            address.withLock { $0 = url }
            #expect(try await images.data(at: url) == image)
            var pieces = Data()
            try await images.pieces(at: url) { pieces.append($0) }
            #expect(pieces == image)
            origin["/a.png"] = OriginPage("<html>Sign in</html>", cacheControl: "max-age=600")
            await #expect(throws: HTTPCacheError.self) { try await images.data(at: url) }
        }
        #expect(try await images.data(at: address.withLock { $0 }) == image)
        try await images.removeAll()
        await #expect(throws: HTTPCacheError.self) { try await images.data(at: address.withLock { $0 }) }
        await cache.close()
        try store.close()
    }

    private static func text(in whole: String, from start: String, to end: String) -> String? {
        guard let opening = whole.firstRange(of: start) else { return nil }
        let rest = whole[opening.upperBound...]
        guard let closing = rest.firstRange(of: end) else { return nil }
        return String(rest[..<closing.lowerBound])
    }
}
#endif

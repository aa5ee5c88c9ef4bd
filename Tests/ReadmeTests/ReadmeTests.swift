#if Server && AsyncHTTPClient
import Foundation
import HTTPOrigin
import Larder
import LarderServer
import Testing

@Suite struct `The README` {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: ["FirstScreen", "InStep", "Fetching", "Writing"])
    func `shows code that compiles`(file: String) throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Self.root.appending(path: "Tests/ReadmeTests/\(file).swift"), encoding: .utf8)
        let compiled = try #require(Self.text(in: source, from: "// README begins\n", to: "// README ends"))
        #expect(readme.contains("```swift\n\(compiled)```\n"))
    }

    @Test func `shows code that keeps filters in step`() async throws {
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

    @Test func `shows code that syncs, reads and observes`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let origin = Origin(secret: TokenSecret(1, 2), now: { 1_700_000_000_000 })
        let row = Origin.Row(type: "translation", key: "85108", #"{"id":85108,"text":"words"}"#)
        _ = try origin.createResource(Origin.ResourceID("translations", 19), rows: [row])
        try await OriginServer.run(origin) { baseURL in
            let base = try #require(BaseURL(baseURL))
            let reader = Task { try await readTheVerses(path: path, base: base, headers: [:]) }
            // Observing goes on until it is cancelled; by then the rows are in the file.
            let store = try Store.open(at: path)
            for try await isThere in store.values(
                in: .everything,
                { view in
                    try !view.rows(in: .all(of: ResourceKey("translations", 19))).isEmpty
                }) where isThere
            { break }
            reader.cancel()
            _ = await reader.result
            try store.close()
        }
    }

    private static func text(in whole: String, from start: String, to end: String) -> String? {
        guard let opening = whole.firstRange(of: start) else { return nil }
        let rest = whole[opening.upperBound...]
        guard let closing = rest.firstRange(of: end) else { return nil }
        return String(rest[..<closing.lowerBound])
    }
}
#endif

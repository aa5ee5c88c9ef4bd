// Proves what the article on URLCache says: strategies, cache policies, and bodies that are not stored.

import Foundation
import HTTPTypes
import Larder
import LarderHTTP
import LarderTesting
import LarderURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct MigratingFromURLCacheCode {
    struct Article: Codable, Equatable {
        let id: Int, title: String
    }

    // block begins
    func headlines(from cache: ContentCache) async throws -> String {
        let page = try await cache.text("https://api.example.org/headlines", .staleIfOffline)
        return "\(page.value) (\(page.explanation))"
    }
    // block ends

    // block begins
    func data(for request: URLRequest, from cache: ContentCache) async throws -> Data {
        guard let fetch = FetchRequest(request) else { throw URLError(.unsupportedURL) }
        return Data(try await cache.data(for: fetch, SingleAnswerStrategy(request.cachePolicy)).value)
    }
    // block ends

    // block begins
    func articles(from cache: ContentCache) async throws -> [Article] {
        guard let request = FetchRequest("https://api.example.org/articles") else { return [] }
        return try await cache.http.value(of: request, .staleIfOffline) { bytes in
            try JSONDecoder().decode([Article].self, from: Data(bytes))  // what throws here is not stored
        }.value
    }
    // block ends
}

@Suite(.timeLimit(.minutes(2))) struct `The article on moving from URLCache` {
    private let code = MigratingFromURLCacheCode()
    private let clock = VirtualClock()
    private let transport: ScriptedTransport

    init() { transport = ScriptedTransport(clock: clock) }

    private func open() async throws -> ContentCache {
        try await ContentCache.open(.temporary(), services: .scripted(transport, clock: clock))
    }

    private func cutNetwork() {
        transport.plan(.fail(.noConnection(reason: "no network")), times: 9) { _ in true }
    }

    @Test func `shows a text that is used offline and says why`() async throws {
        transport.on(.get, "/headlines").answer(
            200, "all quiet", [.cacheControl: "max-age=60", .contentType: "text/plain"])
        let cache = try await open()
        #expect(try await code.headlines(from: cache).hasPrefix("all quiet (from the server"))
        clock.advance(by: .seconds(3 * 3600))
        cutNetwork()
        let offline = try await code.headlines(from: cache)
        #expect(offline == "all quiet (from the cache, 3 h old: the server cannot be reached)")
        try await cache.close()
    }

    @Test func `shows a request that keeps its cache policy`() async throws {
        transport.on(.get, "/headlines").answer(
            200, "all quiet", [.cacheControl: "max-age=60", .contentType: "text/plain"])
        let cache = try await open()
        let url = try #require(URL(string: "https://api.example.org/headlines"))
        let stored = URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad)
        await #expect(throws: HTTPCacheError.self) { try await code.data(for: stored, from: cache) }
        #expect(try await code.data(for: URLRequest(url: url), from: cache) == Data("all quiet".utf8))
        #expect(try await code.data(for: stored, from: cache) == Data("all quiet".utf8))
        #expect(transport.lines == ["GET /headlines"])
        try await cache.http.clear()
        await #expect(throws: HTTPCacheError.self) { try await code.data(for: stored, from: cache) }
        try await cache.close()
    }

    @Test func `shows a check that keeps a portal's page out of the cache`() async throws {
        let page: HTTPFields = [.contentType: "text/html", .cacheControl: "max-age=600"]
        transport.on(.get, "/articles").answer(200, #"[{"id":1,"title":"One"}]"#, [.cacheControl: "max-age=0"])
            .then(200, "<html>Sign in</html>", page)
        let cache = try await open()
        let first = MigratingFromURLCacheCode.Article(id: 1, title: "One")
        #expect(try await code.articles(from: cache) == [first])
        await #expect(throws: HTTPCacheError.self) { try await code.articles(from: cache) }
        cutNetwork()
        #expect(try await code.articles(from: cache) == [first])
        try await cache.close()
    }
}

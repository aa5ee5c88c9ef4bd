import Foundation
import HTTPTypes
import Larder
import LarderHTTP
import LarderStore
import LarderTransport

/// A line of the front page.
struct Headline: Codable, Hashable, Sendable {
    let number: Int
    let title: String
}

/// An article.
struct Article: Codable, Hashable, Sendable {
    let title: String
    let text: String
}

/// News that were read once, or downloaded, can be read again without a network.
///
/// The reader is all of the app but its lines on the terminal, and is tested as it is.
struct NewsReader: Sendable {
    static let defaultServer = "http://127.0.0.1:8090"
    /// The tag of all stored articles and images.
    private static let articles = "articles"

    private let cache: ContentCache
    private let server: BaseURL

    /// Opens the reader in a directory.
    init(in location: CacheLocation, server: BaseURL, services: CacheServices) async throws {
        cache = try await ContentCache.open(location, services: services)
        self.server = server
    }

    /// Returns the front page: a stored one while it is fresh, and of any age where the server cannot be reached.
    ///
    /// A page that does not decode, such as that of a hotel's network, does not replace the stored one.
    func frontPage() async throws(HTTPCacheError) -> Fetched<[Headline]> {
        try await value(at: "/front.json")
    }

    /// Returns an article.
    func article(_ number: Int) async throws(HTTPCacheError) -> Fetched<Article> {
        try await value(at: "/articles/\(number)")
    }

    /// Returns the bytes of an article's image.
    func image(_ number: Int) async throws(HTTPCacheError) -> Fetched<[UInt8]> {
        try await cache.data(for: request("/images/\(number)"), .staleIfOffline)
    }

    /// Returns how long ago an article was received, without asking the server; nil where it is not stored.
    func storedAge(of headline: Headline) async -> String? {
        let path = "/articles/\(headline.number)"
        guard let stored = try? await cache.http.fetch(request(path), .cacheOnly), let age = stored.age else {
            return nil
        }
        return age < .seconds(1) ? "now" : "\(age.formatted(.units(width: .narrow, maximumUnitCount: 1))) ago"
    }

    /// Stores all articles and images of the front page; eviction leaves them alone.
    ///
    /// - Returns: the numbers of responses that were received and that were stored already, and the failures by path.
    func download() async throws -> (
        received: Int, fresh: Int, failures: [(path: String, error: String)]
    ) {
        let paths = try await frontPage().value.flatMap { ["/articles/\($0.number)", "/images/\($0.number)"] }
        var result = (received: 0, fresh: 0, failures: [(path: String, error: String)]())
        for (path, outcome) in zip(paths, await cache.http.prefetch(paths.map { request($0) })) {
            switch outcome {
            case .stored: result.received += 1
            case .fresh: result.fresh += 1
            case .notStored(let reason): result.failures.append((path, reason.sentence))
            case .failed(let error): result.failures.append((path, "\(error)"))
            }
            // Also what was stored before; a request with `isPinned` pins only what it receives.
            _ = try await cache.store.pinResponses(forKey: "\(server)\(path)")
        }
        return result
    }

    /// Removes all stored articles and images, and returns their number.
    func forget() async throws -> Int { try await cache.http.remove(.tag(Self.articles)) }

    /// Closes the reader.
    func close() async throws { try await cache.close() }

    private func value<Value: Decodable & Sendable>(at path: String) async throws(HTTPCacheError) -> Fetched<Value> {
        try await cache.http.value(of: request(path), .staleIfOffline) { bytes in
            try JSONDecoder().decode(Value.self, from: Data(bytes))
        }
    }

    private func request(_ path: String) -> FetchRequest {
        var request = FetchRequest(server.request(appending: path))
        if path != "/front.json" { request.tags = [Self.articles] }
        return request
    }
}

/// A transport as there is without a network: nothing is sent.
struct NoNetwork: Transport {
    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        throw .noConnection(reason: "it is switched off")
    }
}

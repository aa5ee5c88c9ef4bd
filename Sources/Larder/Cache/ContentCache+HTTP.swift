public import LarderHTTP

extension ContentCache {
    /// Returns the text at an address, from the cache or the server.
    ///
    /// ```swift
    /// let page = try await cache.text("https://api.example.org/headlines", .staleIfOffline)
    /// print(page.value, page.explanation)
    /// ```
    ///
    /// - Parameters:
    ///   - address: An absolute http or https address. The cache's credentials are not sent to it: a request that needs
    ///     fields is a `FetchRequest` for ``data(for:_:)``.
    ///   - strategy: When a stored response is used.
    /// - Throws: `HTTPCacheError`: `HTTPCacheError.server(_:)` for every status but success,
    ///   `HTTPCacheError.parse(_:)` for a body that is not UTF-8, `HTTPCacheError.invalidRequest(_:)` for a text
    ///   that is no such address; otherwise as `HTTPCache.value(of:_:upTo:decoding:)`.
    public func text(
        _ address: String, _ strategy: SingleAnswerStrategy = .standard
    ) async throws(HTTPCacheError) -> Fetched<String> {
        guard let request = FetchRequest(address) else { throw .invalidRequest("\(address) is no http address") }
        return try await http.value(of: request, strategy) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { throw NotText() }
            return text
        }
    }

    /// Returns the bytes of a response, from the cache or the server.
    ///
    /// - Throws: `HTTPCacheError.server(_:)` for every status but success; otherwise as
    ///   `HTTPCache.value(of:_:upTo:decoding:)`.
    public func data(
        for request: FetchRequest, _ strategy: SingleAnswerStrategy = .standard
    ) async throws(HTTPCacheError) -> Fetched<[UInt8]> {
        try await http.value(of: request, strategy) { $0 }
    }
}

private struct NotText: Error, CustomStringConvertible {
    var description: String { "the body is not UTF-8" }
}

extension Fetched {
    /// The origin, the age and the reason, in one line for the user: `from the cache, 3 h old: the server cannot be
    /// reached`.
    public var explanation: String {
        let source =
            switch origin {
            case .network: "from the server"
            case .cache: "from the cache"
            case .revalidated: "from the cache, confirmed by the server"
            }
        let oldness = origin == .cache ? age.map { ", \(Self.text(of: $0)) old" } ?? "" : ""
        let reason =
            if case .expiredServedOffline = state, reuse.word != "time-limit" {
                "the server cannot be reached"
            } else {
                reuse.sentence
            }
        return "\(source)\(oldness): \(reason)"
    }

    private static func text(of age: Duration) -> String {
        let seconds = age.components.seconds
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        case ..<172_800: "1 day"
        default: "\(seconds / 86_400) days"
        }
    }
}

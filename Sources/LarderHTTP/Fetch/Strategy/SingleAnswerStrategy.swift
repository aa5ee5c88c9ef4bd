/// The order in which a fetch with one answer uses the cache and the network.
///
/// No strategy uses a stale response against `must-revalidate` or `no-cache`, except with
/// ``RequestTerms/ignoresMustRevalidate`` of the request, or without an answer and with
/// ``HTTPCacheOptions/servesStoredOffline``.
///
/// ```swift
/// let standard = try await cache.fetch(request)  // as RFC 9111 requires
/// let offline = try await cache.fetch(request, .staleIfOffline)  // the stored response without a server
/// let quick = try await cache.fetch(request, .networkElseCache(within: .seconds(2)))
/// print(standard.origin, offline.origin, quick.origin)
/// ```
public struct SingleAnswerStrategy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case standard, staleIfOffline, networkElseCache(Duration?), networkOnly, reload, cacheElseNetwork, cacheOnly
    }

    let kind: Kind

    /// The rules of RFC 9111, with the final answer once the soft lifetime is over.
    ///
    /// A stale response is the fallback for a failure only where `stale-if-error` of server or request permits it.
    /// A response within `stale-while-revalidate` is returned at once, and validated in the background.
    public static let standard = SingleAnswerStrategy(kind: .standard)

    /// The rules of ``standard``; when the server cannot be reached, the stored response whatever its age.
    public static let staleIfOffline = SingleAnswerStrategy(kind: .staleIfOffline)

    /// The server's answer; when it cannot be reached, the stored response whatever its age.
    ///
    /// A stored response is validated, not fetched again. A server's error is an answer.
    public static let networkElseCache = SingleAnswerStrategy(kind: .networkElseCache(nil))

    /// The rules of ``networkElseCache``; the stored response also when the server has not answered within `limit`.
    ///
    /// The exchange then continues in the background, within ``HTTPCacheOptions/backgroundExchanges``, and its answer
    /// is stored. Without a stored response, the fetch waits for the server.
    public static func networkElseCache(within limit: Duration) -> SingleAnswerStrategy {
        SingleAnswerStrategy(kind: .networkElseCache(limit))
    }

    /// The server's answer; the cache is neither read nor filled.
    public static let networkOnly = SingleAnswerStrategy(kind: .networkOnly)

    /// The server's answer to an unconditional request; it replaces the stored response.
    public static let reload = SingleAnswerStrategy(kind: .reload)

    /// The stored response **whatever its age**, and the server only when there is none.
    public static let cacheElseNetwork = SingleAnswerStrategy(kind: .cacheElseNetwork)

    /// The stored response whatever its age, and never the server.
    public static let cacheOnly = SingleAnswerStrategy(kind: .cacheOnly)
}

/// The order in which a fetch with an intermediate and a final answer uses the cache and the network.
///
/// ```swift
/// for try await answer in cache.answers(to: request, .cacheThenNetwork) {
///     print(answer.isIntermediate ? "for now:" : "finally:", answer.origin)
/// }
/// ```
public struct TwoAnswerStrategy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case standard, cacheThenNetwork
    }

    let kind: Kind

    /// The rules of RFC 9111, with one answer where the stored response is fresh, expired or missing.
    ///
    /// Beyond its soft lifetime, or within `stale-while-revalidate`, it comes at once, and then the server's.
    public static let standard = TwoAnswerStrategy(kind: .standard)

    /// The stored response whatever its age, where there is one; then, always, the server's.
    ///
    /// The final answer after a 304 is the stored response with the origin ``AnswerOrigin/revalidated``.
    public static let cacheThenNetwork = TwoAnswerStrategy(kind: .cacheThenNetwork)
}

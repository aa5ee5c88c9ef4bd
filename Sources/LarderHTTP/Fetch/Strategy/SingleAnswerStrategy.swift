/// How a fetch with one answer weighs the cache against the network.
///
/// None serves a stale response against `must-revalidate` or `no-cache`, unless the request's
/// ``RequestTerms/ignoresMustRevalidate`` says so, or ``HTTPCacheOptions/servesStoredOffline`` and nobody answers.
public struct SingleAnswerStrategy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case standard, staleIfOffline, networkElseCache(Duration?), networkOnly, reload, cacheElseNetwork, cacheOnly
    }

    let kind: Kind

    /// RFC 9111, and the final answer where the soft lifetime is over.
    ///
    /// A stale response stands in for a failure only where its server (`stale-if-error`) or the request (`max-stale`) lets
    /// it. One within `stale-while-revalidate` is answered at once, and validated behind the caller's back.
    public static let standard = SingleAnswerStrategy(kind: .standard)

    /// As ``standard``; but when the server cannot be reached, the stored response whatever its age.
    public static let staleIfOffline = SingleAnswerStrategy(kind: .staleIfOffline)

    /// The server's answer; when it cannot be reached, the stored response whatever its age.
    ///
    /// What is stored is validated, not fetched again. A server's error is an answer.
    public static let networkElseCache = SingleAnswerStrategy(kind: .networkElseCache(nil))

    /// As ``networkElseCache``, and the stored response also when the server has not answered within `limit`.
    ///
    /// The exchange then goes on, and its answer is stored. With nothing stored, the server is waited for.
    public static func networkElseCache(within limit: Duration) -> SingleAnswerStrategy {
        SingleAnswerStrategy(kind: .networkElseCache(limit))
    }

    /// The server's answer; the cache is neither looked at nor filled.
    public static let networkOnly = SingleAnswerStrategy(kind: .networkOnly)

    /// The server's answer to an unconditional request; it takes the place of what is stored.
    public static let reload = SingleAnswerStrategy(kind: .reload)

    /// The stored response **whatever its age**, and the server only when there is none.
    public static let cacheElseNetwork = SingleAnswerStrategy(kind: .cacheElseNetwork)

    /// The stored response whatever its age, and never the server.
    public static let cacheOnly = SingleAnswerStrategy(kind: .cacheOnly)
}

/// How a fetch with an intermediate and a final answer weighs the cache against the network.
public struct TwoAnswerStrategy: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case standard, cacheThenNetwork
    }

    let kind: Kind

    /// RFC 9111: one answer where the stored response is fresh, expired or missing; where its soft lifetime is over, or
    /// within `stale-while-revalidate`, the stored response at once and then the server's.
    public static let standard = TwoAnswerStrategy(kind: .standard)

    /// The stored response whatever its age, where there is one; then, always, the server's.
    ///
    /// The final answer after a 304 is the stored response with the origin ``AnswerOrigin/revalidated``.
    public static let cacheThenNetwork = TwoAnswerStrategy(kind: .cacheThenNetwork)
}

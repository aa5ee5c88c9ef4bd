/// The host's terms for one request to the cache, beside the request's own header fields.
public struct RequestTerms: Hashable, Sendable {
    /// The time for which a response is used without validation; nil for as long as it is fresh.
    ///
    /// After it, and while still usable, the stored response is an intermediate answer.
    public var softLifetime: Duration?
    /// The freshness lifetime of a response in place of its own; nil for its own.
    public var hardLifetime: Duration?
    /// Whether a stored response may be used stale where `must-revalidate` or `no-cache` forbid it.
    ///
    /// The policy applies it only when the server cannot be reached or fails: see
    /// ``CachePolicy/fallback(to:for:status:terms:at:)``. Without an answer, it also lifts the limit of the response's
    /// `stale-if-error`. Strategies that use a stored response whatever its age apply it at once.
    /// ``HTTPCacheOptions/servesStoredOffline`` is for all requests.
    public var ignoresMustRevalidate: Bool
    /// Whether to validate with the server first, as with `Cache-Control: no-cache` in the request.
    public var forcesValidation: Bool

    /// Terms that leave everything to the request and the stored response.
    public init(
        softLifetime: Duration? = nil, hardLifetime: Duration? = nil, ignoresMustRevalidate: Bool = false,
        forcesValidation: Bool = false
    ) {
        self.softLifetime = softLifetime
        self.hardLifetime = hardLifetime
        self.ignoresMustRevalidate = ignoresMustRevalidate
        self.forcesValidation = forcesValidation
    }
}

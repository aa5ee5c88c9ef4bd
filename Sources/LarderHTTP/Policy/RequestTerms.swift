/// What the host asks of the cache for one request, beside the request's own header fields.
public struct RequestTerms: Hashable, Sendable {
    /// How long a response counts as fresh without a second look; nil: as long as it is fresh by its own word.
    ///
    /// Behind it, and while still usable, the stored response is an intermediate answer.
    public var softLifetime: Duration?
    /// How long a response may be used at all, in place of what it says itself; nil: by its own word.
    public var hardLifetime: Duration?
    /// Whether a stored response may stand in for an answer where `must-revalidate` or `no-cache` forbid it stale.
    ///
    /// It counts when the server cannot be asked or fails, and not before: see
    /// ``CachePolicy/fallback(to:for:status:terms:at:)``. Without an answer, the limit of the response's `stale-if-error` is set
    /// aside, too. ``HTTPCacheOptions/servesStoredOffline`` does so for all requests.
    public var ignoresMustRevalidate: Bool
    /// Whether to validate with the server first, as `Cache-Control: no-cache` in the request asks for.
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

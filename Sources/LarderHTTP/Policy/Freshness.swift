/// The freshness of a stored response at one point in time. RFC 9111 §4.2.
public struct Freshness: Hashable, Sendable {
    /// The source of the lifetime.
    public enum Source: Hashable, Sendable {
        /// `Cache-Control: max-age`.
        case maxAge
        /// `Expires`.
        case expires
        /// Guessed from `Last-Modified`.
        case heuristic
        /// The terms of the host.
        case host
        /// No source: the response is stale from the start.
        case none
    }

    /// The age of the response, 0 or more, in milliseconds. RFC 9111 §4.2.3.
    public var age: Int64
    /// The time for which it is fresh, 0 or more, in milliseconds, counted as its age is; 0 once it was invalidated.
    public var lifetime: Int64
    /// The age up to which it is used without validation, in milliseconds, at most ``lifetime``.
    public var softLifetime: Int64
    /// The source of ``lifetime``.
    public var source: Source
    /// The additional time for which it may be shown while it is validated, in milliseconds. RFC 5861 §3.
    public var staleWhileRevalidate: Int64
    /// The additional time in which it may be the fallback for a server's error, in milliseconds; nil if not given. RFC
    /// 5861 §4.
    public var staleIfError: Int64?
    /// Whether it must not be used stale: `must-revalidate`, or `no-cache` of the whole response.
    public var mustRevalidate: Bool
    /// Whether it must be validated before every use, also offline: `no-cache`, a `Vary` of `*`, or a ban on storing.
    public var needsValidation: Bool

    /// Whether it is fresh: its age is below its lifetime. RFC 9111 §4.2.
    public var isFresh: Bool { lifetime > age }

    /// A reading of these parts.
    public init(
        age: Int64, lifetime: Int64, softLifetime: Int64, source: Source, staleWhileRevalidate: Int64 = 0,
        staleIfError: Int64? = nil, mustRevalidate: Bool = false, needsValidation: Bool = false
    ) {
        self.age = age
        self.lifetime = lifetime
        self.softLifetime = softLifetime
        self.source = source
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.mustRevalidate = mustRevalidate
        self.needsValidation = needsValidation
    }
}

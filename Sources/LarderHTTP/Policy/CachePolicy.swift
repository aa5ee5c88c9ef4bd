public import LarderFormat

/// A private cache's rules: what may be kept, for how long, and how it is used again. RFC 9111.
///
/// Pure: requests, responses and clock readings in, decisions out. Nothing is remembered. Times are milliseconds since
/// 1970-01-01 UTC. Its parts lie in extensions, one file for each section of the standard: `Storing/` and `Using/`.
///
/// What the standard leaves open is settled so: `s-maxage` and `proxy-revalidate` are for shared caches, and
/// `CDN-Cache-Control` and `Surrogate-Control` for caches that were given those names (RFC 9213): all are passed over.
/// A field that secrets come in is never kept, but for `Set-Cookie`, which is kept in memory.
public struct CachePolicy: Hashable, Sendable {
    /// The part of the time since `Last-Modified` that a response without an expiry is taken to be fresh for.
    /// RFC 9111 §4.2.2 suggests 0.1.
    public var heuristicFraction: Double
    /// The longest heuristic freshness.
    public var heuristicLimit: Duration
    /// Whether the spellings `Cache-Control: none` and `If-Since-Modified` are understood; they are never sent.
    public var understandsSourceSpellings: Bool
    /// The key under which the values of `Authorization`, `Cookie` and other secret fields are hashed where `Vary` names
    /// them.
    ///
    /// Random bytes of the host's, 16 or more, kept apart from the cache. Nil: an ``HTTPCache`` draws one and keeps it
    /// where the responses are kept (``ResponseCache/selectingSalt(drawing:)``); the policy by itself refuses to store
    /// such responses.
    public var selectingSalt: [UInt8]?
    /// Which header fields carry secrets: a response is stored without them, and a request's value that `Vary` names is hashed.
    ///
    /// A name that is exempt here must be exempt in the cache, too: ``StoreOptions/credentialFields``, ``FileCache``.
    public var credentialFields: CredentialFields
    /// Whose request it is; nil where the host names no account.
    ///
    /// Hashed in place of the credentials, which may change while the account stays the same.
    package var account: String?
    /// Whether the request itself names the account: then it selects whatever the request's fields are, since the
    /// credentials may be added further down.
    package var isAccountOfRequest = false

    /// Whether `Set-Cookie` is kept: where nothing outlasts the process. RFC 9111 §3.1.
    package var keepsCookies = false

    /// Rules with the defaults of RFC 9111, heuristics limited to a day.
    public init(
        heuristicFraction: Double = 0.1, heuristicLimit: Duration = .seconds(86_400),
        understandsSourceSpellings: Bool = true, selectingSalt: [UInt8]? = nil,
        credentialFields: CredentialFields = CredentialFields()
    ) {
        precondition((0...1).contains(heuristicFraction), "a fraction of \(heuristicFraction)")
        precondition(selectingSalt.map { $0.count >= 16 } ?? true, "a salt of \(selectingSalt?.count ?? 0) bytes")
        self.heuristicFraction = heuristicFraction
        self.heuristicLimit = heuristicLimit
        self.understandsSourceSpellings = understandsSourceSpellings
        self.selectingSalt = selectingSalt
        self.credentialFields = credentialFields
    }
}

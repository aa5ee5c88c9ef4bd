public import LarderFormat

/// The rules of a private cache: which responses may be stored, for how long, and how they are reused. RFC 9111.
///
/// The policy is pure: it maps requests, responses and clock readings to decisions, and keeps no state. Times are
/// milliseconds since 1970-01-01 UTC. Its parts are extensions in `Storing/` and `Using/`, a file for each section of
/// the standard.
///
/// Where the standard leaves it open, `s-maxage` and `proxy-revalidate` are ignored, because they are for shared
/// caches. `CDN-Cache-Control` and `Surrogate-Control` are ignored too, because they are for caches that were given
/// those names (RFC 9213). A field that carries secrets is never stored, except `Set-Cookie` in memory.
public struct CachePolicy: Hashable, Sendable {
    /// The fraction of the time since `Last-Modified` for which a response without an expiry counts as fresh, 0 to 1.
    ///
    /// RFC 9111 §4.2.2 suggests 0.1.
    public var heuristicFraction: Double
    /// The longest heuristic freshness.
    public var heuristicLimit: Duration
    /// Whether the spellings `Cache-Control: none` and `If-Since-Modified` are understood; they are never sent.
    public var understandsSourceSpellings: Bool
    /// The key for hashing the values of `Authorization`, `Cookie` and other secret fields that `Vary` names.
    ///
    /// The key is 16 random bytes or more of the host, stored apart from the cache. With nil, an ``HTTPCache`` draws a
    /// key and stores it with the responses (``ResponseCache/selectingSalt(drawing:)``). The policy by itself then
    /// refuses to store such responses.
    public var selectingSalt: [UInt8]?
    /// The header fields that carry secrets. Responses are stored without them; request values in `Vary` are hashed.
    ///
    /// A name that is exempt here must be exempt in the cache, too: `StoreOptions.credentialFields`, ``FileCache``.
    public var credentialFields: CredentialFields
    /// The account of the request; nil where the host names none.
    ///
    /// It is hashed in place of the credentials, which may change while the account stays the same.
    package var account: String?
    /// Whether the request itself names the account. The account then selects responses whatever the request's fields
    /// are, because credentials may be added after the cache.
    package var isAccountOfRequest = false

    /// Whether `Set-Cookie` is stored, where responses end with the process. RFC 9111 §3.1.
    package var keepsCookies = false

    /// Rules with the defaults of RFC 9111; heuristic freshness is limited to a day.
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

import HTTPTypes
import LarderTransport

/// A request with its cache key, its cache and the policy that applies.
struct ResolvedRequest: Sendable {
    /// What the host asked for.
    let asked: FetchRequest
    /// The target URI in its normal form.
    let url: String
    /// What the answer is kept under.
    let key: String
    /// Where it is kept; nil for nowhere.
    let cache: (any ResponseCache)?
    /// The rules for it: the cache's, with its account, and with the salt of the place where answers are kept.
    let policy: CachePolicy
    /// The check a body must pass before it is stored; nil for none.
    let check: BodyCheck?

    var request: HTTPRequest { asked.request }

    /// - Throws: ``HTTPCacheError/invalidRequest(_:)``.
    init(
        _ asked: FetchRequest, cache: (any ResponseCache)?, policy: CachePolicy, check: BodyCheck?
    ) throws(HTTPCacheError) {
        self.asked = asked
        self.cache = cache
        self.policy = policy
        self.check = check
        do throws(TransportError) {
            url = Self.normalForm(try RequestTarget(asked.request))
        } catch {
            guard case .invalidRequest(let reason) = error else { throw .transport(error) }
            throw .invalidRequest(reason)
        }
        key = asked.key ?? url
    }

    /// The URI with the host in lower case and without the port that its scheme has anyway. RFC 9110 §4.2.3.
    private static func normalForm(_ target: RequestTarget) -> String {
        var authority = target.authority.lowercased()
        let port = target.scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        return "\(target.scheme)://\(authority)\(target.path)"
    }
}

/// The stored responses for a resolved request at one moment.
struct Lookup: Sendable {
    let resolved: ResolvedRequest
    let candidates: [CachedResponse]
    /// Milliseconds since 1970-01-01 UTC: one reading for every decision about what was found.
    let now: Int64

    var responses: [StoredResponse] { candidates.map(\.response) }
}

/// How the server is asked.
struct FlightPlan: Sendable {
    /// The request to send.
    var sent: HTTPRequest
    /// What is stored, and what the answer may confirm or complete.
    var candidates: [CachedResponse]
    /// The candidate that a 304 is expected to confirm.
    var chosen: Int?
    /// Whether the answer may be stored.
    var isStoring: Bool
    /// Why the server is asked.
    var reuse: CacheReason
}

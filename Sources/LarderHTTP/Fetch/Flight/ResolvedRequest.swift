import HTTPTypes
import LarderTransport

/// A request with its cache key, its cache and the policy that applies.
struct ResolvedRequest: Sendable {
    /// The request of the host.
    let fetchRequest: FetchRequest
    /// The target URI in its normal form.
    let url: String
    /// The key under which the answer is stored.
    let key: String
    /// The cache where the answer is stored; nil for none.
    let cache: (any ResponseCache)?
    /// The rules of the cache, with the account of the request, and with the salt of the place where answers are stored
    /// once a lookup needed it.
    var policy: CachePolicy
    /// The check a body must pass before it is stored; nil for none.
    let check: BodyCheck?

    var request: HTTPRequest { fetchRequest.request }

    /// - Throws: ``HTTPCacheError/invalidRequest(_:)`` when the request has no valid target.
    init(
        _ fetchRequest: FetchRequest, cache: (any ResponseCache)?, policy: CachePolicy, check: BodyCheck?
    ) throws(HTTPCacheError) {
        self.fetchRequest = fetchRequest
        self.cache = cache
        self.policy = policy
        self.check = check
        do throws(TransportError) {
            url = Self.normalForm(try RequestTarget(fetchRequest.request))
        } catch {
            guard case .invalidRequest(let reason) = error else { throw .transport(error) }
            throw .invalidRequest(reason)
        }
        key = fetchRequest.key ?? url
    }

    /// Returns the URI with the host in lower case and without the default port of its scheme. RFC 9110 §4.2.3.
    private static func normalForm(_ target: RequestTarget) -> String {
        var authority = target.authority.lowercased()
        let port = target.scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        var url = target.scheme
        url.reserveCapacity(url.utf8.count + 3 + authority.utf8.count + target.path.utf8.count)
        url += "://"
        url += authority
        url += target.path
        return url
    }
}

/// The stored responses for a resolved request at one point in time.
struct Lookup: Sendable {
    let resolved: ResolvedRequest
    let candidates: [CachedResponse]
    /// The clock reading for every decision about the candidates, in milliseconds since 1970-01-01 UTC.
    let now: Int64

    var responses: [StoredResponse] { candidates.map(\.response) }
}

/// The request to the server, and the use of its answer.
struct FlightPlan: Sendable {
    /// The request to send.
    var sent: HTTPRequest
    /// The stored responses, which the answer may confirm or complete.
    var candidates: [CachedResponse]
    /// The candidate that a 304 is expected to confirm.
    var selectedIndex: Int?
    /// Whether the answer may be stored.
    var isStoring: Bool
    /// The reason the server is asked.
    var reuse: CacheReason
}

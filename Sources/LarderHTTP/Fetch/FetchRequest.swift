public import HTTPTypes
public import LarderTransport

/// A request to the cache: what to ask for, and how to keep the answer.
public struct FetchRequest: Sendable {
    /// The request as it is to be sent; its own conditions and cache directives count.
    public var request: HTTPRequest
    /// The whole body to send, or nil for none.
    public var body: [UInt8]?
    /// What the answer is kept under, in place of the target URI.
    public var key: String?
    /// Names by which the answer can be removed together with others.
    public var tags: Set<String>
    /// What is asked of the cache beside the request's own header fields.
    public var terms: RequestTerms
    /// Its place among the requests that wait for their turn.
    public var priority: FetchPriority
    /// The longest waits; nil: those of the cache's options. Who joins another's exchange waits by the other's limits.
    public var timeouts: TransportTimeouts?
    /// Whether the answer is kept across launches; nil: where the cache can, it is.
    ///
    /// False keeps it in memory alone, and finds only what is in memory.
    public var isPersistent: Bool?
    /// Whether eviction leaves the answer alone.
    public var isPinned: Bool
    /// The account the request is made for, such as a user id; nil uses the cache's account closure.
    ///
    /// A response fetched with credentials for one account is never used for another, and stays usable when that account's
    /// credentials are renewed. Without an account, other credentials select other
    /// responses where `Vary` names them, and the same ones where it does not.
    public var account: String?

    /// A request with the defaults of the cache.
    public init(
        _ request: HTTPRequest, body: [UInt8]? = nil, key: String? = nil, tags: Set<String> = [],
        terms: RequestTerms = RequestTerms(), priority: FetchPriority = .normal
    ) {
        self.request = request
        self.body = body
        self.key = key
        self.tags = tags
        self.terms = terms
        self.priority = priority
        timeouts = nil
        isPersistent = nil
        isPinned = false
    }

    /// A request for the resource at `url`; nil unless that is an absolute http or https address.
    ///
    /// A fragment is left out: it is nothing to a server. RFC 9110 §4.2.5.
    public init?(_ url: String, method: HTTPRequest.Method = .get, fields: HTTPFields = [:], body: [UInt8]? = nil) {
        guard let separator = url.utf8.firstRange(of: "://".utf8) else { return nil }
        let rest = url[separator.upperBound...].prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let path = rest[end...].first == "/" ? String(rest[end...]) : "/\(rest[end...])"
        let request = HTTPRequest(
            method: method, scheme: String(url[..<separator.lowerBound]), authority: String(rest[..<end]), path: path,
            headerFields: fields)
        guard (try? RequestTarget(request)) != nil else { return nil }
        self.init(request, body: body)
    }
}

/// The place of a request among those that wait: a higher one goes first, equals go in the order they came.
public struct FetchPriority: Hashable, Comparable, Sendable {
    /// The place as a number; higher goes first.
    public var rawValue: Int

    /// A place of one's own.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    /// What has begun already.
    static let resumed = FetchPriority(.max)
    /// What nobody looks at yet.
    public static let low = FetchPriority(-100)
    /// What most requests are.
    public static let normal = FetchPriority(0)
    /// What somebody waits for.
    public static let high = FetchPriority(100)

    /// Whether `left` lets `right` go first.
    public static func < (left: FetchPriority, right: FetchPriority) -> Bool { left.rawValue < right.rawValue }
}

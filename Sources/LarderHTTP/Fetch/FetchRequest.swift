public import HTTPTypes
public import LarderTransport

/// A request to the cache: the request to send, and the way to store its answer.
///
/// ```swift
/// guard var request = FetchRequest("https://api.example.org/articles/7") else { return }
/// request.tags = ["articles"]
/// request.priority = .high
/// print(try await cache.fetch(request).value.head.status)
/// try await cache.remove(.tag("articles"))  // every response that was stored with this tag
/// ```
public struct FetchRequest: Sendable {
    /// The request as it is to be sent; its own conditions and cache directives count.
    public var request: HTTPRequest
    /// The whole body to send, or nil for none.
    public var body: [UInt8]?
    /// The key under which the answer is stored, in place of the target URI.
    public var key: String?
    /// The names by which the answer can be removed together with others. A response that is stored already gets them
    /// too, when it answers the request.
    public var tags: Set<String>
    /// The terms for the cache, beside the request's own header fields.
    public var terms: RequestTerms
    /// Its priority among the requests that wait for a slot.
    public var priority: FetchPriority
    /// The time limits; nil for those of the cache's options. A request that joins an exchange has the limits of it.
    public var timeouts: TransportTimeouts?
    /// Whether the answer is kept across launches; nil keeps it where the cache can.
    ///
    /// False keeps it in memory alone, and finds only responses in memory.
    public var isPersistent: Bool?
    /// Whether the answer is exempt from eviction. A response that is stored already becomes so, when it answers the
    /// request; it stays so until it is removed or replaced.
    public var isPinned: Bool
    /// The account the request is made for, such as a user id; nil uses the cache's account closure.
    ///
    /// A response fetched with credentials for one account is never used for another, and stays usable when that
    /// account's credentials are renewed. Without an account, other credentials select other responses where `Vary`
    /// names them, and the same responses where it does not.
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
    /// The fragment is left out, because servers do not receive it. RFC 9110 §4.2.5.
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

/// The priority of a waiting request: a higher one runs first, and equal ones run in the order of their arrival.
public struct FetchPriority: Hashable, Comparable, Sendable {
    /// The priority as a number; higher runs first.
    public var rawValue: Int

    /// A custom priority.
    public init(_ rawValue: Int) { self.rawValue = rawValue }

    /// The priority of exchanges that have begun already.
    static let resumed = FetchPriority(.max)
    /// The priority of requests whose result is not shown yet.
    public static let low = FetchPriority(-100)
    /// The default priority.
    public static let normal = FetchPriority(0)
    /// The priority of requests that the user waits for.
    public static let high = FetchPriority(100)

    /// Whether `left` runs after `right`.
    public static func < (left: FetchPriority, right: FetchPriority) -> Bool { left.rawValue < right.rawValue }
}

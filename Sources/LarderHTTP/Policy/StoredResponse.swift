public import HTTPTypes
public import LarderFormat

/// The metadata of a stored response: everything but its body. RFC 9111 §3.
///
/// It does not contain what must not be stored: fields of one hop, credentials and, unless it stays in memory, cookies.
public struct StoredResponse: Hashable, Sendable {
    /// The part of the representation that the stored body is. RFC 9111 §3.3, §3.4.
    public enum Coverage: Hashable, Sendable {
        /// All bytes.
        case whole
        /// The bytes `range` of a representation of `total` bytes; nil when the total is unknown.
        case part(Range<Int64>, total: Int64?)
    }

    /// The method of the request it answers: GET.
    public var method: HTTPRequest.Method
    /// The target URI, without a fragment. RFC 9110 §7.1.
    public var url: String
    /// The final status code.
    public var status: HTTPResponse.Status
    /// The stored header fields in their order, with their values byte for byte.
    public var fields: HTTPFields { didSet { facts = FieldFacts() } }
    /// The time when the request was sent, in milliseconds since 1970-01-01 UTC: *request_time* of RFC 9111 §4.2.3.
    public var requestedAt: Int64
    /// The time when the head of the response arrived, likewise: *response_time* of RFC 9111 §4.2.3.
    public var receivedAt: Int64 { didSet { facts = FieldFacts() } }
    /// The values that select it among the responses of its key: the fields of `Vary` in their order, then any account.
    public var selecting: [SelectingField]
    /// The part of the representation that its body is.
    public var coverage: Coverage
    /// Whether the answer to an unsafe request or to a HEAD, or the host, has invalidated it. RFC 9111 §4.3.5, §4.4.
    ///
    /// It is stale, and is validated before its next use. If its server cannot be reached, it is used like other stale
    /// ones.
    public var isInvalidated: Bool
    /// Whether the host has requested a new one: until that arrives, this one is an intermediate answer at most.
    public var isRefreshDue: Bool
    private(set) var facts = FieldFacts()

    /// A response of these parts.
    public init(
        method: HTTPRequest.Method, url: String, status: HTTPResponse.Status, fields: HTTPFields, requestedAt: Int64,
        receivedAt: Int64, selecting: [SelectingField] = [], coverage: Coverage = .whole, isInvalidated: Bool = false,
        isRefreshDue: Bool = false
    ) {
        self.method = method
        self.url = url
        self.status = status
        self.fields = fields
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        self.selecting = selecting
        self.coverage = coverage
        self.isInvalidated = isInvalidated
        self.isRefreshDue = isRefreshDue
    }
}

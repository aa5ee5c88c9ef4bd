public import HTTPTypes
public import LarderFormat

/// A response as a cache keeps it: everything but its body.
///
/// RFC 9111 §3. What must not be kept (fields of one hop, credentials, on a disk cookies) is not in it any more.
public struct StoredResponse: Hashable, Sendable {
    /// Which part of the representation the kept body is. RFC 9111 §3.3, §3.4.
    public enum Coverage: Hashable, Sendable {
        /// All of it.
        case whole
        /// The bytes `range` of a representation of `total` bytes (nil: not known).
        case part(Range<Int64>, total: Int64?)
    }

    /// The method of the request it answers: GET, or what else the policy stores.
    public var method: HTTPRequest.Method
    /// The target URI, without a fragment. RFC 9110 §7.1.
    public var url: String
    /// The final status code.
    public var status: HTTPResponse.Status
    /// The header fields to keep, in their order, values byte for byte.
    public var fields: HTTPFields
    /// When the request was sent, in milliseconds since 1970-01-01 UTC: *request_time* of RFC 9111 §4.2.3.
    public var requestedAt: Int64
    /// When the head of the response came, likewise: *response_time* of RFC 9111 §4.2.3.
    public var receivedAt: Int64
    /// What selects it among the responses of its key, in the order of `Vary`; empty without one.
    public var selecting: [SelectingField]
    /// Which part of the representation its body is.
    public var coverage: Coverage
    /// Whether the answer to an unsafe request or to a HEAD, or the host, has invalidated it. RFC 9111 §4.3.5, §4.4.
    ///
    /// It is stale, and is validated before its next use; where its server cannot be asked it is used as other stale responses are.
    public var isInvalidated: Bool
    /// Whether the host has asked for a new one: until then it is an intermediate answer at most.
    public var isRefreshDue: Bool

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

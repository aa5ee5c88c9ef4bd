import LarderJSON

/// An error response, with the status and body that the protocol defines.
public struct OriginProblem: Error, Hashable, Sendable {
    /// The protocol's two shapes of an error body.
    public enum Envelope: Hashable, Sendable {
        /// `{"error":{"code":…,"message":…}}`: errors of tokens, cursors, filters and snapshots.
        case sync(code: String)
        /// `{"message":…,"type":…,"success":false}`: all other errors.
        case general(type: String)
    }

    /// The HTTP status.
    public let status: Int
    /// The shape of the body, with the code or type that clients branch on.
    public let envelope: Envelope
    /// A human-readable sentence.
    public let message: String
    /// The value of `Retry-After`, in whole seconds.
    public var retryAfter: Int?

    /// Creates a problem of any kind.
    public init(status: Int, envelope: Envelope, message: String, retryAfter: Int? = nil) {
        self.status = status
        self.envelope = envelope
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Creates a problem of the general shape, with the type that belongs to its status.
    public init(status: Int, message: String, retryAfter: Int? = nil) {
        let type =
            switch status {
            case 401: "unauthorized"
            case 403: "forbidden"
            case 404: "not_found"
            case 429: "rate_limit_exceeded"
            case 502: "bad_gateway"
            case 503: "service_unavailable"
            case 504: "gateway_timeout"
            case 500...: "internal_server_error"
            default: "invalid_request"
            }
        self.init(status: status, envelope: .general(type: type), message: message, retryAfter: retryAfter)
    }

    /// The body, as JSON.
    public var body: [UInt8] {
        var writer = JSONWriter()
        switch envelope {
        case .sync(let code):
            writer.raw("{\"error\":{\"code\":")
            writer.string(code)
            writer.raw(",\"message\":")
            writer.string(message)
            writer.raw("}}")
        case .general(let type):
            writer.raw("{\"message\":")
            writer.string(message)
            writer.raw(",\"type\":")
            writer.string(type)
            writer.raw(",\"success\":false}")
        }
        return writer.bytes
    }
}

extension OriginProblem {
    private static func sync(_ status: Int, _ code: String, _ message: String) -> OriginProblem {
        OriginProblem(status: status, envelope: .sync(code: code), message: message)
    }

    /// 410: the token, or the run that a cursor continues, can no longer be served.
    public static let resyncRequired = sync(
        410, "resync_required", "The sync token is invalid or incompatible. Bootstrap again.")
    /// 422: the token was made for another filter.
    public static let tokenFilterMismatch = sync(
        422, "token_filter_mismatch", "sync_token does not match the requested resources")
    /// 422: the cursor belongs to a run of another filter.
    public static let cursorFilterMismatch = sync(
        422, "cursor_filter_mismatch", "cursor does not match the requested resources")
    /// 422: the cursor belongs to a run with another page size.
    public static let cursorPageSizeMismatch = sync(
        422, "cursor_per_page_mismatch", "cursor does not match the requested per_page")
    /// 422: the page size is no number of 1 to 100.
    public static func invalidPageSize(_ message: String) -> OriginProblem { sync(422, "invalid_per_page", message) }
    /// 422: the filter is missing or cannot be read.
    public static let invalidResources = sync(
        422, "invalid_resources", "resources must be group:* or group:id,id parts joined by ;")
    /// 422: the server does not serve such a group.
    public static let unknownResourceGroup = sync(422, "unknown_resource_group", "The resource group is not supported")
    /// 404: the resource is hidden or was never created.
    public static let snapshotNotFound = sync(404, "snapshot_not_found", "Resource snapshot not found")

    /// 400: the request is malformed.
    public static func invalidRequest(_ message: String) -> OriginProblem {
        OriginProblem(status: 400, message: message)
    }
    /// 404: nothing is served at that path.
    public static let notFound = OriginProblem(status: 404, message: "There is nothing at this path")
}

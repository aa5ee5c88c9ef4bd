// ModelAnswer: what a server answers to a GET, whole.

/// What a server answers to a GET, whole.
package struct ModelAnswer: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The header fields, names in lower case.
    package let headers: [(name: String, value: String)]
    /// The body.
    package let body: [UInt8]
    /// The resources that a page's changes or a snapshot are of.
    package let mentioned: [ModelServer.ResourceID]

    /// An answer with the fields that all of them carry.
    package init(
        status: Int, body: [UInt8], type: String = "application/json", further: [(name: String, value: String)] = [],
        mentioned: [ModelServer.ResourceID] = []
    ) {
        self.status = status
        self.body = body
        self.mentioned = mentioned
        headers =
            [("content-type", type), ("cache-control", "no-store"), ("content-length", String(body.count))] + further
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether both are the same, byte by byte.
    package static func == (left: ModelAnswer, right: ModelAnswer) -> Bool {
        left.status == right.status && left.body == right.body && left.headers.elementsEqual(right.headers, by: ==)
    }

    /// Hashes status and body.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body)
    }
}

extension ModelAnswer {
    /// The envelope of errors about tokens, cursors, filters and snapshots.
    static func refusal(_ status: Int, _ code: String, _ message: String) -> ModelAnswer {
        ModelAnswer(
            status: status, body: Array("{\"error\":{\"code\":\"\(code)\",\"message\":\"\(message)\"}}".utf8))
    }

    /// The envelope of all other errors.
    ///
    /// - Parameter retryAfter: the value of `Retry-After`, in seconds.
    package static func problem(_ status: Int, retryAfter: Int? = nil) -> ModelAnswer {
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
        return ModelAnswer(
            status: status,
            body: Array("{\"message\":\"status \(status)\",\"type\":\"\(type)\",\"success\":false}".utf8),
            further: retryAfter.map { [("retry-after", String($0))] } ?? [])
    }

    /// 410: the token, or the run that a cursor goes on with, cannot be served any more.
    package static let resyncRequired = refusal(
        410, "resync_required", "The sync token is invalid or incompatible. Bootstrap again.")
    static let tokenFilterMismatch = refusal(
        422, "token_filter_mismatch", "sync_token does not match the requested resources")
    static let cursorFilterMismatch = refusal(
        422, "cursor_filter_mismatch", "cursor does not match the requested resources")
    static let cursorPageSizeMismatch = refusal(
        422, "cursor_per_page_mismatch", "cursor does not match the requested per_page")
    static let invalidPageSize = refusal(422, "invalid_per_page", "per_page cannot exceed 100")
    static let invalidResources = refusal(422, "invalid_resources", "resources cannot be read")
    static let unknownGroup = refusal(422, "unknown_resource_group", "The resource group is not supported")
    static let copyNotFound = refusal(404, "snapshot_not_found", "Resource snapshot not found")
}

public import HTTPTypes

/// The response of a handler: small enough to be held in memory and stored.
public struct IdempotentResponse: Hashable, Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields; `Content-Length` is left to the server.
    public var fields: HTTPFields
    /// The body, whole.
    public var body: [UInt8]

    /// Creates a response of these parts.
    public init(_ status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// Creates a response whose body is a JSON text.
    public init(_ status: HTTPResponse.Status, json: String) {
        self.init(status, fields: [.contentType: "application/json; charset=utf-8"], body: Array(json.utf8))
    }

    /// Whether a retry could only get the same response, so that it is stored and its effect committed.
    ///
    /// Responses that request a retry are not final: 401, 408, 425, 429, 5xx, and 409 with `Retry-After`.
    public var isFinal: Bool {
        switch status.code {
        case 200..<400: true
        case 401, 408, 425, 429: false
        case 409: fields[.retryAfter] == nil
        case 400..<500: true
        default: false
        }
    }

    /// This response as sent to repetitions: marked, unless it is a 409.
    ///
    /// Some servers respond 409 to every repetition, so a client reads a marked 409 as an executed write. The 409 of a
    /// handler means the opposite, also when it is repeated.
    var replayed: IdempotentResponse {
        var response = self
        if status.code != 409 { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// Returns this response reduced to the parts that are stored.
    package func retained(by retention: ResponseRetention) -> IdempotentResponse {
        var retained = HTTPFields()
        for field in fields where retention.fields.contains(field.name.canonicalName) { retained.append(field) }
        return IdempotentResponse(status, fields: retained, body: body)
    }
}

extension HTTPField.Name {
    /// Marks a response as a repetition.
    public static let idempotencyReplayed = makeName("Idempotency-Replayed")
    /// The sequence of a write's changes in a later sync; a client keeps its own overlay until then.
    public static let syncSequence = makeName("X-Sync-Sequence")
    /// The header that carries the key of a write.
    public static let xIdempotencyKey = makeName("X-Idempotency-Key")
    /// The same header, as the IETF's draft names it.
    public static let idempotencyKey = makeName("Idempotency-Key")
}

public import HTTPTypes

/// What a handler answers: small enough to be held in memory and remembered.
public struct ServerAnswer: Hashable, Sendable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields; `Content-Length` is left to the server.
    public var fields: HTTPFields
    /// The body, whole.
    public var body: [UInt8]

    /// Takes an answer as it is.
    public init(_ status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer whose body is a JSON text.
    public init(_ status: HTTPResponse.Status, json: String) {
        self.init(status, fields: [.contentType: "application/json; charset=utf-8"], body: Array(json.utf8))
    }

    /// Whether a retry could only be given the same answer, so that it is remembered and its effect committed.
    ///
    /// Not final is what asks for another try: 401, 408, 425, 429, 5xx, and 409 with `Retry-After`.
    public var isFinal: Bool {
        switch status.code {
        case 200..<400: true
        case 401, 408, 425, 429: false
        case 409: fields[.retryAfter] == nil
        case 400..<500: true
        default: false
        }
    }

    /// This answer as it is given again: marked, unless it is a 409.
    ///
    /// A client that knows servers which answer 409 to every repetition takes a marked 409 to say that its write was
    /// executed; the 409 of a handler says the opposite, also the second time.
    var replayed: ServerAnswer {
        var answer = self
        if status.code != 409 { answer.fields[.idempotencyReplayed] = "true" }
        return answer
    }

    /// This answer with only what is remembered of it.
    func kept(by retention: AnswerRetention) -> ServerAnswer {
        var kept = HTTPFields()
        for field in fields where retention.fields.contains(field.name.canonicalName) { kept.append(field) }
        return ServerAnswer(status, fields: kept, body: body)
    }
}

extension HTTPField.Name {
    /// Marks an answer as given before.
    public static let idempotencyReplayed = makeName("Idempotency-Replayed")
    /// The sequence under which the changes of a write come back in a sync; a client keeps its own effect until then.
    public static let syncSequence = makeName("X-Sync-Sequence")
    /// The header that carries the key of a write.
    public static let xIdempotencyKey = makeName("X-Idempotency-Key")
    /// The same, as the IETF's draft calls it.
    public static let idempotencyKey = makeName("Idempotency-Key")
}

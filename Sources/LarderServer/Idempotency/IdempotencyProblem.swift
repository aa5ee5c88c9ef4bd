public import HTTPTypes
import LarderJSON

/// A refusal caused by the key or its request, not by the handler (RFC 9457).
public struct IdempotencyProblem: Error, Hashable, Sendable {
    /// The kind of a problem; the last part of the problem's type.
    public enum Kind: String, CaseIterable, Sendable {
        /// 400: the route requires a key, and the request has none.
        case keyMissing = "key-missing"
        /// 400: the key is malformed.
        case keyMalformed = "key-malformed"
        /// 409: a request with this key is being executed.
        case inProgress = "in-progress"
        /// 422: the key belongs to another request.
        case keyReused = "key-reused"
        /// 429: the account has as many keys as it may have.
        case tooManyKeys = "too-many-keys"
        /// 413: the body is longer than the route accepts.
        case bodyTooLong = "body-too-long"
        /// 503: the store of keys cannot be used now.
        case unavailable
        /// 422: the body is no batch.
        case batchMalformed = "batch-malformed"

        /// The type as it appears in the body.
        public var type: String { "urn:larder:idempotency:" + rawValue }
    }

    /// The kind of the problem.
    public let kind: Kind
    /// A human-readable sentence.
    public let detail: String
    /// The value of `Retry-After`, in whole seconds.
    public let retryAfter: Int64?

    init(_ kind: Kind, _ detail: String, retryAfter: Int64? = nil) {
        self.kind = kind
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// The status.
    public var status: HTTPResponse.Status {
        switch kind {
        case .keyMissing, .keyMalformed: .badRequest
        case .inProgress: .conflict
        case .keyReused, .batchMalformed: .unprocessableContent
        case .bodyTooLong: .contentTooLarge
        case .tooManyKeys: .tooManyRequests
        case .unavailable: .serviceUnavailable
        }
    }

    /// The response that reports the refusal.
    public var response: IdempotentResponse {
        var writer = JSONWriter()
        writer.raw("{\"type\":")
        writer.string(kind.type)
        writer.raw(",\"title\":")
        writer.string(detail)
        writer.raw(",\"status\":")
        writer.integer(Int64(status.code))
        writer.raw("}")
        var response = IdempotentResponse(
            status, fields: [.contentType: "application/problem+json"], body: writer.bytes)
        if let retryAfter { response.fields[.retryAfter] = String(retryAfter) }
        return response
    }
}

extension IdempotencyProblem {
    static func missingKey(_ field: HTTPField.Name) -> IdempotencyProblem {
        IdempotencyProblem(.keyMissing, "This request needs a key in \(field.rawName)")
    }

    static func malformedKey(_ field: HTTPField.Name) -> IdempotencyProblem {
        IdempotencyProblem(.keyMalformed, "The key in \(field.rawName) must be 1 to 128 visible characters")
    }

    static func inProgress(retryAfter seconds: Int64) -> IdempotencyProblem {
        IdempotencyProblem(.inProgress, "A request with this key is being executed", retryAfter: max(1, seconds))
    }

    static let keyReused = IdempotencyProblem(.keyReused, "This key was used for another request")

    static func tooManyKeys(retryAfter seconds: Int64) -> IdempotencyProblem {
        IdempotencyProblem(
            .tooManyKeys, "The account has too many writes whose keys are still kept", retryAfter: max(1, seconds))
    }

    /// Returns the refusal of a request whose store cannot be used now, for stores: 503, to be sent again after these seconds.
    public static func unavailable(retryAfter seconds: Int64) -> IdempotencyProblem {
        IdempotencyProblem(.unavailable, "The keys of writes cannot be looked up now", retryAfter: max(1, seconds))
    }

    static func bodyTooLong(limit: Int) -> IdempotencyProblem {
        IdempotencyProblem(.bodyTooLong, "The body must not be longer than \(limit) bytes")
    }
}

public import HTTPTypes

/// The rules of a route: the header field of its key, and which responses are stored for how long.
public struct IdempotencyPolicy: Sendable {
    /// The methods that carry keys.
    public static let methods: [HTTPRequest.Method] = [.post, .put, .patch, .delete]

    /// The header field with the key.
    public var field: HTTPField.Name
    /// Whether a request without a key is refused. Otherwise such a request is executed every time.
    public var isRequired: Bool
    /// The time a response is stored. Clients rely on it: do not shorten it without changing them.
    public var lifetime: Duration
    /// The time one execution holds its key. After it a retry may run first; then the slower execution has no effect.
    public var lease: Duration
    /// The longest body of a request, in bytes.
    public var longestBody: Int
    /// The longest body of a response, in bytes. An effect with a longer one is not committed.
    public var longestResponse: Int
    /// The maximum number of keys that an account has within ``lifetime``; further writes are refused with 429 until
    /// some have expired.
    public var keysPerAccount: Int
    /// The header fields of a response that are stored.
    public var retainedFields: [HTTPField.Name]

    /// Creates the rules. By default `X-Idempotency-Key` is required, a response is stored for 24 hours, a lease is 30
    /// seconds, bodies have at most 1 MiB, responses 256 KiB, and an account has at most 100,000 keys.
    public init(
        field: HTTPField.Name = .xIdempotencyKey, isRequired: Bool = true, lifetime: Duration = .seconds(24 * 60 * 60),
        lease: Duration = .seconds(30), longestBody: Int = 1 << 20, longestAnswer: Int = 256 << 10,
        keysPerAccount: Int = 100_000, rememberedFields: [HTTPField.Name] = Self.standardFields
    ) {
        precondition(lifetime > .zero && lease > .zero, "\(lifetime) and \(lease) are no times to remember")
        precondition(longestBody >= 0 && longestAnswer >= 0, "a limit is below zero")
        precondition(keysPerAccount >= 1, "an account needs a key to write")
        self.field = field
        self.isRequired = isRequired
        self.lifetime = lifetime
        self.lease = lease
        self.longestBody = longestBody
        self.longestResponse = longestAnswer
        self.keysPerAccount = keysPerAccount
        self.retainedFields = rememberedFields
    }

    /// The fields that describe the response's body and the written resource, `X-Sync-Sequence` included.
    public static let standardFields: [HTTPField.Name] = [
        .contentType, .contentLanguage, .location, .eTag, .lastModified, .syncSequence,
    ]

    /// The rules with the header field `Idempotency-Key` of the IETF's draft.
    public static let draft = IdempotencyPolicy(field: .idempotencyKey)

    /// Returns the key that the fields carry; nil when there is none and none is required.
    ///
    /// - Throws: ``IdempotencyProblem`` with status 400 when it is missing or malformed.
    func key(in fields: HTTPFields) throws(IdempotencyProblem) -> String? {
        guard let value = fields[field] else {
            if isRequired { throw .missingKey(field) }
            return nil
        }
        guard let text = IdempotencyKey.text(ofField: value) else { throw .malformedKey(field) }
        return text
    }

    var retention: ResponseRetention {
        ResponseRetention(
            milliseconds: Self.milliseconds(lifetime), fields: Set(retainedFields.map(\.canonicalName)),
            longestBody: longestResponse, keysPerAccount: keysPerAccount)
    }

    /// Returns the end of a lease that begins now, in milliseconds since 1970-01-01 UTC.
    func leaseEnd(from now: Int64) -> Int64 {
        let (end, isOver) = now.addingReportingOverflow(Self.milliseconds(lease))
        return isOver ? .max : end
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isSumOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isOver || isSumOver ? .max : max(1, sum)
    }
}

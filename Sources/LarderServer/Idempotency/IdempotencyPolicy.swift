public import HTTPTypes

/// The rules of a route: where its key stands, and how long which answers are remembered.
public struct IdempotencyPolicy: Sendable {
    /// The methods that carry keys.
    public static let methods: [HTTPRequest.Method] = [.post, .put, .patch, .delete]

    /// The header field with the key.
    public var field: HTTPField.Name
    /// Whether a request without a key is refused. Otherwise it runs every time it comes.
    public var isRequired: Bool
    /// How long an answer is remembered. Clients rely on it: do not shorten it without them.
    public var lifetime: Duration
    /// How long one execution holds its key. One that takes longer may be overtaken by a retry, and is then given up.
    public var lease: Duration
    /// The longest body of a request, in bytes.
    public var longestBody: Int
    /// The longest body of an answer, in bytes. An effect with a longer one is not committed.
    public var longestAnswer: Int
    /// The header fields of an answer that are remembered.
    public var rememberedFields: [HTTPField.Name]

    /// `X-Idempotency-Key`, required; 24 hours; a lease of 30 seconds; bodies of at most 1 MiB, answers of 256 KiB.
    public init(
        field: HTTPField.Name = .xIdempotencyKey, isRequired: Bool = true, lifetime: Duration = .seconds(24 * 60 * 60),
        lease: Duration = .seconds(30), longestBody: Int = 1 << 20, longestAnswer: Int = 256 << 10,
        rememberedFields: [HTTPField.Name] = Self.standardFields
    ) {
        precondition(lifetime > .zero && lease > .zero, "\(lifetime) and \(lease) are no times to remember")
        precondition(longestBody >= 0 && longestAnswer >= 0, "a limit is below zero")
        self.field = field
        self.isRequired = isRequired
        self.lifetime = lifetime
        self.lease = lease
        self.longestBody = longestBody
        self.longestAnswer = longestAnswer
        self.rememberedFields = rememberedFields
    }

    /// What describes the answer's body and what the write made, `X-Sync-Sequence` included.
    public static let standardFields: [HTTPField.Name] = [
        .contentType, .contentLanguage, .location, .eTag, .lastModified, .syncSequence,
    ]

    /// The rules with the header field `Idempotency-Key` of the IETF's draft.
    public static let draft = IdempotencyPolicy(field: .idempotencyKey)

    /// The key that the fields carry; nil when there is none and none is required.
    ///
    /// - Throws: 400 when it is missing or malformed.
    func key(in fields: HTTPFields) throws(IdempotencyProblem) -> String? {
        guard let value = fields[field] else {
            if isRequired { throw .missingKey(field) }
            return nil
        }
        guard let text = IdempotencyKey.text(ofField: value) else { throw .malformedKey(field) }
        return text
    }

    var retention: AnswerRetention {
        AnswerRetention(
            milliseconds: Self.milliseconds(lifetime), fields: Set(rememberedFields.map(\.canonicalName)),
            longestBody: longestAnswer)
    }

    /// When a lease taken now ends, in milliseconds since 1970-01-01 UTC.
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

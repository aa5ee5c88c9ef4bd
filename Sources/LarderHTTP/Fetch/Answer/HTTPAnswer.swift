public import HTTPTypes

/// An answer to a fetch: a head, and a body that is read when asked for.
public struct HTTPAnswer: Sendable {
    /// The status and the header fields; of an answer from the cache with its `Age`.
    public var head: HTTPResponse
    /// The body.
    public var body: AnswerBody
    /// What the answer was made of, when it comes from the cache.
    var entry: CachedResponse?

    /// An answer of these two parts.
    public init(head: HTTPResponse, body: AnswerBody) {
        self.head = head
        self.body = body
    }

    /// Whether the status speaks of success (2xx).
    public var isSuccess: Bool { head.status.kind == .successful }
}

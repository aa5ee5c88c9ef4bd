public import HTTPTypes

/// An answer to a fetch: a head, and a body that is read on demand.
///
/// ```swift
/// let answer = try await cache.fetch(request).value  // the head has arrived; the body is read on demand
/// guard answer.isSuccess else { throw HTTPCacheError.server(answer.head) }
/// print(answer.head.headerFields[.contentType] ?? "no type")
/// for try await piece in answer.body { print(piece.count, "bytes") }
/// ```
public struct HTTPAnswer: Sendable {
    /// The status and the header fields; an answer from the cache has its `Age` among them.
    public var head: HTTPResponse
    /// The body.
    public var body: AnswerBody
    /// The stored response behind the answer, when it comes from the cache.
    var entry: CachedResponse?

    /// An answer of these two parts.
    public init(head: HTTPResponse, body: AnswerBody) {
        self.head = head
        self.body = body
    }

    /// Whether the status is a success (2xx).
    public var isSuccess: Bool { head.status.kind == .successful }
}

internal import HTTPTypes
public import LarderTransport

/// How often, and after which waits, a failed fetch of a query is tried again.
///
/// The waits go by the host's clock. While they last, the query counts as being fetched, and has no error. Nothing is tried
/// again once the network is away, unless the query's mode is ``KeyedQueryOptions/Mode/always``: an observed query is fetched when the
/// network is back.
///
/// ```swift
/// let options = KeyedQueryOptions(retry: QueryRetry(limit: 3, isFinal: { $0 is DecodingError }))
/// ```
public struct QueryRetry: Sendable {
    /// The most tries after the first one, 0 or more.
    public var limit: Int
    /// The waits before them.
    public var waits: RetryPolicy
    /// Whether an error of the fetch would come again however often it is tried.
    public var isFinal: @Sendable (any Error) -> Bool

    /// Creates a rule of these parts.
    ///
    /// - Parameters:
    ///   - limit: the most tries after the first one, 0 or more.
    ///   - waits: 1, 2, 4 … 30 seconds, less chance, by default.
    ///   - isFinal: by default no error but an ``HTTPCacheError`` that another try does not mend: an answer that cannot be understood, a
    ///     status under 500 other than 408, 425 and 429, a request that cannot be sent.
    public init(
        limit: Int = 3, waits: RetryPolicy = RetryPolicy(first: .seconds(1), limit: .seconds(30), jitter: 0.2),
        isFinal: @escaping @Sendable (any Error) -> Bool = { ($0 as? HTTPCacheError)?.isLasting ?? false }
    ) {
        precondition(limit >= 0, "a limit of \(limit) tries")
        self.limit = limit
        self.waits = waits
        self.isFinal = isFinal
    }

    /// No second try.
    public static let none = QueryRetry(limit: 0)
}

extension HTTPCacheError {
    /// Whether the same request would fail again, and not for want of a network or of a server in order.
    public var isLasting: Bool {
        guard case .server(let head) = self else { return !isUnanswered }
        return head.status.code < 500 && ![408, 425, 429].contains(head.status.code)
    }
}

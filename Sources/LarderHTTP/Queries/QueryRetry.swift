internal import HTTPTypes
public import LarderTransport

/// The number of further tries of a failed fetch of a query, and the waits before them.
///
/// The waits follow the host's clock. During a wait the query counts as being fetched, and has no error. Nothing is
/// tried again while there is no network, unless the query's mode is ``KeyedQueryOptions/Mode/always``: an observed
/// query is fetched when the network is back.
///
/// ```swift
/// let options = KeyedQueryOptions(retry: QueryRetry(limit: 3, isFinal: { $0 is DecodingError }))
/// ```
public struct QueryRetry: Sendable {
    /// The most tries after the first one, 0 or more.
    public var limit: Int
    /// The waits before these tries.
    public var waits: RetryPolicy
    /// Whether an error of the fetch is final, so that no further try would help.
    public var isFinal: @Sendable (any Error) -> Bool

    /// Creates a rule of these parts.
    ///
    /// - Parameters:
    ///   - limit: the most tries after the first one, 0 or more.
    ///   - waits: by default 1, 2, 4 … 30 seconds, less a random part of up to a fifth.
    ///   - isFinal: by default true only for an ``HTTPCacheError`` that another try does not resolve: a response that
    ///     cannot be understood, a status under 500 other than 408, 425 and 429, a request that cannot be sent.
    public init(
        limit: Int = 3, waits: RetryPolicy = RetryPolicy(first: .seconds(1), limit: .seconds(30), jitter: 0.2),
        isFinal: @escaping @Sendable (any Error) -> Bool = { ($0 as? HTTPCacheError)?.isPermanent ?? false }
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
    /// Whether the same request would fail again, for another reason than a missing network or a failing server.
    public var isPermanent: Bool {
        guard case .server(let head) = self else { return !isUnanswered }
        return head.status.code < 500 && ![408, 425, 429].contains(head.status.code)
    }
}

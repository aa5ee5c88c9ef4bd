/// The origin of an answer.
///
/// ```swift
/// switch try await cache.fetch(request).origin {
/// case .network: print("sent by the server")
/// case .cache: print("stored, and no request was needed")
/// case .revalidated: print("stored, and just confirmed by the server")
/// }
/// ```
public enum AnswerOrigin: String, Hashable, Sendable {
    /// The server's own bytes.
    case network
    /// A stored response, without a request.
    case cache
    /// A stored response that the server has just confirmed (304).
    case revalidated
}

/// The freshness of an answer.
///
/// ```swift
/// switch try await cache.fetch(request, .staleIfOffline).state {
/// case .fresh, .unknown: break
/// case .stale: print("a newer version may be on the server")
/// case .expiredServedOffline(let since):
///     print("offline, out of date since", Date(timeIntervalSince1970: Double(since) / 1000))
/// }
/// ```
public enum AnswerState: Hashable, Sendable {
    /// Fresh until this time, in milliseconds since 1970-01-01 UTC.
    case fresh(until: Int64)
    /// Stale since this time, and still permitted.
    case stale(since: Int64)
    /// Stale since this time, and used because the server could not be reached.
    case expiredServedOffline(since: Int64)
    /// The freshness is unknown, as for an answer that is not stored.
    case unknown
}

/// An answer, with its origin and freshness.
///
/// ```swift
/// let articles = try await cache.value(of: request, .staleIfOffline) { bytes in
///     try JSONDecoder().decode([Article].self, from: Data(bytes))
/// }
/// print(articles.value.count, articles.origin)
/// if case .expiredServedOffline = articles.state { print("offline: these may be out of date") }
/// ```
public struct Fetched<Value: Sendable>: Sendable {
    /// The answer itself.
    public var value: Value
    /// The origin of the answer.
    public var origin: AnswerOrigin
    /// The freshness of the answer.
    public var state: AnswerState
    /// The age of the answer; nil when it is unknown.
    public var age: Duration?
    /// Whether another answer to the same request follows.
    public var isIntermediate: Bool
    /// The reason the cache was used, asked for a validation, or was bypassed.
    public var reuse: CacheReason
    /// The reason the answer is stored or not.
    public var storage: CacheReason

    /// An answer of these parts.
    public init(
        value: Value, origin: AnswerOrigin, state: AnswerState, age: Duration?, isIntermediate: Bool,
        reuse: CacheReason,
        storage: CacheReason
    ) {
        self.value = value
        self.origin = origin
        self.state = state
        self.age = age
        self.isIntermediate = isIntermediate
        self.reuse = reuse
        self.storage = storage
    }

    /// Returns the same answer with another value.
    ///
    /// - Throws: the error of `transform`.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> Fetched<Other> {
        Fetched<Other>(
            value: try transform(value), origin: origin, state: state, age: age,
            isIntermediate: isIntermediate, reuse: reuse, storage: storage)
    }
}

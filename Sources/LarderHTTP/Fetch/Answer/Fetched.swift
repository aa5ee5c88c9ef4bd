/// Where an answer comes from.
public enum AnswerOrigin: String, Hashable, Sendable {
    /// The server's own bytes.
    case network
    /// What was stored, without asking.
    case cache
    /// What was stored, confirmed by the server just now (304).
    case revalidated
}

/// How fresh an answer is.
public enum AnswerState: Hashable, Sendable {
    /// Fresh until this time, in milliseconds since 1970-01-01 UTC.
    case fresh(until: Int64)
    /// Stale since this time, and still allowed.
    case stale(since: Int64)
    /// Stale since this time, and shown because the server could not be asked.
    case expiredServedOffline(since: Int64)
    /// The answer is not one that ages, such as a refusal.
    case unknown
}

/// An answer, and how it came about.
public struct Fetched<Value: Sendable>: Sendable {
    /// What was asked for.
    public var value: Value
    /// Where it comes from.
    public var origin: AnswerOrigin
    /// How fresh it is.
    public var state: AnswerState
    /// Its age; nil when nothing is known of it.
    public var age: Duration?
    /// Whether another answer to the same request is still to come.
    public var isIntermediate: Bool
    /// Why the cache was used, asked to validate, or passed by.
    public var reuse: CacheReason
    /// Why the answer is kept or not.
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

    /// The same answer with another value.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> Fetched<Other> {
        Fetched<Other>(
            value: try transform(value), origin: origin, state: state, age: age,
            isIntermediate: isIntermediate, reuse: reuse, storage: storage)
    }
}

/// The answer of a query.
public struct Queried<Value: Sendable>: Sendable {
    /// What was asked for.
    public let value: Value
    /// When it was fetched or set, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// Whether it is older than its query wants, or was invalidated.
    public let isStale: Bool
    /// Whether a newer one is being fetched.
    public let isFetching: Bool
}

/// How a query stands at one moment.
public struct QueryState<Value: Sendable>: Sendable {
    /// The value, if there is any.
    public let value: Value?
    /// When it was fetched or set, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64?
    /// Whether there is no value, or one that is older than its query wants.
    public let isStale: Bool
    /// Whether one is being fetched.
    public let isFetching: Bool
    /// Why the last fetch failed; nil once one has succeeded.
    public let error: (any Error)?
}

/// Why a query has no answer.
public enum KeyedQueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no network, and nothing that may be answered without it.
    case offline
    /// The query may not fetch yet, and has no value.
    case disabled

    /// What happened, in one line.
    public var description: String {
        switch self {
        case .offline: "The query needs the network, which is away."
        case .disabled: "The query is not enabled yet, and has no value."
        }
    }
}

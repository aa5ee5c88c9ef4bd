/// The result of a query.
public struct Queried<Value: Sendable>: Sendable {
    /// The requested value.
    public let value: Value
    /// The time of the fetch or of setting it, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64
    /// Whether it is older than its query allows, or was invalidated.
    public let isStale: Bool
    /// Whether a newer one is being fetched.
    public let isFetching: Bool
}

/// The state of a query at one point in time.
public struct QueryState<Value: Sendable>: Sendable {
    /// The value, if there is any.
    public let value: Value?
    /// The time of the fetch or of setting it, in milliseconds since 1970-01-01 UTC.
    public let updatedAt: Int64?
    /// Whether there is no value, or one that is older than its query allows or was invalidated.
    public let isStale: Bool
    /// Whether one is being fetched.
    public let isFetching: Bool
    /// The error of the last fetch; nil once one has succeeded.
    public let error: (any Error)?
}

/// The reason a query has no result.
public enum KeyedQueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no network, and no value that may be used without it.
    case offline
    /// The query may not fetch yet, and has no value.
    case disabled

    /// The error in one line.
    public var description: String {
        switch self {
        case .offline: "The query needs the network, and there is no connection."
        case .disabled: "The query is not enabled yet, and has no value."
        }
    }
}

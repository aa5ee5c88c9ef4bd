/// The action of a query on a request: a pure table.
enum QueryStep: Hashable, Sendable {
    /// Return the cached value.
    case answer
    /// Return the cached value, and fetch a newer one meanwhile.
    case answerAndFetch
    /// Fetch, and return the result.
    case fetch
    /// Fail.
    case fail(KeyedQueryError)

    /// Returns the action for the given circumstances.
    static func next(
        mode: KeyedQueryOptions.Mode, hasValue: Bool, isStale: Bool, isOnline: Bool, isEnabled: Bool
    ) -> QueryStep {
        if !isEnabled { return hasValue ? .answer : .fail(.disabled) }
        if hasValue, !isStale { return .answer }
        switch mode {
        case .always: return .fetch
        case .online: return isOnline ? .fetch : .fail(.offline)
        case .offlineFirst:
            if isOnline { return hasValue ? .answerAndFetch : .fetch }
            return hasValue ? .answer : .fail(.offline)
        }
    }
}

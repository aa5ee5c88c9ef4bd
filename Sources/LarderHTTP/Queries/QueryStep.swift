/// What a query does when it is asked: a pure table.
enum QueryStep: Hashable, Sendable {
    /// Answer with the value that is there.
    case answer
    /// Answer with the value that is there, and fetch a newer one meanwhile.
    case answerAndFetch
    /// Fetch, and answer with what comes.
    case fetch
    /// Fail.
    case fail(KeyedQueryError)

    /// What to do in the given circumstances.
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

internal import LarderTransport

/// The state of one key.
struct QueryEntry: Sendable {
    /// The value, of a type that only its callers know.
    var value: (any Sendable)?
    /// The time of the fetch or of setting it, in milliseconds since 1970-01-01 UTC.
    var updatedAt: Int64?
    /// Whether it must be fetched again, whatever its age.
    var isInvalidated = false
    /// The number of the table at the last invalidation; 0: never. A fetch that began before does not undo it.
    var invalidatedAt: UInt64 = 0
    /// The tags of its value: those of every query that requested the key, and those it was set or stored with.
    var tags: Set<String> = []
    /// The observation that invalidates it after commits to the rows that its fetch reads.
    var follower: QueryFollower?
    /// Whether the store need not be read for it any more.
    var isRestored = false
    /// The error of the last fetch; nil once one has succeeded.
    var error: (any Error)?
    /// The fetch under way.
    var flight: QueryFlight?
    /// Grows with every change made beside a fetch, whose result is then not stored.
    var version: UInt64 = 0
    /// The observers, by number.
    var observers: [UInt64: QueryObserver] = [:]
    /// The observers that need a fetch of their type; another type than that of the fetch under way is next.
    var awaiting: Set<UInt64> = []
    /// The time of the last use, in milliseconds since 1970-01-01 UTC.
    var usedAt: Int64
    /// The options of the last use.
    var options: KeyedQueryOptions

    /// Whether the value is missing, invalidated or too old at `now`; a clock that was moved back makes it stale.
    func isStale(_ options: KeyedQueryOptions, at now: Int64) -> Bool {
        guard let updatedAt, value != nil, !isInvalidated else { return true }
        guard let limit = options.staleAfter else { return false }
        return now < updatedAt || now - updatedAt >= limit.milliseconds
    }

    /// Whether it may be removed from memory.
    func isGarbage(at now: Int64, isOnline: Bool) -> Bool {
        guard flight == nil, observers.isEmpty, let keepFor = options.keepFor else { return false }
        if options.keepsWhileOffline, !isOnline { return false }
        return now >= usedAt && now - usedAt >= keepFor.milliseconds
    }
}

/// An observer of a key, with its fetch function.
struct QueryObserver: Sendable {
    let options: KeyedQueryOptions
    /// The type of value that is watched.
    let type: ObjectIdentifier
    /// Whether a value is of that type.
    let watches: @Sendable (any Sendable) -> Bool
    let begin: @Sendable () -> Void
    /// Reports the state of the entry, which has a number that grows with each change.
    let report: @Sendable (QueryEntry, _ number: UInt64) -> Void
}

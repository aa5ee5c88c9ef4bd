internal import LarderTransport

/// What is known of one key.
struct QueryEntry: Sendable {
    /// The value, of a type that only its callers know.
    var value: (any Sendable)?
    /// When it was fetched or set, in milliseconds since 1970-01-01 UTC.
    var updatedAt: Int64?
    /// Whether it is to be fetched again whatever its age.
    var isInvalidated = false
    /// When it was last invalidated, as a number of the table; 0: never. A fetch that began before does not undo it.
    var invalidatedAt: UInt64 = 0
    /// The tags of its value: those of every query that asked for the key.
    var tags: Set<String> = []
    /// What invalidates it after commits to the rows that its fetch reads.
    var follower: QueryFollower?
    /// Whether the store was asked for it.
    var isRestored = false
    /// Why the last fetch failed.
    var error: (any Error)?
    /// The fetch under way.
    var flight: QueryFlight?
    /// Grows with every change made beside a flight, whose result then comes too late.
    var version: UInt64 = 0
    /// The observers, by number.
    var observers: [UInt64: QueryObserver] = [:]
    /// The observers that need a fetch of their type; those of another type than the fetch under way have theirs after it.
    var awaiting: Set<UInt64> = []
    /// When somebody last asked, in milliseconds since 1970-01-01 UTC.
    var usedAt: Int64
    /// How the last asker wants it kept.
    var options: KeyedQueryOptions

    /// Whether the value is too old at `now`, or missing; a clock that went back makes it stale.
    func isStale(_ options: KeyedQueryOptions, at now: Int64) -> Bool {
        guard let updatedAt, value != nil, !isInvalidated else { return true }
        guard let limit = options.staleAfter else { return false }
        return now < updatedAt || now - updatedAt >= limit.milliseconds
    }

    /// Whether it may be forgotten.
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

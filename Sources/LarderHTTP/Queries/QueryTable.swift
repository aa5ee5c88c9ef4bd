/// A change of all keys that begin with one, not yet written to the store.
struct QuerySweep: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case invalidation, removal
    }

    let prefix: QueryKey
    let kind: Kind
}

/// Every key that is known.
struct QueryTable: Sendable {
    /// How often to look for entries that nobody needs, in milliseconds.
    private static let collectionInterval: Int64 = 60_000

    private var entries: [QueryKey: QueryEntry] = [:]
    private var collectedAt: Int64?
    /// Numbers flights, invalidations, sweeps, observers and values that are being kept, in the order they came.
    private var lastNumber: UInt64 = 0
    private var sweeps: [UInt64: QuerySweep] = [:]
    /// Which value of a key is being kept in the store; one that was overtaken or removed meanwhile is not written.
    private var keeping: [QueryKey: UInt64] = [:]
    /// Counts the beginnings and ends of sweeps: what was read from the store before one may have been changed by it.
    private(set) var sweepCount: UInt64 = 0

    subscript(key: QueryKey) -> QueryEntry? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// The keys that begin with `prefix`.
    func keys(from prefix: QueryKey) -> [QueryKey] { entries.keys.filter { $0.hasPrefix(prefix) } }

    /// The entry of a key, noted as used.
    mutating func use(_ key: QueryKey, _ options: KeyedQueryOptions, at now: Int64) -> QueryEntry {
        var entry = entries[key] ?? QueryEntry(usedAt: now, options: options)
        entry.usedAt = now
        entry.options = options
        entries[key] = entry
        return entry
    }

    /// The next number; the first is 1.
    mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Begins a change that is to be written to the store; it replaces an equal one, which it repeats.
    mutating func begin(_ sweep: QuerySweep) -> UInt64 {
        let number = makeNumber()
        if sweep.kind == .invalidation { sweeps = sweeps.filter { $0.value != sweep } }
        sweeps[number] = sweep
        sweepCount += 1
        if sweep.kind == .removal { keeping = keeping.filter { !$0.key.hasPrefix(sweep.prefix) } }
        return number
    }

    /// The change is written to the store.
    mutating func endSweep(_ number: UInt64) {
        sweeps[number] = nil
        sweepCount += 1
    }

    /// Whether a change of this kind applies to `key`, and may not be written to the store yet.
    func isSwept(_ key: QueryKey, by kind: QuerySweep.Kind) -> Bool {
        sweeps.values.contains { $0.kind == kind && key.hasPrefix($0.prefix) }
    }

    /// Begins to keep a new value of `key`, in place of an older one that may be under way.
    mutating func beginKeeping(_ key: QueryKey) -> UInt64 {
        let number = makeNumber()
        keeping[key] = number
        return number
    }

    /// Whether a value is still the one to keep.
    func isKeeping(_ key: QueryKey, _ number: UInt64) -> Bool { keeping[key] == number }

    /// A value is kept, or could not be.
    mutating func endKeeping(_ key: QueryKey, _ number: UInt64) {
        if keeping[key] == number { keeping[key] = nil }
    }

    /// The texts of the keys that begin with `prefix` and have a value; with `isValid` only one that is not invalidated.
    func texts(from prefix: QueryKey, isValid: Bool) -> Set<String> {
        Set(
            entries.lazy.filter { key, entry in
                entry.value != nil && !(isValid && entry.isInvalidated) && key.hasPrefix(prefix)
            }.map(\.key.text))
    }

    /// Whether the value of `key` was invalidated, as far as is known in memory.
    func isInvalidated(_ key: QueryKey) -> Bool {
        entries[key]?.isInvalidated ?? isSwept(key, by: .invalidation)
    }

    /// Forgets what was not used for as long as it is to be kept; looks once a minute.
    mutating func collect(at now: Int64, isOnline: Bool) {
        if let last = collectedAt, now >= last, now - last < Self.collectionInterval { return }
        collectedAt = now
        entries = entries.filter { !$0.value.isGarbage(at: now, isOnline: isOnline) }
    }
}

/// The selection of the values that a change applies to.
enum QuerySelection: Hashable, Sendable {
    /// The values whose keys begin with one.
    case prefix(QueryKey)
    /// The values with a tag.
    case tag(String)

    func selects(_ key: QueryKey, _ tags: Set<String>) -> Bool {
        switch self {
        case .prefix(let prefix): key.hasPrefix(prefix)
        case .tag(let tag): tags.contains(tag)
        }
    }
}

/// A change of all selected values, not yet written to the store.
struct QuerySweep: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case invalidation, removal
    }

    let selection: QuerySelection
    let kind: Kind
}

/// The entries of all known keys.
struct QueryTable: Sendable {
    /// The interval between searches for unused entries, in milliseconds.
    private static let collectionInterval: Int64 = 60_000

    private var entries: [QueryKey: QueryEntry] = [:]
    private var collectedAt: Int64?
    /// The last number given to a fetch, an invalidation, a sweep, an observer or a value to store, in their order.
    private var lastNumber: UInt64 = 0
    private var sweeps: [UInt64: QuerySweep] = [:]
    /// The number of the value of a key that is being stored; one replaced or removed meanwhile is not written.
    private var persisting: [QueryKey: UInt64] = [:]
    /// The number of beginnings and ends of sweeps: one of them may have changed what was read from the store before.
    private(set) var sweepCount: UInt64 = 0

    subscript(key: QueryKey) -> QueryEntry? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// Returns the keys of the selected values.
    func keys(in selection: QuerySelection) -> [QueryKey] {
        entries.compactMap { selection.selects($0.key, $0.value.tags) ? $0.key : nil }
    }

    /// Returns the entry of a key, and records its use.
    mutating func use(_ key: QueryKey, _ options: KeyedQueryOptions, at now: Int64) -> QueryEntry {
        var entry = entries[key] ?? QueryEntry(usedAt: now, options: options)
        entry.usedAt = now
        entry.options = options
        entry.tags.formUnion(options.tags)
        entries[key] = entry
        return entry
    }

    /// Returns the next number; the first is 1.
    mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Begins a change that is to be written to the store; an invalidation replaces an equal one, which it repeats.
    mutating func begin(_ sweep: QuerySweep) -> UInt64 {
        let number = makeNumber()
        if sweep.kind == .invalidation { sweeps = sweeps.filter { $0.value != sweep } }
        sweeps[number] = sweep
        sweepCount += 1
        if sweep.kind == .removal {
            persisting = persisting.filter { !sweep.selection.selects($0.key, tags(of: $0.key)) }
        }
        return number
    }

    /// Ends a change that is written to the store.
    mutating func endSweep(_ number: UInt64) {
        sweeps[number] = nil
        sweepCount += 1
    }

    /// Whether a change of this kind applies to `key`, and may not be written to the store yet.
    ///
    /// - Parameter tags: the tags of its value, beside those that are known of the key.
    func isSwept(_ key: QueryKey, _ tags: Set<String> = [], by kind: QuerySweep.Kind) -> Bool {
        let tags = tags.union(self.tags(of: key))
        return sweeps.values.contains { $0.kind == kind && $0.selection.selects(key, tags) }
    }

    /// Returns the tags that are known of a key.
    func tags(of key: QueryKey) -> Set<String> { entries[key]?.tags ?? [] }

    /// Begins to store a new value of `key`, in place of an older one that may be under way.
    mutating func beginPersisting(_ key: QueryKey) -> UInt64 {
        let number = makeNumber()
        persisting[key] = number
        return number
    }

    /// Whether a value is still the one to store.
    func isPersisting(_ key: QueryKey, _ number: UInt64) -> Bool { persisting[key] == number }

    /// Ends the storing of a value, also after a failure.
    mutating func endPersisting(_ key: QueryKey, _ number: UInt64) {
        if persisting[key] == number { persisting[key] = nil }
    }

    /// Returns the texts of the keys of selected values; with `isValid` only of those that are not invalidated.
    func texts(in selection: QuerySelection, isValid: Bool) -> Set<String> {
        Set(
            entries.lazy.filter { key, entry in
                entry.value != nil && !(isValid && entry.isInvalidated) && selection.selects(key, entry.tags)
            }.map(\.key.text))
    }

    /// Whether the value of `key` was invalidated, as far as is known in memory.
    func isInvalidated(_ key: QueryKey) -> Bool {
        entries[key]?.isInvalidated ?? isSwept(key, by: .invalidation)
    }

    /// Removes the entries that were unused for as long as they are kept; checks once a minute.
    mutating func collect(at now: Int64, isOnline: Bool) {
        if let last = collectedAt, now >= last, now - last < Self.collectionInterval { return }
        collectedAt = now
        entries = entries.filter { !$0.value.isGarbage(at: now, isOnline: isOnline) }
    }
}

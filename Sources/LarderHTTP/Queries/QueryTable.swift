/// Every key that is known.
struct QueryTable: Sendable {
    /// How often to look for entries that nobody needs, in milliseconds.
    private static let collectionInterval: Int64 = 60_000

    private var entries: [QueryKey: QueryEntry] = [:]
    private var collectedAt: Int64?
    private var nextObserver: UInt64 = 0

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

    /// A number for a new observer.
    mutating func makeObserver() -> UInt64 {
        defer { nextObserver += 1 }
        return nextObserver
    }

    /// Forgets what was not used for as long as it is to be kept; looks once a minute.
    mutating func collect(at now: Int64, isOnline: Bool) {
        if let last = collectedAt, now >= last, now - last < Self.collectionInterval { return }
        collectedAt = now
        entries = entries.filter { !$0.value.isGarbage(at: now, isOnline: isOnline) }
    }
}

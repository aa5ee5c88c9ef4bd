internal import LarderStore
internal import Synchronization

extension QueryCache {
    /// Puts a value in place, as if it had just been fetched; a fetch under way comes too late.
    public func set<Value: Codable & Sendable>(_ value: Value, for key: QueryKey) async {
        let now = host.now()
        change(key) { entry in
            entry.take(value, at: now)
            entry.version += 1
        }
        await persist(value, for: key, at: now)
    }

    /// The value of `key` that is there, whatever its age; never fetches.
    public func peek<Value: Codable & Sendable>(_ type: Value.Type, for key: QueryKey) async -> Value? {
        await restore(key, type, KeyedQueryOptions(keepFor: nil))
        return entries.withLock { $0[key]?.value as? Value }
    }

    /// Marks the values of all keys that begin with `prefix` as stale; those somebody watches are fetched again.
    public func invalidate(_ prefix: QueryKey) {
        for key in keys(from: prefix) {
            change(key) { $0.isInvalidated = true }
            refresh(key)
        }
    }

    /// Gives up the fetches of all keys that begin with `prefix`; values stay, waiters get `CancellationError`.
    public func cancel(_ prefix: QueryKey) {
        for key in keys(from: prefix) {
            let flight = entries.withLock { table in
                let flight = table[key]?.flight
                table[key]?.flight = nil
                return flight
            }
            flight?.cancel()
            if flight != nil { tellObservers(of: key) }
        }
    }

    /// Forgets the values of all keys that begin with `prefix`, in memory and in the store.
    public func remove(_ prefix: QueryKey) async throws {
        cancel(prefix)
        for key in keys(from: prefix) {
            change(key) { entry in
                entry.value = nil
                entry.updatedAt = nil
                entry.error = nil
                // The store has nothing to read back any more.
                entry.isRestored = true
                entry.version += 1
            }
        }
        try await removeRows(prefix)
    }

    /// Tells the cache that the network is back: what is watched and stale is fetched again.
    public func reconnected() {
        for key in keys(from: []) { refresh(key) }
    }

    func keys(from prefix: QueryKey) -> [QueryKey] { entries.withLock { $0.keys(from: prefix) } }

    func change(_ key: QueryKey, _ edit: (inout QueryEntry) -> Void) {
        let now = host.now()
        entries.withLock { table in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: KeyedQueryOptions())
            edit(&entry)
            table[key] = entry
        }
        tellObservers(of: key)
    }

    /// Fetches the value of a key that somebody watches, when its own options call for it.
    func refresh(_ key: QueryKey) {
        let now = host.now()
        let online = isOnline()
        let observer = entries.withLock { table -> QueryObserver? in
            guard let entry = table[key] else { return nil }
            return entry.observers.values.first { observer in
                let step = QueryStep.next(
                    mode: observer.options.mode, hasValue: entry.value != nil,
                    isStale: entry.isStale(observer.options, at: now), isOnline: online,
                    isEnabled: observer.options.isEnabled())
                return step == .fetch || step == .answerAndFetch
            }
        }
        observer?.begin()
    }
}

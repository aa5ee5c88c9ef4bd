internal import LarderStore
internal import Logging
internal import Synchronization

extension QueryCache {
    /// Puts a value in place, as if it had just been fetched; a fetch under way comes too late.
    public func set<Value: Codable & Sendable>(_ value: Value, for key: QueryKey) async {
        let now = host.now()
        let number = entries.withLock { table in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: KeyedQueryOptions())
            entry.store(value, at: now)
            entry.version += 1
            table[key] = entry
            return table.beginKeeping(key)
        }
        notifyObservers(of: key)
        await persist(value, for: key, at: now, as: number)
    }

    /// The value of `key` that is there, whatever its age; never fetches.
    public func peek<Value: Codable & Sendable>(_ type: Value.Type, for key: QueryKey) async -> Value? {
        await restore(key, type, KeyedQueryOptions(keepFor: nil))
        return entries.withLock { $0[key]?.value as? Value }
    }

    /// Marks the values of all keys that begin with `prefix` as stale; those with an observer are fetched again.
    ///
    /// Also applies to stored values not yet loaded since launch: when the call returns, a relaunch does not undo it. The
    /// value of a fetch under way is stale from the beginning.
    public func invalidate(_ prefix: QueryKey) async {
        await finish(beginInvalidation(prefix), of: prefix)
    }

    /// As ``invalidate(_:)``, for callers that cannot wait: the store is updated asynchronously.
    package func invalidateSoon(_ prefix: QueryKey) {
        let number = beginInvalidation(prefix)
        Task { await finish(number, of: prefix) }
    }

    private func beginInvalidation(_ prefix: QueryKey) -> UInt64 {
        let (number, keys) = entries.withLock { table in
            let number = table.begin(QuerySweep(prefix: prefix, kind: .invalidation))
            let keys = table.keys(from: prefix)
            for key in keys {
                table[key]?.isInvalidated = true
                table[key]?.invalidatedAt = number
            }
            return (number, keys)
        }
        for key in keys {
            notifyObservers(of: key)
            refresh(key)
        }
        return number
    }

    private func finish(_ number: UInt64, of prefix: QueryKey) async {
        // In a task of its own: the caller's may be cancelled, and then the store would not learn of it.
        await Task {
            do {
                try await markRows(prefix)
                entries.withLock { $0.endSweep(number) }
            } catch {
                // It holds for as long as the cache lives.
                host.logger.warning("could not keep an invalidation", metadata: ["error": "\(error)"])
            }
        }.value
    }

    /// Gives up the fetches of all keys that begin with `prefix`; values stay, waiters get `CancellationError`.
    public func cancel(_ prefix: QueryKey) {
        for key in keys(from: prefix) {
            let flight = entries.withLock { table in
                let flight = table[key]?.flight
                table[key]?.flight = nil
                table[key]?.awaiting = []
                return flight
            }
            flight?.cancel()
            if flight != nil { notifyObservers(of: key) }
        }
    }

    /// Forgets the values of all keys that begin with `prefix`, in memory and in the store.
    public func remove(_ prefix: QueryKey) async throws {
        let (number, keys, flights) = entries.withLock { table in
            // All at once: a value that is set meanwhile comes before or after, in memory as in the store.
            let number = table.begin(QuerySweep(prefix: prefix, kind: .removal))
            let keys = table.keys(from: prefix)
            let flights = keys.compactMap { table[$0]?.flight }
            for key in keys { table[key]?.clear() }
            return (number, keys, flights)
        }
        defer { entries.withLock { $0.endSweep(number) } }
        for flight in flights { flight.cancel() }
        for key in keys { notifyObservers(of: key) }
        try await removeRows(prefix)
    }

    /// Tells the cache that the network is back: what is watched and stale is fetched again.
    public func reconnected() {
        for key in keys(from: []) { refresh(key) }
    }

    func keys(from prefix: QueryKey) -> [QueryKey] { entries.withLock { $0.keys(from: prefix) } }

    /// Fetches the value of a key for its observers, where their options call for it; one type after another.
    func refresh(_ key: QueryKey) {
        let now = host.now()
        let online = isOnline()
        entries.withLock { table in
            guard let entry = table[key] else { return }
            let due = entry.observers.filter { Self.isDue($0.value, entry, now, isOnline: online) }
            table[key]?.awaiting.formUnion(due.keys)
        }
        fetchForAwaiting(key)
    }

    /// Fetches for the first of the observers that await a fetch and still need one.
    ///
    /// The observers of other types go on awaiting theirs. None is added here: two types would take turns without end.
    func fetchForAwaiting(_ key: QueryKey) {
        let now = host.now()
        let online = isOnline()
        let observer = entries.withLock { table -> QueryObserver? in
            guard var entry = table[key], !entry.awaiting.isEmpty else { return nil }
            entry.awaiting = entry.awaiting.filter { number in
                entry.observers[number].map { Self.isDue($0, entry, now, isOnline: online) } ?? false
            }
            table[key] = entry
            return entry.awaiting.min().flatMap { entry.observers[$0] }
        }
        observer?.begin()
    }

    private static func isDue(
        _ observer: QueryObserver, _ entry: QueryEntry, _ now: Int64, isOnline: Bool
    ) -> Bool {
        let step = QueryStep.next(
            mode: observer.options.mode, hasValue: entry.value.map(observer.watches) ?? false,
            isStale: entry.isStale(observer.options, at: now), isOnline: isOnline,
            isEnabled: observer.options.isEnabled())
        return step == .fetch || step == .answerAndFetch
    }
}

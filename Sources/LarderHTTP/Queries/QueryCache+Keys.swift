internal import LarderStore
internal import Logging
internal import Synchronization

extension QueryCache {
    /// Puts a value in place, as if it had just been fetched; a fetch under way comes too late.
    public func set<Value: Codable & Sendable>(_ value: Value, for key: QueryKey) async {
        let now = host.now()
        let number = entries.withLock { table in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: KeyedQueryOptions())
            entry.take(value, at: now)
            entry.version += 1
            table[key] = entry
            return table.beginKeeping(key)
        }
        tellObservers(of: key)
        await persist(value, for: key, at: now, as: number)
    }

    /// The value of `key` that is there, whatever its age; never fetches.
    public func peek<Value: Codable & Sendable>(_ type: Value.Type, for key: QueryKey) async -> Value? {
        await restore(key, type, KeyedQueryOptions(keepFor: nil))
        return entries.withLock { $0[key]?.value as? Value }
    }

    /// Marks the values of all keys that begin with `prefix` as stale; those somebody watches are fetched again.
    ///
    /// Values that are kept in the store are meant, too, also those nobody has asked for since the launch: when the call
    /// returns, a relaunch does not undo it. What a fetch under way brings is stale from the beginning.
    public func invalidate(_ prefix: QueryKey) async {
        await finish(beginInvalidation(prefix), of: prefix)
    }

    /// As ``invalidate(_:)``, for callers that cannot wait: the store is told behind their backs.
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
            tellObservers(of: key)
            refresh(key)
        }
        return number
    }

    private func finish(_ number: UInt64, of prefix: QueryKey) async {
        do {
            try await markRows(prefix)
            entries.withLock { $0.endSweep(number) }
        } catch {
            // It holds for as long as the cache lives.
            host.logger.warning("could not keep an invalidation", metadata: ["error": "\(error)"])
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
        for key in keys { tellObservers(of: key) }
        try await removeRows(prefix)
    }

    /// Tells the cache that the network is back: what is watched and stale is fetched again.
    public func reconnected() {
        for key in keys(from: []) { refresh(key) }
    }

    func keys(from prefix: QueryKey) -> [QueryKey] { entries.withLock { $0.keys(from: prefix) } }

    /// Fetches the value of a key that somebody watches, when its own options call for it.
    func refresh(_ key: QueryKey) {
        let now = host.now()
        let online = isOnline()
        let observer = entries.withLock { table -> QueryObserver? in
            guard let entry = table[key] else { return nil }
            return entry.observers.values.first { observer in
                let hasValue = entry.value.map(observer.watches) ?? false
                let step = QueryStep.next(
                    mode: observer.options.mode, hasValue: hasValue,
                    isStale: entry.isStale(observer.options, at: now), isOnline: online,
                    isEnabled: observer.options.isEnabled())
                return step == .fetch || step == .answerAndFetch
            }
        }
        observer?.begin()
    }
}

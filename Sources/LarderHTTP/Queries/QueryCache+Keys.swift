internal import LarderStore
internal import Logging
internal import Synchronization

extension QueryCache {
    /// Puts a value in place, as if it had just been fetched; a fetch under way comes too late.
    ///
    /// - Parameter tags: added to those of the queries that asked for the key.
    public func set<Value: Codable & Sendable>(
        _ value: Value, for key: QueryKey, tags: Set<String> = []
    ) async {
        let now = host.now()
        let number = entries.withLock { table in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: KeyedQueryOptions())
            entry.store(value, at: now)
            entry.tags.formUnion(tags)
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
    public func invalidate(_ prefix: QueryKey) async { await invalidate(.prefix(prefix)) }

    /// As ``invalidate(_:)``, for the values with a tag, whatever their keys (``KeyedQueryOptions/tags``).
    ///
    /// A stored value that was not loaded since launch has the tags that it was stored with.
    ///
    /// ```swift
    /// let options = KeyedQueryOptions(tags: ["outlet 7"])
    /// let visits = try await cache.value(for: ["visits"], options: options) { try await fetchVisits() }
    /// await cache.invalidate(tag: "outlet 7")
    /// ```
    public func invalidate(tag: String) async { await invalidate(.tag(tag)) }

    private func invalidate(_ selection: QuerySelection) async {
        await finish(beginInvalidation(selection), of: selection)
    }

    /// As ``invalidate(_:)``, for callers that cannot wait: the store is updated asynchronously.
    package func invalidateSoon(_ prefix: QueryKey) {
        let number = beginInvalidation(.prefix(prefix))
        Task { await finish(number, of: .prefix(prefix)) }
    }

    private func beginInvalidation(_ selection: QuerySelection) -> UInt64 {
        let (number, keys) = entries.withLock { table in
            let number = table.begin(QuerySweep(selection: selection, kind: .invalidation))
            let keys = table.keys(in: selection)
            for key in keys { table[key]?.invalidate(as: number) }
            return (number, keys)
        }
        for key in keys {
            notifyObservers(of: key)
            refresh(key)
        }
        return number
    }

    private func finish(_ number: UInt64, of selection: QuerySelection) async {
        // In a task of its own: the caller's may be cancelled, and then the store would not learn of it.
        await Task {
            do {
                try await markRows(selection)
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
            let number = table.begin(QuerySweep(selection: .prefix(prefix), kind: .removal))
            let keys = table.keys(in: .prefix(prefix))
            let flights = keys.compactMap { table[$0]?.flight }
            for key in keys { table[key]?.clear() }
            return (number, keys, flights)
        }
        defer { entries.withLock { $0.endSweep(number) } }
        for flight in flights { flight.cancel() }
        for key in keys { notifyObservers(of: key) }
        try await removeRows(prefix)
    }

    func keys(from prefix: QueryKey) -> [QueryKey] { entries.withLock { $0.keys(in: .prefix(prefix)) } }
}

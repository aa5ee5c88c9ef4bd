internal import LarderStore
internal import Logging
internal import Synchronization

extension QueryCache {
    /// Stores a value as if it had just been fetched; the result of a fetch under way is not stored.
    ///
    /// - Parameters:
    ///   - value: the value to store.
    ///   - key: the key of the value.
    ///   - tags: tags to add to those of the queries of the key.
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
            return table.beginPersisting(key)
        }
        notifyObservers(of: key)
        await persist(value, for: key, at: now, as: number)
    }

    /// Returns the cached value of `key`, stale or not, without a fetch; nil when there is none of that type.
    ///
    /// A value that has to be read back from the store must be within the maximum age of ``Persistence``.
    public func peek<Value: Codable & Sendable>(_ type: Value.Type, for key: QueryKey) async -> Value? {
        await restore(key, type, KeyedQueryOptions(keepFor: nil))
        return entries.withLock { $0[key]?.value as? Value }
    }

    /// Marks the values of all keys that begin with `prefix` as stale, and fetches those with an observer again.
    ///
    /// Stored values that were not loaded since launch are marked too: after the call returns, a relaunch does not undo
    /// it. A failure to store the mark is logged. The value of a fetch under way is stale from the beginning.
    public func invalidate(_ prefix: QueryKey) async { await invalidate(.prefix(prefix)) }

    /// Marks the values with a tag as stale, as ``invalidate(_:)``, whatever their keys (``KeyedQueryOptions/tags``).
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

    /// Marks values as stale, as ``invalidate(_:)``, without a wait: the store is updated asynchronously.
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
        // Runs in a task of its own: if the caller's task is cancelled, the store must still record the invalidation.
        await Task {
            do {
                try await markRows(selection)
                entries.withLock { $0.endSweep(number) }
            } catch {
                // The sweep stays in memory, so that the invalidation holds for as long as the cache exists.
                host.logger.warning("could not keep an invalidation", metadata: ["error": "\(error)"])
            }
        }.value
    }

    /// Cancels the fetches of all keys that begin with `prefix`; values stay, waiters receive `CancellationError`.
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

    /// Removes the values of all keys that begin with `prefix`, from memory and then from the store.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func remove(_ prefix: QueryKey) async throws {
        let (number, keys, flights) = entries.withLock { table in
            // One step: a value set concurrently is wholly before or after the removal, in memory as in the store.
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

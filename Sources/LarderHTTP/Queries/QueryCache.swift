public import LarderStore
internal import Logging
internal import Synchronization

/// A cache of the values of asynchronous functions, by structured key: stored, refreshed when stale, readable offline.
///
/// One fetch at a time runs per key. A request made after an invalidation, or for another value type, waits for the
/// running fetch and then starts its own. Values of selected keys are stored as rows, and are read back when the key
/// is requested. All times are the host's.
///
/// ```swift
/// let queries = QueryCache.system(store: store)
/// let options = KeyedQueryOptions(staleAfter: .seconds(60), tags: ["articles"])
/// let articles = try await queries.value(for: ["articles"], options: options) { try await loadArticles() }
/// print(articles.value.count, articles.isStale)  // a stale list comes at once, and is fetched again
/// await queries.invalidate(tag: "articles")
/// ```
public final class QueryCache: Sendable {
    /// The storage of values beyond the lifetime of the process.
    public struct Persistence: Sendable {
        let store: Store
        let coder: any PayloadCoder
        let maximumAge: Duration?
        let includes: @Sendable (QueryKey) -> Bool

        /// Stores the values whose keys `includes` selects, in `store`.
        ///
        /// A value whose key is longer than a row's key may be (some 400 bytes) stays in memory only; this is logged.
        ///
        /// - Parameters:
        ///   - store: the store that keeps the values.
        ///   - coder: converts values to payloads and back.
        ///   - maximumAge: the age up to which a value is read back, unless it is kept while offline; nil: any age.
        ///   - includes: selects the keys to store, such as those of lists and a profile, but not of analytics.
        public init(
            store: Store, coder: any PayloadCoder, maximumAge: Duration? = .seconds(86_400),
            includes: @escaping @Sendable (QueryKey) -> Bool
        ) {
            self.store = store
            self.coder = coder
            self.maximumAge = maximumAge
            self.includes = includes
        }
    }

    let host: HostServices
    let isOnline: @Sendable () -> Bool
    let persistence: Persistence?
    let entries = Mutex(QueryTable())

    /// Creates a cache without values.
    ///
    /// - Parameters:
    ///   - host: the clock, random identifiers, and the log.
    ///   - isOnline: returns whether there is a network now; called for every query.
    ///   - persistence: the storage of values; nil keeps all of them in memory only.
    public init(
        host: HostServices, isOnline: @escaping @Sendable () -> Bool = { true }, persistence: Persistence? = nil
    ) {
        self.host = host
        self.isOnline = isOnline
        self.persistence = persistence
    }

    /// Returns the value of `key`, from the cache or from `fetch`, as `options` specify.
    ///
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - options: the rules by which the cache and the fetch are used.
    ///   - fetch: runs in a task of its own, which is not cancelled with the caller's.
    /// - Throws: ``KeyedQueryError/offline`` when a fetch is needed without a network; ``KeyedQueryError/disabled``
    ///   when the query has no value and is not enabled; the error of `fetch` when its value was waited for;
    ///   `CancellationError`.
    public func value<Value: Codable & Sendable>(
        for key: QueryKey, options: KeyedQueryOptions = KeyedQueryOptions(),
        fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Queried<Value> {
        await restore(key, Value.self, options)
        follow(key, options)
        let now = host.now()
        let online = isOnline()
        let (entry, step) = entries.withLock { table in
            table.collect(at: now, isOnline: online)
            let entry = table.use(key, options, at: now)
            let step = QueryStep.next(
                mode: options.mode, hasValue: entry.value is Value, isStale: entry.isStale(options, at: now),
                isOnline: online, isEnabled: options.isEnabled())
            return (entry, step)
        }
        switch step {
        case .fail(let error): throw error
        case .answer: return answer(entry, options, now, isFetching: entry.flight != nil)
        case .answerAndFetch:
            _ = flight(for: key, options, .whole, fetch)
            return answer(entry, options, now, isFetching: true)
        case .fetch: return try await fetched(key, options, .whole, after: entry.invalidatedAt, fetch)
        }
    }

    /// Returns the value of a fetch that began after the number `invalidatedAt`.
    func fetched<Value: Codable & Sendable>(
        _ key: QueryKey, _ options: KeyedQueryOptions, _ kind: QueryFlight.Kind, after invalidatedAt: UInt64,
        _ fetch: @escaping @Sendable () async throws -> Value
    ) async throws -> Queried<Value> {
        while true {
            let flight = flight(for: key, options, kind, fetch)
            let isOwn =
                flight.type == ObjectIdentifier(Value.self) && flight.kind == kind && flight.beganAt > invalidatedAt
            do {
                let value = try await flight.value()
                guard isOwn, let value = value as? Value else { continue }
                let now = host.now()
                let entry = entries.withLock { $0[key] }
                return Queried(
                    value: value, updatedAt: entry?.updatedAt ?? now,
                    isStale: kind == .addition && entry?.isStale(options, at: now) ?? false, isFetching: false)
            } catch {
                // Errors of an older fetch are reported to its own callers only.
                if isOwn || error is CancellationError { throw error }
            }
        }
    }

    private func answer<Value: Sendable>(
        _ entry: QueryEntry, _ options: KeyedQueryOptions, _ now: Int64, isFetching: Bool
    ) -> Queried<Value> {
        guard let value = entry.value as? Value, let updatedAt = entry.updatedAt else {
            preconditionFailure("a query result without a value")
        }
        return Queried(
            value: value, updatedAt: updatedAt, isStale: entry.isStale(options, at: now), isFetching: isFetching)
    }
}

// MARK: - Fetching

extension QueryCache {
    /// Returns the fetch under way for `key`, and begins one when there is none.
    func flight<Value: Codable & Sendable>(
        for key: QueryKey, _ options: KeyedQueryOptions, _ kind: QueryFlight.Kind,
        _ fetch: @escaping @Sendable () async throws -> Value
    ) -> QueryFlight {
        startFetch(key, ObjectIdentifier(Value.self), kind) { [self] in
            let value = try await retrying(options, fetch)
            return (value, { await self.persist(value, for: key, at: $0, as: $1) })
        }
    }

    /// Returns a fetch as ``flight(for:_:_:_:)``; `fetch` returns the value and the function that stores it.
    private func startFetch(
        _ key: QueryKey, _ type: ObjectIdentifier, _ kind: QueryFlight.Kind,
        _ fetch: @escaping @Sendable () async throws -> (any Sendable, @Sendable (Int64, UInt64) async -> Void)
    ) -> QueryFlight {
        let now = host.now()
        let (flight, version, isNew) = entries.withLock { table -> (QueryFlight, UInt64, Bool) in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: KeyedQueryOptions())
            if let flight = entry.flight { return (flight, entry.version, false) }
            let flight = QueryFlight(type, kind, beganAt: table.makeNumber())
            entry.flight = flight
            table[key] = entry
            return (flight, entry.version, true)
        }
        guard isNew else { return flight }
        notifyObservers(of: key)
        flight.begin { [self] in
            do {
                let (value, persistValue) = try await fetch()
                let now = host.now()
                let stored = finishFetch(flight, key, version) { entry, table in
                    entry.store(value, at: now, kind)
                    return (entry.updatedAt ?? now, table.beginPersisting(key))
                }
                if let stored { await persistValue(stored.0, stored.1) }
                flight.finish(.success(value))
            } catch {
                _ = finishFetch(flight, key, version) { entry, _ in
                    if !(error is CancellationError) { entry.error = error }
                    return nil
                }
                flight.finish(.failure(error))
            }
        }
        return flight
    }

    /// Ends a fetch in its entry, and returns the result of `change`; nil, without a call, when the entry has changed.
    private func finishFetch(
        _ flight: QueryFlight, _ key: QueryKey, _ version: UInt64,
        _ change: (inout QueryEntry, inout QueryTable) -> (Int64, UInt64)?
    ) -> (Int64, UInt64)? {
        let (stored, isOutdated) = entries.withLock { table -> ((Int64, UInt64)?, Bool) in
            guard var entry = table[key], entry.flight === flight else { return (nil, false) }
            entry.flight = nil
            if flight.kind == .whole {
                entry.awaiting = entry.awaiting.filter { entry.observers[$0].map { $0.type != flight.type } ?? false }
            }
            let isLatest = entry.version == version
            let stored = isLatest ? change(&entry, &table) : nil
            // An invalidation during the fetch also covers its result; a value set meanwhile keeps its own state.
            let isOutdated = entry.invalidatedAt > flight.beganAt
            if isOutdated, isLatest { entry.isInvalidated = true }
            table[key] = entry
            return (stored, isOutdated)
        }
        notifyObservers(of: key)
        if isOutdated { refresh(key) } else { fetchForAwaiting(key) }
        return stored
    }
}

extension QueryEntry {
    /// Removes the value, and drops the fetch that may bring another.
    mutating func clear() {
        flight = nil
        awaiting = []
        value = nil
        updatedAt = nil
        error = nil
        // The store has nothing to read back any more.
        isRestored = true
        version += 1
    }

    /// Stores a new value.
    ///
    /// - Parameter kind: an addition leaves the age and the invalidation of an existing value as they are.
    mutating func store(_ value: any Sendable, at time: Int64, _ kind: QueryFlight.Kind = .whole) {
        if kind == .whole || self.value == nil {
            updatedAt = time
            isInvalidated = false
        }
        self.value = value
        isRestored = true
        error = nil
    }

    /// Marks the value as invalidated; a fetch that began before the number does not undo that.
    mutating func invalidate(as number: UInt64) {
        isInvalidated = true
        invalidatedAt = number
    }
}

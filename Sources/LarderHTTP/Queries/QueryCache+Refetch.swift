internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

// Fetches that the cache starts by itself.
extension QueryCache {
    /// Fetches the observed values that are stale again, after the network is back.
    public func reconnected() {
        for key in keys(from: []) { refresh(key) }
    }

    /// Fetches the observed values that are stale again, after the app came to the foreground.
    public func focused() { reconnected() }

    /// Fetches the value of a key for the observers whose options require it; one value type after another.
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
    /// The observers of other types keep waiting for theirs. None is added here: two types would fetch in turn for
    /// ever.
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

    /// Fetches the value of a key whenever it reaches the age of an interval, until the task is cancelled.
    func poll(_ key: QueryKey, _ observer: QueryObserver, every interval: Duration) async {
        let length = max(interval.milliseconds, 1)
        while !Task.isCancelled {
            let now = host.now()
            let age = entries.withLock { $0[key]?.updatedAt }.map { now - $0 }
            // The wait depends on the age of the value, so that two observers cause one fetch.
            var rest = length
            if let age, (0..<length).contains(age) {
                rest -= age
            } else if observer.options.mayFetch(isOnline: isOnline()) {
                observer.begin()
            }
            do { try await host.sleep(.milliseconds(rest)) } catch { return }
        }
    }

    /// Calls `fetch`, and repeats it after waits, up to the limit of tries and as long as its errors are not final.
    ///
    /// - Throws: the last error of `fetch`; `CancellationError`.
    func retrying<Value: Sendable>(
        _ options: KeyedQueryOptions, _ fetch: @Sendable () async throws -> Value
    ) async throws -> Value {
        var failures = 0
        while true {
            do {
                return try await fetch()
            } catch {
                failures += 1
                guard failures <= options.retry.limit, !(error is CancellationError), !options.retry.isFinal(error),
                    options.mayFetch(isOnline: isOnline())
                else { throw error }
                // The low bits of a random identifier are random.
                let jitter = Double(host.makeID().low & 0xFFFF_FFFF) / 0x1p32
                try await host.sleep(options.retry.waits.delay(afterFailures: failures, random: jitter))
                guard options.mayFetch(isOnline: isOnline()) else { throw error }
            }
        }
    }
}

// MARK: - The rows that a fetch reads

/// An observation that invalidates a key after commits to the rows that its fetch reads, for as long as it exists.
final class QueryFollower: Sendable {
    private let task: Task<Void, Never>

    init(_ source: KeyedQueryOptions.Source, _ act: @escaping @Sendable () -> Void) {
        let regions = source.regions
        // Changes are followed from here on, not from when the task runs.
        let changes = source.store.changes(in: regions.count == 1 ? regions[0] : .everything)
        task = Task {
            for await change in changes where regions.contains(where: { $0.intersects(change) }) { act() }
        }
    }

    deinit { task.cancel() }
}

extension QueryCache {
    /// Invalidates a query's value after commits to the rows that it reads, from now on; a key's first source counts.
    func follow(_ key: QueryKey, _ options: KeyedQueryOptions) {
        guard let source = options.source, entries.withLock({ $0[key]?.follower == nil }) else { return }
        let follower = QueryFollower(source) { [weak self] in self?.invalidateOne(key) }
        let now = host.now()
        entries.withLock { table in
            var entry = table[key] ?? QueryEntry(usedAt: now, options: options)
            guard entry.follower == nil else { return }
            entry.follower = follower
            // Earlier commits may have changed the rows unnoticed.
            entry.invalidate(as: table.makeNumber())
            table[key] = entry
        }
    }

    /// Invalidates one value, in memory only: a value read back from the store is invalidated when it is followed.
    private func invalidateOne(_ key: QueryKey) {
        entries.withLock { table in
            let number = table.makeNumber()
            table[key]?.invalidate(as: number)
        }
        notifyObservers(of: key)
        refresh(key)
    }
}

internal import LarderStore
internal import Synchronization

extension QueryCache {
    /// Returns the state of the query now and after every change; a slow reader receives the newest state only.
    ///
    /// A fetch begins with the observation, when the value is invalidated, when the network is back or the app comes to
    /// the foreground (``reconnected()``, ``focused()``), and by ``KeyedQueryOptions/refetchInterval``, as `options`
    /// specify. The sequence ends with the reading task.
    public func states<Value: Codable & Sendable>(
        for key: QueryKey, options: KeyedQueryOptions = KeyedQueryOptions(),
        fetch: @escaping @Sendable () async throws -> Value
    ) -> some AsyncSequence<QueryState<Value>, Never> & Sendable {
        let (stream, continuation) = AsyncStream.makeStream(
            of: QueryState<Value>.self, bufferingPolicy: .bufferingNewest(1))
        let host = host
        let reports = ReportOrder()
        let observer = QueryObserver(
            options: options, type: ObjectIdentifier(Value.self), watches: { $0 is Value },
            begin: { [weak self] in _ = self?.flight(for: key, options, .whole, fetch) },
            report: { entry, number in
                let value = entry.value as? Value
                let state = QueryState(
                    value: value, updatedAt: entry.updatedAt,
                    isStale: value == nil || entry.isStale(options, at: host.now()), isFetching: entry.flight != nil,
                    error: entry.error)
                reports.deliver(number) { continuation.yield(state) }
            })
        let watch = Watch()
        continuation.onTermination = { _ in watch.end() }
        let beginning = Task {
            await restore(key, Value.self, options)
            follow(key, options)
            if Task.isCancelled { return }
            let now = host.now()
            let online = isOnline()
            let number = entries.withLock { table in
                table.collect(at: now, isOnline: online)
                var entry = table.use(key, options, at: now)
                let number = table.makeNumber()
                entry.observers[number] = observer
                table[key] = entry
                return number
            }
            watch.whenEnded { [weak self] in self?.removeObserver(key, number) }
            notifyObservers(of: key)
            refresh(key)
            if let interval = options.refetchInterval { await poll(key, observer, every: interval) }
        }
        watch.whenEnded { beginning.cancel() }
        return stream
    }

    private func removeObserver(_ key: QueryKey, _ number: UInt64) {
        let now = host.now()
        entries.withLock { table in
            table[key]?.observers[number] = nil
            table[key]?.usedAt = now
        }
    }

    /// Notifies the observers of `key` of its state.
    func notifyObservers(of key: QueryKey) {
        let (entry, number) = entries.withLock { table in (table[key], table.makeNumber()) }
        // Without the lock: a yield waits for the end of a cancellation of the reader, which acquires it.
        guard let entry else { return }
        for observer in entry.observers.values { observer.report(entry, number) }
    }
}

/// Delivers the states of one query to one observer: none after a newer one.
private final class ReportOrder: Sendable {
    private let last = Mutex<UInt64>(0)

    func deliver(_ number: UInt64, _ yield: () -> Void) {
        last.withLock { last in
            guard number > last else { return }
            last = number
            yield()
        }
    }
}

/// The lifetime of one reader of states: each action for its end runs once, at once if the reader has already ended.
private final class Watch: Sendable {
    private let actions = Mutex<[@Sendable () -> Void]?>([])

    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        let isOver = actions.withLock { actions in
            actions?.append(action)
            return actions == nil
        }
        if isOver { action() }
    }

    func end() {
        for action in actions.withLock({ $0.take() }) ?? [] { action() }
    }
}

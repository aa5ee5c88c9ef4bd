internal import LarderFormat
public import LarderStore
internal import Synchronization

extension SyncCoordinator {
    /// What the coordinator is about now.
    ///
    /// - Complexity: a lookup in the store for each member of each filter.
    public var status: SyncStatus {
        let lists = state.withLock { $0.lists }
        let readiness = (try? store.read { view in try view.readiness(with: lists) }) ?? []
        let now = store.host.now()
        let moment = Moment(elapsed: store.host.elapsed(), now: now)
        return state.withLock { state in
            SyncStatus(
                isRunning: state.loop != nil,
                network: state.loop?.machine.network ?? .offline,
                power: state.loop?.machine.power ?? .normal,
                isForcedOffline: state.isForcedOffline,
                allowance: state.loop?.machine.allowance ?? .nothing,
                filters: state.filters.map { filter, priority in
                    let text = filter.description
                    let readiness = readiness.first { $0.filter == text }
                    return FilterStatus(
                        filter: text, priority: priority, activity: state.activity(of: text, at: moment),
                        readiness: readiness,
                        isOverdue: readiness?.isOverdue(now: now, after: policy.overdueAfter.milliseconds) ?? false,
                        lastError: readiness?.lastError ?? state.loop?.machine.lastError(of: text)?.description)
                })
        }
    }

    /// The status now, and again whenever it changes, until the reader ends. A reader that is slow gets the newest.
    ///
    /// Progress of runs is told ten times a second at most.
    public func statuses() -> AsyncStream<SyncStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        continuation.onTermination = { [weak self] _ in
            // Let go outside the lock: the end of a continuation may run code of others.
            let removed = self?.state.withLock { $0.observers.removeValue(forKey: number) }
            _ = removed
        }
        publishing.withLock { _ in
            state.withLock { $0.observers[number] = continuation }
            continuation.yield(status)
        }
        return stream
    }

    /// Waits until everything a filter asks for can be read without the server, and says how ready it is.
    ///
    /// Waits as long as it takes, also without a network; cancel it to stop. What is complete already is told at once.
    ///
    /// - Throws: `CancellationError`; ``StoreError``, ``EngineError/closed`` among what a read throws.
    public func waitUntilReady(_ filter: ResourceFilter) async throws -> FilterReadiness {
        let text = filter.description
        let lists = state.withLock { $0.lists }
        // Members become complete by swaps, which are not changes of the filter's own record.
        for try await readiness in store.values(
            in: .everything,
            { view in
                try lists[text].map { try view.readiness(ofList: $0.resource, named: text) } ?? view.readiness(of: text)
            })
        {
            if let readiness, readiness.isComplete { return readiness }
        }
        throw CancellationError()
    }

    /// Tells observers the status, if it is another than they know.
    func publish(isProgress: Bool) {
        let elapsed = store.host.elapsed()
        let isWanted = state.withLock { state in
            if state.observers.isEmpty { return false }
            if isProgress, let last = state.publishedAt, elapsed - last < .milliseconds(100) { return false }
            state.publishedAt = elapsed
            return true
        }
        guard isWanted else { return }
        publishing.withLock { _ in
            let status = status
            let observers = state.withLock { state -> [AsyncStream<SyncStatus>.Continuation] in
                if state.published == status { return [] }
                state.published = status
                return Array(state.observers.values)
            }
            for observer in observers { observer.yield(status) }
        }
    }
}

extension CoordinatorState {
    /// What is being done for a filter.
    func activity(of text: String, at moment: Moment) -> FilterStatus.Activity {
        guard let loop else { return .waiting(for: .coordinator) }
        if let progress = loop.progress[text] { return .running(progress) }
        guard let obstacle = loop.machine.obstacle(of: text, at: moment) else { return .idle }
        return .waiting(for: obstacle)
    }
}

extension ReadView {
    /// How ready every filter is, and every list.
    fileprivate borrowing func readiness(with lists: [String: PagedList]) throws -> [FilterReadiness] {
        var all = try readiness()
        for (text, list) in lists {
            if let readiness = try readiness(ofList: list.resource, named: text) { all.append(readiness) }
        }
        return all
    }
}

internal import LarderFormat
public import LarderStore
internal import LarderTransport
internal import Synchronization

extension SyncCoordinator {
    /// What the coordinator is about now.
    ///
    /// - Complexity: a lookup in the store for each member of each filter.
    public var status: SyncStatus {
        let now = store.host.now()
        let moment = Moment(elapsed: store.host.elapsed(), now: now)
        // What runs first, then the store: what is called idle has everything that its run brought.
        var (status, lists) = state.withLock { ($0.status(at: moment), $0.lists) }
        // A store that cannot be read fails the next run, which says so; what runs and waits is told all the same.
        let readiness = (try? store.read { view in try view.readiness(with: lists) }) ?? []
        for index in status.filters.indices {
            guard let ready = readiness.first(where: { $0.filter == status.filters[index].filter }) else { continue }
            status.filters[index].readiness = ready
            // The machine knows of the time that passed while the clock was set back.
            if ready.isOverdue(now: now, after: policy.overdueAfter.milliseconds) {
                status.filters[index].isOverdue = true
            }
            status.filters[index].lastError = ready.lastError ?? status.filters[index].lastError
        }
        return status
    }

    /// The status now, and again whenever it changes, until the reader ends. A reader that is slow gets the newest.
    ///
    /// Progress of runs is published ten times a second at most.
    public func statuses() -> AsyncStream<SyncStatus> {
        // Followed before the status is read: a change made after the reading finds a follower, and is published.
        let stream = statusBroadcast.states()
        statusBroadcast.update { status }
        return stream
    }

    /// Waits until everything a filter asks for can be read without the server, and says how ready it is.
    ///
    /// Waits as long as it takes, also without a network; cancel it to stop. What is complete already is told at once. It
    /// does not wait for what nothing under way will bring (``ResourceReadiness/isStuck``): once all else is here, it
    /// throws and names these resources. They may still come: what was evicted when it is opened or kept, and what failed
    /// when it is tried again; then the call may be repeated.
    ///
    /// What failed in an earlier launch, or in a run before the one under way, may come with the next run: while the
    /// coordinator runs, the error is thrown only after a run of the filter has ended in this launch, and none is under
    /// way. That run leaves out what failed so lately that it is too early (``ResourceFailure/retryAt``).
    ///
    /// - Throws: ``NotReadyError``; while the coordinator runs, why the last run failed where that has to be mended first
    ///   (``SyncError`` with ``SyncError/isRetryable`` false, such as ``SyncError/refused(_:)`` and
    ///   ``SyncError/unauthorized(_:)``; `ServerMismatch`); `CancellationError`; ``StoreError``, ``EngineError/closed`` among
    ///   what a read throws.
    public func waitUntilReady(_ filter: ResourceFilter) async throws -> FilterReadiness {
        let text = filter.description
        let lists = state.withLock { $0.lists }
        let read: @Sendable (borrowing ReadView) throws -> FilterReadiness? = { view in
            try lists[text].map { try view.readiness(ofList: $0.resource, named: text) } ?? view.readiness(of: text)
        }
        return try await withThrowingTaskGroup(of: FilterReadiness.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                // Members become complete by swaps, which are not changes of the filter's own record.
                for try await readiness in self.store.values(in: .everything, read) {
                    if let ready = try self.ready(readiness, text) { return ready }
                }
                throw CancellationError()
            }
            group.addTask {
                // The end of a run, or of the coordinator, need not be a change of the store.
                for await _ in self.statuses() {
                    if let ready = try self.ready(self.store.read(read), text) { return ready }
                }
                throw CancellationError()
            }
            guard let first = try await group.next() else { preconditionFailure("a group that waits for nothing") }
            return first
        }
    }

    /// What ends the wait for a filter, if anything does.
    private func ready(_ readiness: FilterReadiness?, _ text: String) throws -> FilterReadiness? {
        if let readiness, readiness.isComplete { return readiness }
        if let error = lastingError(text) { throw error }
        guard let readiness else { return nil }
        if let error = NotReadyError(readiness), !isYetToBeTried(error, text) { throw error }
        return nil
    }

    /// Why the last run of a filter failed, where that has to be mended first and no other run is under way.
    private func lastingError(_ text: String) -> (any Error)? {
        state.withLock { state in
            guard let loop = state.loop, case .failure(let error)? = loop.outcomes[text],
                loop.machine.isRunning(text) == false
            else { return nil }
            switch error {
            case .otherServer(let mismatch): return mismatch
            case .cancelled: return nil
            default: return error.isRetryable ? nil : error
            }
        }
    }

    /// Whether a run that is under way, or is to come first after the start, may bring some of what is missing.
    private func isYetToBeTried(_ error: NotReadyError, _ text: String) -> Bool {
        // No run brings what was evicted, or what cannot be named here.
        guard error.missing.contains(where: { $0.state != .evicted && $0.failure?.isPassedOver == false }) else {
            return false
        }
        return state.withLock { state in
            guard let loop = state.loop, state.filters.contains(where: { $0.filter.description == text }) else {
                return false
            }
            // A filter that was just added is one the machine has not heard of.
            if loop.machine.isRunning(text) != false { return true }
            switch loop.outcomes[text] {
            case nil, .failure(.cancelled)?: return true
            default: return false
            }
        }
    }

    /// Publishes the status to whoever follows it; a reader gets it only if it differs from what that reader got last.
    func publish(isProgress: Bool) {
        // Without a follower, a status is not worth the lookups it costs.
        if statusBroadcast.followerCount == 0 { return }
        let elapsed = store.host.elapsed()
        let isWanted = state.withLock { state in
            if isProgress, let last = state.publishedAt, elapsed - last < .milliseconds(100) { return false }
            state.publishedAt = elapsed
            return true
        }
        if isWanted { statusBroadcast.update { status } }
    }
}

extension CoordinatorState {
    /// Everything but what only the store knows.
    func status(at moment: Moment) -> SyncStatus {
        SyncStatus(
            isRunning: loop != nil, network: loop?.machine.network ?? .offline,
            power: loop?.machine.power ?? .normal, isForcedOffline: isForcedOffline,
            allowance: loop?.machine.allowance ?? .nothing,
            filters: filters.map { filter, priority in
                let text = filter.description
                return FilterStatus(
                    filter: text, priority: priority, activity: activity(of: text, at: moment), readiness: nil,
                    isOverdue: loop?.machine.isOverdue(text) ?? false,
                    lastError: loop?.machine.lastError(of: text)?.description)
            })
    }

    /// What is being done for a filter.
    func activity(of text: String, at moment: Moment) -> FilterStatus.Activity {
        // A filter that was just added is one the machine has not heard of.
        guard let loop, let isRunning = loop.machine.isRunning(text) else { return .waiting(for: .coordinator) }
        if isRunning { return .running(loop.progress[text] ?? RunProgress()) }
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

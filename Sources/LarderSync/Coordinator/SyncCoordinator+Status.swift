internal import LarderFormat
public import LarderStore
internal import LarderTransport
internal import Synchronization

extension SyncCoordinator {
    /// The current status of the coordinator.
    ///
    /// - Complexity: one lookup in the store for each member of each filter.
    public var status: SyncStatus {
        let now = store.host.now()
        let reading = ClockReading(elapsed: store.host.elapsed(), now: now)
        // The runs are read before the store, so that everything that a run brought is visible once its filter is idle.
        var (status, lists) = state.withLock { ($0.status(at: reading), $0.lists) }
        // A store that cannot be read fails the next run, which reports it; runs and waits are reported anyway.
        let readiness = (try? store.read { view in try view.readiness(with: lists) }) ?? []
        for index in status.filters.indices {
            guard let ready = readiness.first(where: { $0.filter == status.filters[index].filter }) else { continue }
            status.filters[index].readiness = ready
            // The machine counts the time that passed while the clock was moved back.
            if ready.isOverdue(now: now, after: policy.overdueAfter.milliseconds) {
                status.filters[index].isOverdue = true
            }
            status.filters[index].lastError = ready.lastError ?? status.filters[index].lastError
        }
        return status
    }

    /// Returns a stream of the current status and of every change until the reader ends. A slow reader receives the
    /// newest.
    ///
    /// The progress of runs is published ten times a second at most.
    public func statuses() -> AsyncStream<SyncStatus> {
        // The stream begins before the status is read, so that a change after the reading is published to it.
        let stream = statusBroadcast.states()
        statusBroadcast.update { status }
        return stream
    }

    /// Waits until everything that a filter names can be read without the server, and returns its readiness.
    ///
    /// The call waits without a time limit, also without a network; cancel it to stop. It returns at once when
    /// everything is complete. It does not wait for resources that nothing under way will bring
    /// (`ResourceReadiness.isStuck`): once all others are in the store, it throws an error that names them. They may
    /// still arrive, evicted ones when they are opened or kept, failed ones when they are tried again; the call may
    /// then be repeated.
    ///
    /// A resource that failed in an earlier launch, or in a run before the one under way, may arrive with the next run.
    /// While the coordinator runs, the error is therefore thrown only after a run of the filter has ended in this
    /// launch, and none is under way. That run leaves out resources that failed too recently
    /// (`ResourceFailure.retryAt`).
    ///
    /// - Throws: ``NotReadyError``; `CancellationError`; `ServerMismatch` where the content is another server's; for a
    ///   failed read `StoreError`, or `EngineError` such as `EngineError.closed`. While the coordinator runs, also the
    ///   reason the last run failed, where that has to be resolved first: ``SyncError`` with
    ///   ``SyncError/isRetryable`` false, such as
    ///   ``SyncError/refused(_:)`` and ``SyncError/unauthorized(_:)``.
    public func waitUntilReady(_ filter: ResourceFilter) async throws -> FilterReadiness {
        let text = filter.description
        let lists = state.withLock { $0.lists }
        let server = content.configuration.server
        let read: @Sendable (borrowing ReadView) throws -> FilterReadiness? = { view in
            if let list = lists[text] { return try view.readiness(ofList: list.resource, named: text) }
            let readiness = try view.readiness(of: text)
            // Complete content of another server is not what the filter names.
            if readiness?.isComplete == true { try view.checkServer(server, of: .sync) }
            return readiness
        }
        return try await withThrowingTaskGroup(of: FilterReadiness.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                // Members become complete by swaps, which are not changes of the filter's own record.
                for try await readiness in self.store.values(in: .everything, read) {
                    if let ready = try self.finalReadiness(readiness, text) { return ready }
                }
                throw CancellationError()
            }
            group.addTask {
                // The end of a run, or of the coordinator, need not be a change of the store.
                for await _ in self.statuses() {
                    if let ready = try self.finalReadiness(self.store.read(read), text) { return ready }
                }
                throw CancellationError()
            }
            guard let first = try await group.next() else { preconditionFailure("a group that waits for nothing") }
            return first
        }
    }

    /// Returns the readiness that ends the wait for a filter, or throws the error that does; nil while it goes on.
    private func finalReadiness(_ readiness: FilterReadiness?, _ text: String) throws -> FilterReadiness? {
        if let readiness, readiness.isComplete { return readiness }
        if let error = lastingError(text) { throw error }
        guard let readiness else { return nil }
        if let error = NotReadyError(readiness), !mayStillArrive(error, text) { throw error }
        return nil
    }

    /// Returns the error of a filter's last run, where it has to be resolved first and no other run is under way.
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

    /// Whether a run under way, or the first one after the start, may bring some of the missing resources.
    private func mayStillArrive(_ error: NotReadyError, _ text: String) -> Bool {
        // No run brings evicted resources, or resources whose rows cannot be named.
        guard error.missing.contains(where: { $0.state != .evicted && $0.failure?.isSkipped == false }) else {
            return false
        }
        return state.withLock { state in
            guard let loop = state.loop, state.filters.contains(where: { $0.filter.description == text }) else {
                return false
            }
            // The machine does not know a filter that was just added.
            if loop.machine.isRunning(text) != false { return true }
            switch loop.outcomes[text] {
            case nil, .failure(.cancelled)?: return true
            default: return false
            }
        }
    }

    /// Publishes the status to its readers; each receives it only if it differs from the last one that it received.
    func publish(isProgress: Bool) {
        // Without a reader, the status is not worth its lookups.
        if statusBroadcast.subscriberCount == 0 { return }
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
    /// Returns the status without the parts that only the store knows.
    func status(at reading: ClockReading) -> SyncStatus {
        SyncStatus(
            isRunning: loop != nil, network: loop?.machine.network ?? .offline,
            power: loop?.machine.power ?? .normal, isForcedOffline: isForcedOffline,
            isListening: loop?.machine.listening.isOpen ?? false, allowance: loop?.machine.allowance ?? .nothing,
            filters: filters.map { filter, priority in
                let text = filter.description
                return FilterStatus(
                    filter: text, priority: priority, activity: activity(of: text, at: reading), readiness: nil,
                    isOverdue: loop?.machine.isOverdue(text) ?? false,
                    lastError: loop?.machine.lastError(of: text)?.description)
            })
    }

    /// Returns the current activity for a filter.
    func activity(of text: String, at reading: ClockReading) -> FilterStatus.Activity {
        // The machine does not know a filter that was just added.
        guard let loop, let isRunning = loop.machine.isRunning(text) else { return .waiting(for: .coordinator) }
        if isRunning { return .running(loop.progress[text] ?? RunProgress()) }
        guard let reason = loop.machine.blockedReason(of: text, at: reading) else { return .idle }
        return .waiting(for: reason)
    }
}

extension ReadView {
    /// Returns the readiness of every filter, and of every list.
    fileprivate borrowing func readiness(with lists: [String: PagedList]) throws -> [FilterReadiness] {
        var all = try readiness()
        for (text, list) in lists {
            if let readiness = try readiness(ofList: list.resource, named: text) { all.append(readiness) }
        }
        return all
    }
}

internal import CoreMetrics
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

#if ServiceLifecycle
public import ServiceLifecycle

extension SyncCoordinator: Service {}
#endif

extension SyncCoordinator {
    /// Keeps the filters in sync until the task is cancelled, or its service is shut down (trait `ServiceLifecycle`).
    ///
    /// Every filter is brought up to date first. On a graceful shutdown, runs end after their current commit, and the
    /// next start continues from there. Traps while a call of it, or of ``runOnce(within:)``, is under way.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func run() async throws {
        // The stream is made here, so that a shutdown before the start is not lost.
        let (events, continuation) = AsyncStream<CoordinatorEvent>.makeStream()
        await withShutdownHandler {
            _ = await loop(events, continuation, within: nil)
        } onShutdown: {
            continuation.yield(.stop)
        }
        try Task.checkCancellation()
    }

    /// Brings every filter up to date, as far as conditions and time allow, and returns.
    ///
    /// Call it in the few seconds that a system grants in the background. At the limit, runs end after their current
    /// commit; snapshots swapped in by then are not fetched again. Failures are retried while there is time.
    ///
    /// While ``run()`` runs, its runs are requested and waited for, but those of low priority; at the limit they go on.
    ///
    /// - Parameter limit: above zero; about a second less than the time that the system grants.
    /// - Returns: the outcome of the last run of each filter; filters that were not run are missing.
    public func runOnce(within limit: Duration) async -> [String: Result<SyncReport, SyncError>] {
        precondition(limit > .zero, "no time to sync")
        let running = state.withLock { state in
            state.loop.map { _ in state.filters.filter { $0.priority > .low }.map(\.filter) }
        }
        if let running { return await outcomes(of: running, within: limit) }
        let (events, continuation) = AsyncStream<CoordinatorEvent>.makeStream()
        return await loop(events, continuation, within: limit)
    }
}

extension SyncCoordinator {
    /// Requests runs of the loop under way, and returns the outcomes of those that end within a limit.
    private func outcomes(
        of filters: [ResourceFilter], within limit: Duration
    ) async -> [String: Result<SyncReport, SyncError>] {
        await withTaskGroup(of: (String, Result<SyncReport, SyncError>)?.self) { group in
            for filter in filters {
                group.addTask {
                    do throws(SyncError) {
                        return (filter.description, .success(try await self.sync(filter)))
                    } catch {
                        return (filter.description, .failure(error))
                    }
                }
            }
            group.addTask {
                try? await self.store.host.sleep(limit)
                return nil
            }
            defer { group.cancelAll() }
            var outcomes: [String: Result<SyncReport, SyncError>] = [:]
            while outcomes.count < filters.count, let ended = await group.next() ?? nil { outcomes[ended.0] = ended.1 }
            return outcomes
        }
    }

    /// Queues an event for the loop; does nothing when the coordinator does not run.
    package func post(_ event: CoordinatorEvent) {
        state.withLock { state in _ = state.loop?.events.yield(event) }
    }

    private func loop(
        _ events: AsyncStream<CoordinatorEvent>, _ continuation: AsyncStream<CoordinatorEvent>.Continuation,
        within limit: Duration?
    ) async -> [String: Result<SyncReport, SyncError>] {
        let deadline = limit.map { store.host.elapsed() + $0 }
        begin(continuation, listens: limit == nil)
        await withDiscardingTaskGroup { group in
            // No run may start before the power is known, so the network is reported after it.
            let (powerKnown, powerReported) = AsyncStream<Never>.makeStream()
            group.addTask {
                for await power in self.power.states() {
                    continuation.yield(.power(power))
                    powerReported.finish()
                }
                powerReported.finish()
            }
            group.addTask {
                for await _ in powerKnown {}
                for await network in self.connectivity.states() { continuation.yield(.network(network)) }
            }
            if let limit {
                group.addTask {
                    do { try await self.store.host.sleep(limit) } catch { return }
                    continuation.yield(.stop)
                }
            }
            var isOver = false
            // Manual requests that came before the network was known: they are refused without one.
            var early: [CoordinatorEvent] = []
            for await event in events {
                if case .trigger(.manual) = event, !hasNetwork {
                    early.append(event)
                    continue
                }
                var effects = step(event)
                if case .network = event {
                    for event in early { effects += step(event) }
                    early = []
                }
                for effect in effects {
                    if case .stopped = effect { isOver = true }
                    await perform(effect, in: &group)
                }
                if case .trigger(.opened(let resource)) = event { restoreOpened(resource, in: &group) }
                sweepIfDue(in: &group)
                publish(isProgress: false)
                if isOver { break }
                if let deadline, isIdle(before: deadline) { continuation.yield(.stop) }
            }
            group.cancelAll()
        }
        return end()
    }

    private func begin(_ events: AsyncStream<CoordinatorEvent>.Continuation, listens: Bool) {
        let id = store.host.makeID()
        var policy = policy
        if !listens { policy.listensForChanges = false }
        let machine = CoordinatorMachine(policy: policy, hasProbe: probe != nil, seed: id.high ^ id.low)
        let filters = state.withLock { $0.filters }
        let known = knownFilters(Set(filters.map { $0.filter.description }))
        state.withLock { state in
            precondition(state.loop == nil, "the coordinator runs already")
            state.loop = CoordinatorState.Loop(machine: machine, events: events)
            if state.isForcedOffline { events.yield(.forcedOffline(true)) }
            for (filter, priority) in state.filters {
                events.yield(.added(filter, priority, known[filter.description] ?? KnownFilter()))
            }
        }
    }

    private func end() -> [String: Result<SyncReport, SyncError>] {
        let (loop, waiters) = state.withLock { state in
            let loop = state.loop
            let waiters = state.waiters.values.joined()
            state.loop = nil
            state.waiters = [:]
            state.unhandled = []
            return (loop, waiters)
        }
        timer.set(nil)
        loop?.events.finish()
        for waiter in waiters { waiter.fulfil(.failure(.cancelled)) }
        publish(isProgress: false)
        return loop?.outcomes ?? [:]
    }

    /// The filters whose runs are under way.
    package var running: Set<String> { state.withLock { Set($0.loop?.runs.keys ?? [:].keys) } }

    /// Whether everything that is due runs, or has its time set.
    package var isLive: Bool {
        let reading = clockReading()
        return state.withLock { $0.loop?.machine.isLive(at: reading) ?? true }
    }

    /// Whether the loop has had a first reading of the network.
    private var hasNetwork: Bool { state.withLock { $0.loop?.hasNetwork ?? false } }

    /// Whether nothing runs or becomes due before a deadline.
    package func isIdle(before deadline: Duration) -> Bool {
        state.withLock { state in
            guard let loop = state.loop, loop.hasNetwork else { return false }
            return loop.machine.isIdle(before: deadline)
        }
    }

    private func clockReading() -> ClockReading { ClockReading(elapsed: store.host.elapsed(), now: store.host.now()) }

    private func step(_ event: CoordinatorEvent) -> [CoordinatorEffect] {
        let reading = clockReading()
        let (effects, waiters) = state.withLock { state -> ([CoordinatorEffect], [CoordinatorState.Waiter]) in
            guard state.loop != nil else { return ([], []) }
            var waiters: [CoordinatorState.Waiter] = []
            switch event {
            case .network: state.loop?.hasNetwork = true
            case .trigger(.manual(let filter)): state.markHandled(filter)
            case .ended(let text, let outcome):
                state.loop?.runs[text] = nil
                state.loop?.progress[text] = nil
                state.loop?.outcomes[text] = outcome
                waiters = state.removeWaiters(forEndOf: text)
            default: break
            }
            return (state.loop?.machine.step(event, at: reading) ?? [], waiters)
        }
        if case .ended(_, let outcome) = event {
            // A run that ended because the host forced offline is reported as one without a network.
            let isOffline = isForcedOffline && outcome.isCancelled
            for waiter in waiters { waiter.fulfil(isOffline ? .failure(.offline) : outcome) }
        }
        return effects
    }
}

// MARK: - Effects of the machine

extension SyncCoordinator {
    private func perform(_ effect: CoordinatorEffect, in group: inout DiscardingTaskGroup) async {
        switch effect {
        case .start(let text): start(text, in: &group)
        case .cancel(let text): state.withLock { $0.loop?.runs[text] }?.cancel()
        case .arm(let time): timer.set(time) { self.post(.timer) }
        case .listen(let number, let request): listen(number, request, in: &group)
        case .stopListening(let number):
            let listener = state.withLock { $0.loop?.listener }
            if let listener, listener.number == number { listener.task.cancel() }
        case .probe(let number):
            group.addTask {
                let isReachable = await self.probe?.isReachable() ?? false
                self.post(.probed(number, isReachable: isReachable))
            }
        case .refuse(let text, let error):
            let waiters = state.withLock { $0.waiters.removeValue(forKey: text) ?? [] }
            for waiter in waiters { waiter.fulfil(.failure(error)) }
        case .storeRunRecord(let text, let record): await storeRunRecord(record, text)
        case .report(let event): onEvent(event)
        case .stopped: break
        }
    }

    private func start(_ text: String, in group: inout DiscardingTaskGroup) {
        guard let filter = try? ResourceFilter(text) else { preconditionFailure("a canonical filter is one") }
        // A filter that was just removed must not be run, and a list is not run as a filter.
        let (isWanted, list, isManual) = state.withLock { state in
            (
                state.filters.contains { $0.filter == filter }, state.lists[text],
                state.loop?.machine.isManual(text) ?? false
            )
        }
        let run = Task {
            let outcome: Result<SyncReport, SyncError>
            do throws(SyncError) {
                if !isWanted { throw .cancelled }
                outcome = .success(try await execute(filter, isManual, text, list))
            } catch {
                outcome = .failure(error)
            }
            post(.ended(text, outcome))
        }
        state.withLock { state in
            state.loop?.runs[text] = run
            state.loop?.progress[text] = RunProgress()
        }
        group.addTask {
            await withTaskCancellationHandler {
                await run.value
            } onCancel: {
                run.cancel()
            }
        }
    }

    private func execute(
        _ filter: ResourceFilter, _ isManual: Bool, _ text: String, _ list: PagedList?
    ) async throws(SyncError) -> SyncReport {
        let report: @Sendable (SyncEvent) -> Void = { event in self.handle(event, of: text) }
        let done = try await store.host.measuring(
            span: "larder.sync", timer: "larder_sync_seconds", labels: { [("outcome", Self.outcome($0))] }
        ) { () async throws(SyncError) -> SyncReport in
            guard let list else { return try await content.sync(filter, isManual: isManual, onEvent: report) }
            return try await ListRun(list: list, store: store, report: report).execute()
        }
        Counter(label: "larder_sync_rows_total", factory: store.host.metrics)
            .increment(by: done.rowsWritten)
        return done
    }

    private static func outcome(_ result: Result<SyncReport, SyncError>) -> String {
        switch result {
        case .success(let report): report.kind.rawValue
        case .failure(.cancelled): "cancelled"
        case .failure: "failed"
        }
    }

    private func handle(_ event: SyncEvent, of text: String) {
        switch event {
        case .page(number: 1, _): post(.responded(text))
        case .tokenRejected: post(.rejected(text))
        default: break
        }
        state.withLock { state in state.loop?.progress[text]?.update(with: event) }
        publish(isProgress: true)
        onEvent(event)
    }

    private func storeRunRecord(_ record: RunRecord, _ text: String) async {
        do {
            try await store.write { transaction in
                try transaction.setRunRecord(record, ofFilter: text)
            }
        } catch {
            // The record is informative only; a failing store also fails the next run, which reports it.
            store.host.logger.debug("could not store the outcome of a run", metadata: ["error": "\(error)"])
        }
    }
}

extension Result<SyncReport, SyncError> {
    fileprivate var isCancelled: Bool {
        if case .failure(.cancelled) = self { true } else { false }
    }
}

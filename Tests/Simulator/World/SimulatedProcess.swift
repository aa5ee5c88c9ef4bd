// SimulatedProcess: a process of a history: the store that it has open, and the coordinator and the outbox that it runs.

internal import LarderEngine
internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport
internal import Logging

/// A process of a history: the store that it has open, and the coordinator and the outbox that it runs.
final class SimulatedProcess: @unchecked Sendable {
    // Sendable: touched on the thread of the history only.
    /// Whether the process has been killed; nothing of it may reach the store's file or the server after that.
    final class Launch: @unchecked Sendable {
        // Sendable: as above.
        var isOver = false
    }

    let life: Launch
    let store: Store
    let coordinator: SyncCoordinator
    let outbox: Outbox?
    let session: Session?
    let connectivity: ScriptedConnectivity
    let writerConnectivity: ScriptedConnectivity
    let power: ScriptedPower
    /// Whether it was asked to stop.
    private(set) var isStopping = false
    /// What the host runs, and how much of it has not come to its end.
    private var service: Task<Void, Never>?
    private var delivery: Task<Void, Never>?
    private var running = 0
    /// The host's calls that wait for a run.
    private var calls: [Int: Task<Void, Never>] = [:]
    private var nextCall = 0

    init(
        _ life: Launch, _ store: Store, _ coordinator: SyncCoordinator, _ outbox: Outbox?, _ session: Session?,
        _ connectivity: (sync: ScriptedConnectivity, writers: ScriptedConnectivity), _ power: ScriptedPower
    ) {
        (self.life, self.store, self.coordinator) = (life, store, coordinator)
        (self.outbox, self.session) = (outbox, session)
        (self.connectivity, writerConnectivity, self.power) = (connectivity.sync, connectivity.writers, power)
    }

    /// Whether a call of the host waits for its end.
    var hasCalls: Bool { !calls.isEmpty }

    /// Whether all that the host ran is over.
    var hasEnded: Bool { running == 0 }

    /// Runs coordinator and outbox until they are stopped or cancelled.
    func run() {
        running = outbox == nil ? 1 : 2
        service = Task { [coordinator, weak self] in
            try? await EventQueue.Side.$current.withValue(.sync) { try await coordinator.run() }
            self?.running -= 1
        }
        guard let outbox else { return }
        delivery = Task { [weak self] in
            try? await EventQueue.Side.$current.withValue(.outbox) { try await outbox.run() }
            self?.running -= 1
        }
    }

    /// Asks both to end.
    func stop() {
        isStopping = true
        coordinator.post(.stop)
        delivery?.cancel()
    }

    /// Requests a manual run of a filter, and passes its result to `completion`.
    func sync(_ filter: ResourceFilter, _ completion: @escaping @Sendable (Result<SyncReport, SyncError>) -> Void) {
        call { [coordinator] in
            do throws(SyncError) {
                completion(.success(try await coordinator.sync(filter)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Calls something that the host waits for.
    func call(_ body: @escaping @Sendable () async -> Void) {
        let number = nextCall
        nextCall += 1
        calls[number] = Task { [weak self] in
            await body()
            self?.calls[number] = nil
        }
    }

    /// Cancels everything that runs.
    func cancel() {
        service?.cancel()
        delivery?.cancel()
        for number in calls.keys.sorted() { calls[number]?.cancel() }
    }
}

extension Simulator {
    /// Starts the process: opens the store, and has a new coordinator keep the filters in step.
    func launch() throws {
        let newLaunch = SimulatedProcess.Launch()
        processes += 1
        log("launch \(processes)")
        var options = StoreOptions()
        options.isStepped = true
        let store = try working { try Store.open(at: path, options: options, host: host(newLaunch)) }
        let connectivity = ScriptedConnectivity(link)
        let writerConnectivity = ScriptedConnectivity(link)
        let power = ScriptedPower(self.power)
        let coordinator = SyncCoordinator(
            store: store, transport: SimulatedTransport(world: self, life: newLaunch), configuration: configuration,
            policy: scenario.policy, connectivity: connectivity, power: power,
            probe: scenario.hasProbe ? SimulatedProbe(world: self, life: newLaunch) : nil,
            onEvent: { [unowned self] event in if !newLaunch.isOver { handle(event) } })
        let outbox = scenario.hasWriters ? outbox(store, writerConnectivity, newLaunch) : nil
        let process = SimulatedProcess(
            newLaunch, store, coordinator, outbox, try session(of: outbox, store), (connectivity, writerConnectivity),
            power)
        self.process = process
        try checkStore()
        try removeForgotten(in: store)
        watch = CoordinatorObservations()
        disk.hasFailed = false
        // Nobody knows yet of the network in this process.
        isHeldBack = false
        coordinator.isForcedOffline = isForcedOffline
        for (filter, priority) in wanted { add(filter, priority, coordinator) }
        process.run()
        if processes == 1 { signIn(as: WriteLog.accounts[0]) }
        try resolveOpenConflicts()
    }

    private func host(_ life: SimulatedProcess.Launch) -> HostServices {
        HostServices(
            now: { [unowned self] in wall }, elapsed: { [unowned self] in .milliseconds(now) },
            sleepUntil: { [unowned self] time in
                // No earlier than asked for, to the next millisecond.
                let (seconds, attoseconds) = time.components
                let deadline = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
                try await pause(until: deadline, .sleep(.current), "wakes", life)
            }, makeID: { [unowned self] in .random(using: &identifiers) },
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
    }

    private var configuration: SyncConfiguration {
        SyncConfiguration(
            base: Self.base, perPage: perPage, concurrentSnapshots: scenario.concurrentSnapshots,
            snapshotAttempts: scenario.snapshotAttempts)
    }

    /// Removes what the host had begun to remove when the process died.
    private func removeForgotten(in store: Store) throws {
        let known = try working { try store.read { view in try view.filters() } }.map(\.filter)
        for text in known where !wanted.contains(where: { $0.filter.description == text }) {
            try removeFromStore(text)
        }
    }

    /// Hands a filter to the coordinator.
    func add(_ filter: ResourceFilter, _ priority: SyncPriority, _ coordinator: SyncCoordinator) {
        watch.addFilter(filter.description)
        coordinator.add(filter, priority: priority)
    }

    func removeFromStore(_ text: String) throws {
        guard let store else { return }
        // Each commit is looked at by itself.
        while try commitNext() {}
        try working {
            try store.writeBlocking(durability: .relaxed) { transaction in try transaction.removeFilter(text) }
        }
        try checkStore(removed: text)
    }

    /// What the store may not fail at.
    func working<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw Violation(.store, "\(error)")
        }
    }

    /// Checks what the store shows after a commit.
    ///
    /// - Parameters:
    ///   - removed: the filter that the commit has removed.
    ///   - evicted: the resource whose rows it has dropped.
    func checkStore(removed: String? = nil, evicted: ResourceKey? = nil) throws {
        guard let store else { return }
        try checker.checkCommit(
            at: store, answered, server, hiddenByLag: hiddenByLag, removed: removed, evicted: evicted, now: now)
        if scenario.hasWriters { try checkWrites(in: store) }
    }
}

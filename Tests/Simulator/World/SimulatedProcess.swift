internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport
internal import Logging

/// A process of a history: the store that it has open, and the coordinator that it runs.
final class SimulatedProcess: @unchecked Sendable {
    // Sendable: touched on the thread of the history only.
    /// Whether the process has been killed; nothing of it may reach the store's file or the server after that.
    final class Life: @unchecked Sendable {
        // Sendable: as above.
        var isOver = false
    }

    let life: Life
    let store: Store
    let coordinator: SyncCoordinator
    let connectivity: ScriptedConnectivity
    let power: ScriptedPower
    /// Whether it was asked to stop.
    var isStopping = false
    /// What the host runs, and whether that has come to its end.
    private(set) var service: Task<Void, Never>?
    private(set) var hasEnded = false
    /// The host's calls that wait for a run.
    private var calls: [Int: Task<Void, Never>] = [:]
    private var nextCall = 0

    init(
        _ life: Life, _ store: Store, _ coordinator: SyncCoordinator, _ connectivity: ScriptedConnectivity,
        _ power: ScriptedPower
    ) {
        (self.life, self.store, self.coordinator) = (life, store, coordinator)
        (self.connectivity, self.power) = (connectivity, power)
    }

    /// Whether a call of the host waits for a run.
    var hasCalls: Bool { !calls.isEmpty }

    /// Runs the coordinator until it is stopped or cancelled.
    func run() {
        service = Task { [coordinator, weak self] in
            try? await coordinator.run()
            self?.hasEnded = true
        }
    }

    /// Asks for a run of a filter, as somebody at the screen does who waits for its end.
    func sync(_ filter: ResourceFilter) {
        let number = nextCall
        nextCall += 1
        calls[number] = Task { [coordinator, weak self] in
            _ = try? await coordinator.sync(filter)
            self?.calls[number] = nil
        }
    }

    /// Cancels everything that runs.
    func cancel() {
        service?.cancel()
        for number in calls.keys.sorted() { calls[number]?.cancel() }
    }
}

extension Simulator {
    /// Starts the process: opens the store, and has a new coordinator keep the filters in step.
    func launch() throws {
        let life = SimulatedProcess.Life()
        processes += 1
        note("launch \(processes)")
        var options = StoreOptions()
        options.isStepped = true
        let store = try working { try Store.open(at: path, options: options, host: host(life)) }
        let connectivity = ScriptedConnectivity(link)
        let power = ScriptedPower(self.power)
        let coordinator = SyncCoordinator(
            store: store, transport: SimulatedTransport(world: self, life: life), configuration: configuration,
            policy: scenario.policy, connectivity: connectivity, power: power,
            probe: scenario.hasProbe ? SimulatedProbe(world: self, life: life) : nil,
            onEvent: { [unowned self] event in if !life.isOver { hear(event) } })
        let process = SimulatedProcess(life, store, coordinator, connectivity, power)
        self.process = process
        try look()
        try removeForgotten(in: store)
        watch = Watch()
        coordinator.isForcedOffline = isForcedOffline
        for (filter, priority) in wanted { take(filter, priority, coordinator) }
        process.run()
        try launchWriters()
    }

    private func host(_ life: SimulatedProcess.Life) -> HostServices {
        HostServices(
            now: { [unowned self] in wall }, elapsed: { [unowned self] in .milliseconds(now) },
            sleep: { [unowned self] time in
                // No earlier than asked for, to the next millisecond.
                let (seconds, attoseconds) = time.components
                let wait = seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
                try await pause(until: now + wait, .sleep, "wakes", life)
            }, makeID: { [unowned self] in .random(using: &identifiers) },
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
    }

    private var configuration: SyncConfiguration {
        SyncConfiguration(
            base: Self.base, perPage: perPage, concurrentFullCopies: scenario.concurrentFullCopies,
            fullCopyAttempts: scenario.fullCopyAttempts)
    }

    /// Removes what the host had begun to remove when the process died.
    private func removeForgotten(in store: Store) throws {
        let known = try working { try store.read { view in try view.filters() } }.map(\.filter)
        for text in known where !wanted.contains(where: { $0.filter.description == text }) {
            try removeFromStore(text)
        }
    }

    /// Hands a filter to the coordinator.
    func take(_ filter: ResourceFilter, _ priority: SyncPriority, _ coordinator: SyncCoordinator) {
        watch.isAdded(filter.description)
        coordinator.add(filter, priority: priority)
    }

    func removeFromStore(_ text: String) throws {
        guard let store else { return }
        try working {
            try store.writeBlocking(durability: .relaxed) { transaction in try transaction.removeFilter(text) }
        }
        try look()
    }

    /// What the store may not fail at.
    func working<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw Violation(.store, "\(error)")
        }
    }

    /// Looks at what the store shows after a commit.
    func look() throws {
        guard let store else { return }
        try checker.look(at: store, answered, server, hiddenByLag: hiddenByLag)
        if scenario.hasWriters { try checkWrites(in: store) }
    }
}

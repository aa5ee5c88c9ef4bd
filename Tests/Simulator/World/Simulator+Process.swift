internal import LarderEngine
internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import Logging

extension Simulator {
    private var host: HostServices {
        HostServices(
            now: { 0 }, elapsed: { .zero }, sleep: { _ in }, makeID: { UUIDBytes(high: 1, low: 1) },
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Starts the process: opens the store, and lets a new coordinator take the filters on.
    func launch() throws {
        let store = try working { try Store.open(at: path, host: host) }
        self.store = store
        isStopping = false
        processes += 1
        note("launch \(processes)")
        try look(.opened)
        try removeForgotten(in: store)
        coordinator = CoordinatorMachine(
            policy: scenario.policy, hasProbe: scenario.hasProbe, seed: scenario.seed &+ processes)
        watch = Watch()
        try tell(.power(power))
        if isForcedOffline { try tell(.forcedOffline(true)) }
        for (filter, priority) in wanted { try take(filter, priority) }
        try tell(.network(link))
        try tell(.trigger(.launch))
        try launchWriters()
    }

    /// Removes what the host had begun to remove when the process died.
    private func removeForgotten(in store: Store) throws {
        let known = try working { try store.read { view in try view.filters() } }.map(\.filter)
        for text in known where !wanted.contains(where: { $0.filter.description == text }) {
            try removeFromStore(text)
        }
    }

    /// Hands a filter to the coordinator with what the store knows of it.
    func take(_ filter: ResourceFilter, _ priority: SyncPriority) throws {
        guard let store else { return }
        let text = filter.description
        let state = try working { try store.read { view in try view.filters() } }.first { $0.filter == text }
        var known = KnownFilter()
        if let state {
            known.hasToken = state.token != nil
            known.syncedAt = state.tokenUpdatedAt
            known.failures = Int(clamping: state.failures)
            known.resyncs = Int(clamping: state.resyncs)
            known.resyncedAt = state.resyncedAt
        }
        watch.isAdded(text)
        try tell(.added(filter, priority, known))
    }

    func removeFromStore(_ text: String) throws {
        guard let store else { return }
        try working {
            try store.writeBlocking(durability: .relaxed) { transaction in try transaction.removeFilter(text) }
        }
        try look(.removed(text))
    }

    /// Ends the process: all that was not committed is gone.
    func die(relaunchAfter wait: Int64) throws {
        guard let store else { return }
        agenda.remove { $0 != .launch && $0 != .arrival }
        writers.die()
        runs = [:]
        copies = [:]
        claims = [:]
        settling = [:]
        slotHolder = nil
        slotNext = nil
        slotLine = []
        coordinator = nil
        self.store = nil
        lastMail = 0
        try working { try store.close() }
        agenda.add(at: now + wait, .launch, "launch", .other { [unowned self] in try launch() })
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
    func look(_ step: StoreStep) throws {
        guard let store else { return }
        try checker.look(at: store, after: step, server, hiddenByLag: hiddenByLag)
        if scenario.hasWriters { try checkWrites(in: store) }
    }
}

// CoordinatorFixture: an origin and a coordinator whose time, network and power a test controls.

import Foundation
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Logging
import Synchronization
import Testing

/// An origin, and a coordinator in front of it whose time, network and power a test decides.
final class CoordinatorFixture: Sendable {
    let origin: any EditableOrigin
    let script: ScriptedTransport
    let clock = VirtualClock()
    let network: ScriptedConnectivity
    let power = ScriptedPower(.normal)
    let store: Store
    private let events = Mutex<(all: [SyncEvent], waiters: [CheckedContinuation<Void, Never>])>(([], []))
    private let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path

    init(origin: any EditableOrigin = Origin.ofTests(), network: NetworkState = .online) throws {
        self.origin = origin
        self.network = ScriptedConnectivity(network)
        script = ScriptedTransport(OriginTransport(origin), clock: ContinuousClock())
        store = try Store.open(at: path, host: .virtual(clock))
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A coordinator for some filters.
    func coordinator(
        _ filters: String..., transport: (any Transport)? = nil, probe: (any ReachabilityProbe)? = nil,
        policy: (inout SyncPolicy) -> Void = { _ in }
    ) throws -> SyncCoordinator {
        let base = BaseURL("http://127.0.0.1/content")
        var rules = SyncPolicy()
        rules.refreshJitter = 0
        rules.retry.jitter = 0
        policy(&rules)
        let coordinator = SyncCoordinator(
            store: store, transport: transport ?? script,
            configuration: SyncConfiguration(base: base, laggingPause: .zero), policy: rules,
            connectivity: network, power: power, probe: probe,
            onEvent: { [weak self] event in self?.record(event) })
        for filter in filters { coordinator.add(try ResourceFilter(filter)) }
        return coordinator
    }

    /// All events so far.
    var recordedEvents: [SyncEvent] { events.withLock { $0.all } }

    /// Adds an event.
    func record(_ event: SyncEvent) {
        wake { $0.append(event) }
    }

    /// Returns once so many events for which `isWanted` is true have been recorded.
    func waitForEvent(_ count: Int = 1, _ isWanted: @Sendable (SyncEvent) -> Bool) async throws {
        while recordedEvents.count(where: isWanted) < count {
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    let isOver = events.withLock { events in
                        if Task.isCancelled || events.all.count(where: isWanted) >= count { return true }
                        events.waiters.append(waiter)
                        return false
                    }
                    if isOver { waiter.resume() }
                }
            } onCancel: {
                wake { _ in }
            }
        }
    }

    private func wake(_ change: (inout [SyncEvent]) -> Void) {
        let waiters = events.withLock { events in
            change(&events.all)
            defer { events.waiters = [] }
            return events.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Lets `coordinator` run for the length of `body`.
    @discardableResult
    func running<Result>(
        _ coordinator: SyncCoordinator, _ body: () async throws -> Result
    ) async throws -> Result {
        let service = Task { try await coordinator.run() }
        defer { service.cancel() }
        let result = try await body()
        service.cancel()
        _ = await service.result
        return result
    }
}

extension SyncCoordinator {
    /// The first status that `isWanted` is true of.
    @discardableResult
    func status(where isWanted: (SyncStatus) -> Bool) async throws -> SyncStatus {
        for await status in statuses() where isWanted(status) { return status }
        throw CancellationError()
    }
}

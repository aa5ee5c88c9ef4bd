import Foundation
import Larder
import LarderServer
import LarderTesting
import Logging
import Synchronization
import Testing

/// An origin, and a coordinator in front of it whose time, network and power a test decides.
final class CoordinatorFixture: Sendable {
    let origin: Origin
    let script: ScriptedTransport
    let clock = VirtualClock()
    let network: ScriptedConnectivity
    let power = ScriptedPower(.normal)
    let store: Store
    let events = Mutex<[SyncEvent]>([])
    private let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path

    init(origin: Origin = .ofTests(), network: NetworkState = .online) throws {
        self.origin = origin
        self.network = ScriptedConnectivity(network)
        script = ScriptedTransport(OriginTransport(origin: origin), clock: ContinuousClock())
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
        let base = try #require(BaseURL("http://127.0.0.1/content"))
        var rules = SyncPolicy()
        policy(&rules)
        let coordinator = SyncCoordinator(
            store: store, transport: transport ?? script,
            configuration: SyncConfiguration(base: base, laggingPause: .zero), policy: rules,
            connectivity: network, power: power, probe: probe,
            onEvent: { [weak self] event in self?.events.withLock { $0.append(event) } })
        for filter in filters { coordinator.add(try ResourceFilter(filter)) }
        return coordinator
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

import Foundation
import Larder
import LarderSync
import LarderTransport

extension Sync {
    /// Keeps a filter in sync and shows its status, until a signal is received.
    func watch(_ filter: ResourceFilter, _ place: Context) async -> Result<SyncReport?, any Error> {
        var policy = SyncPolicy()
        policy.refreshInterval = .seconds(every)
        let coordinator = SyncCoordinator(
            store: place.store, transport: place.transport, configuration: place.configuration, policy: policy,
            credentials: place.credentials, connectivity: Self.connectivity(for: place.configuration.base),
            power: SteadyPower(.normal))
        coordinator.add(filter)
        let redactor = place.redactor
        return await Self.untilInterrupted {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await coordinator.run() }
                group.addTask {
                    var display = LiveDisplay(empty: "no filters")
                    var lastLine: String?
                    for await status in coordinator.statuses() {
                        if let line = Self.line(beforeFirstRun: status, redactor), line != lastLine {
                            Terminal.printMessage(line)
                            lastLine = line
                        }
                        let shown = status.filters.compactMap { DisplayedFilter($0) }
                        if !shown.isEmpty {
                            try display.show(shown.map { StatusText($0, redactor).entry(now: Filters.now()) })
                        }
                    }
                }
                // Neither task ends by itself, except when the output is closed.
                defer { group.cancelAll() }
                try await group.next()
                return nil
            }
        }
    }

    /// Returns a line about a filter that has no status yet, with the reason it waits.
    private static func line(beforeFirstRun status: SyncStatus, _ redactor: Redactor) -> String? {
        guard let filter = status.filters.first(where: { $0.readiness == nil }) else { return nil }
        let activity = DisplayedFilter.words(for: filter.activity).map { "; \($0)" } ?? ""
        return "\(redactor.text(filter.filter)): never synced\(activity)"
    }

    /// Returns the system's network, or a constant one for a server on this machine, which needs none.
    private static func connectivity(for base: BaseURL) -> any ConnectivitySource {
        let host = base.authority
        let isLocalServer = ["localhost", "[::1]", "127."].contains { host.hasPrefix($0) }
        return isLocalServer ? SteadyConnectivity(.online) : SystemConnectivity.source()
    }
}

extension DisplayedFilter {
    /// Creates the status from the coordinator's; nil before the first run has begun.
    init?(_ status: LarderSync.FilterStatus) {
        guard let readiness = status.readiness else { return nil }
        self.init(readiness: readiness, activity: Self.words(for: status.activity))
    }

    static func words(for activity: LarderSync.FilterStatus.Activity) -> String? {
        switch activity {
        case .idle: return nil
        case .running(let progress):
            let snapshotRows = progress.rows > 0 ? ", \(progress.rows) rows of snapshots" : ""
            return "\(progress.kind.rawValue) run: page \(progress.pages)\(snapshotRows)"
        case .waiting(for: .network): return "waits for the network"
        case .waiting(for: .conditions): return "waits for a better network, or power"
        case .waiting(for: .turn), .waiting(for: .coordinator): return "waits for its turn"
        case .waiting(for: .retry): return "waits to try again"
        case .waiting(for: .slowMode): return "runs rarely: the server rejects one token after another"
        }
    }
}

// Proves that the examples in the doc comments of syncing compile.

import Larder
import LarderStore
import LarderSync

private actor TokenSource {
    func token(isNew: Bool) throws -> String { isNew ? "new" : "old" }
}

private func baseURLExample() {
    // Example of BaseURL
    let base = BaseURL("https://api.example.org/content")
    let request = base.request(appending: "/api/v4/changes?limit=100")
    print(request.path ?? "")  // "/content/api/v4/changes?limit=100": appended as text
    // End of example
}

private func syncConfigurationExample(
    store: Store, transport: any Transport, base: BaseURL, filter: ResourceFilter
) async throws {
    // Example of SyncConfiguration
    var configuration = SyncConfiguration(base: base, concurrentSnapshots: 2)
    configuration.limits.snapshotBytes = 100 << 20
    configuration.serverIdentity = "content"  // stays the same when the server's address changes
    let sync = ContentSync(store: store, transport: transport, configuration: configuration)
    print(try await sync.sync(filter))
    // End of example
}

private func credentialsExample(source: TokenSource) async throws {
    // Example of Credentials
    struct TokenCredentials: Credentials {
        let source: TokenSource

        func fields(for account: String?, isRefused: Bool) async throws -> HTTPFields {
            let token = try await source.token(isNew: isRefused)  // refused: the last token is no longer valid
            return [.authorization: "Bearer \(token)"]
        }
    }
    // End of example
    _ = try await TokenCredentials(source: source).fields(for: nil, isRefused: false)
}

private func fixedCredentialsExample(
    store: Store, transport: any Transport, configuration: SyncConfiguration, token: String, filter: ResourceFilter
) async throws {
    // Example of FixedCredentials
    let sync = ContentSync(
        store: store, transport: transport, configuration: configuration,
        credentials: FixedCredentials([.authorization: "Bearer \(token)"]))
    print(try await sync.sync(filter))  // every request has the field; it is never stored
    // End of example
}

private func resourceFilterExample() throws {
    // Example of ResourceFilter
    let filter = ResourceFilter("translations:20,19;recitations:*")  // two resources, and a whole group
    print(filter)  // recitations:*;translations:19,20
    print(filter.matches(group: "recitations", id: 7))  // true
    // End of example
}

private func contentSyncExample(store: Store, transport: any Transport, base: BaseURL) async throws {
    // Example of ContentSync
    let sync = ContentSync(store: store, transport: transport, configuration: SyncConfiguration(base: base))
    let report = try await sync.sync(ResourceFilter("translations:19,20"))  // everything; later only changes
    print(report.kind, report.snapshotRows, report.rowsChanged)
    // End of example
}

private func syncCoordinatorExample(
    store: Store, transport: any Transport, base: BaseURL, credentials: any Credentials, filter: ResourceFilter
) async throws {
    // Example of SyncCoordinator
    let coordinator = SyncCoordinator.system(
        store: store, transport: transport, configuration: SyncConfiguration(base: base),
        credentials: credentials)
    coordinator.add(filter, priority: .high)
    let running = Task { try await coordinator.run() }
    let readiness = try await coordinator.waitUntilReady(filter)
    print("readable offline as of", readiness.asOfSequence ?? 0)
    running.cancel()
    // End of example
}

private func syncPriorityExample(coordinator: SyncCoordinator) throws {
    // Example of SyncPriority
    coordinator.add(ResourceFilter("translations:19,20"), priority: .high)
    coordinator.add(ResourceFilter("recitations:*"), priority: .low)  // not over a metered network
    // End of example
}

private func syncTriggerExample(coordinator: SyncCoordinator) throws {
    // Example of SyncTrigger
    coordinator.trigger(.opened(ResourceKey("translations", 19)))  // read at once, refreshed in the background
    coordinator.trigger(.push(ResourceFilter("recitations:*")))
    coordinator.trigger(.launch)
    // End of example
}

private func syncStatusExample(coordinator: SyncCoordinator) async {
    // Example of SyncStatus
    for await status in coordinator.statuses() {  // now, and after every change
        for filter in status.filters {
            print(filter.filter, filter.readiness?.isComplete == true, filter.activity)
        }
    }
    // End of example
}

private func syncReportExample(coordinator: SyncCoordinator, filter: ResourceFilter) async throws {
    // Example of SyncReport
    let report = try await coordinator.sync(filter)
    print(report.kind, report.pages, report.mutations, report.snapshots)
    if report.wasRejected { print("the server rejected the token, so everything was fetched again") }
    // End of example
}

private func syncEventExample(
    store: Store, transport: any Transport, configuration: SyncConfiguration, filter: ResourceFilter
) async throws {
    // Example of SyncEvent
    let sync = ContentSync(store: store, transport: transport, configuration: configuration) { event in
        switch event {
        case .swapped(let resource, let rows, _, _): print(resource, "is readable with", rows, "rows")
        case .resourceFailed(let failure): print(failure.resource, failure.reason)
        default: print(event)
        }
    }
    print(try await sync.sync(filter))
    // End of example
}

private func keepStatusExample(coordinator: SyncCoordinator) async {
    // Example of KeepStatus
    for await status in coordinator.keeping(ResourceKey("translations", 19)) {
        switch status {
        case .estimated(let estimate): print(estimate.bytes ?? 0, "bytes, as far as known")
        case .fetching(let rows, _, _): print(rows, "rows so far")
        case .completed(let rows, _): print(rows, "rows, which are never evicted")
        case .failed(let error): print(error)
        }
    }
    // End of example
}

private func keepEstimateExample(coordinator: SyncCoordinator) async throws {
    // Example of KeepEstimate
    let estimate = try coordinator.keepEstimate(ResourceKey("translations", 19))
    if let shortage = estimate.shortage { print(shortage.missing, "bytes are missing") }
    try await coordinator.keep(estimate.resource)  // until `stopKeeping`
    // End of example
}

// ReportedRuns: runs of the world's filters that report their steps.

import CrashWorld
import HTTPTypes
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport

/// Runs of the world's filters that report their steps.
struct ReportedRuns: Sendable {
    let store: Store
    let world: World
    var concurrentSnapshots = 3

    func sync(_ filter: Int) async throws {
        let base = BaseURL("http://127.0.0.1/content")
        let transport = OriginTransport(world.origin) { _, progress in
            switch progress {
            case .begins: acknowledge(.begin(.staging))
            case .ends:
                acknowledge(.end(.staging))
                acknowledge(.begin(.swap))
            }
        }
        let store = store
        let sync = ContentSync(
            store: store, transport: RejectionTransport(inner: transport, filter: filter),
            configuration: SyncConfiguration(base: base, concurrentSnapshots: concurrentSnapshots),
            onEvent: { Self.report($0, filter, store) })
        acknowledge(.begin(.run))
        let report = try await sync.sync(ResourceFilter(World.filters[filter]))
        acknowledge(.stored(filter: filter, until: report.untilSequence))
        acknowledge(.end(.run))
    }

    private static func report(_ event: SyncEvent, _ filter: Int, _ store: Store) {
        switch event {
        case .swapped(let resource, _, _, _):
            acknowledge(.end(.swap))
            guard let found = try? store.read({ try $0.resource(resource) }), let generation = found.generation
            else { return }
            acknowledge(.swapped(resource, generation: generation, appliedSequence: found.appliedSequence))
        default: break
        }
    }
}

/// Reports a rejected token before the client hears of it: a death after the client has discarded the token must not hide why.
private struct RejectionTransport: Transport {
    let inner: OriginTransport
    let filter: Int

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        let response = try await inner.send(request, body: body, timeouts: timeouts)
        if response.head.status == .gone { acknowledge(.rejected(filter: filter)) }
        return response
    }
}

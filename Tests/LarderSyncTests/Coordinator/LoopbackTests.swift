// Proves that the coordinator syncs over HTTP with a server that goes away and comes back.

#if Server && AsyncHTTPClient
import LarderStore
import LarderSync
import LarderTransport
import LarderAsyncHTTPClient
import LarderServer
import LarderTesting
import Synchronization
import Testing

@Suite("The coordinator over HTTP", .timeLimit(.minutes(5)))
struct LoopbackTests {
    @Test func `syncs with a server that goes away and comes back`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 50)
        let transport = AsyncHTTPClientTransport()
        do {
            try await runLifecycle(fixture, transport)
        } catch {
            await transport.shutdown()
            throw error
        }
        await transport.shutdown()
        #expect(try await fixture.differences() == [])
        try fixture.expectSound()
    }

    private func runLifecycle(_ fixture: CoordinatorFixture, _ transport: AsyncHTTPClientTransport) async throws {
        let filter = ResourceFilter("translations:*")
        let text = try await OriginServer.run(fixture.origin) { base in base }
        let base = try #require(BaseURL(text))
        let port = try #require(base.authority.split(separator: ":").last.flatMap { Int($0) })
        let coordinator = SyncCoordinator(
            store: fixture.store, transport: transport, configuration: SyncConfiguration(base: base),
            connectivity: fixture.network, power: fixture.power,
            onEvent: { event in fixture.record(event) })
        coordinator.add(filter)
        try await fixture.running(coordinator) {
            try await OriginServer.run(fixture.origin, port: port) { _ in
                // The first try may have come before the server.
                if try await coordinator.status(where: { $0.isIdle || $0.isRetrying }).isRetrying {
                    _ = try await coordinator.sync(filter)
                }
                #expect(try await coordinator.waitUntilReady(filter).members.map(\.rowCount) == [50])
                try await fixture.origin.put(1, "pushed")
                coordinator.trigger(.push(filter))
                try await fixture.waitForEvent {
                    if case .finished(let report) = $0 { report.rowsChanged == 1 } else { false }
                }
                #expect(try fixture.text(1) == payload(1, "pushed"))
                try await coordinator.status { $0.isIdle }
            }
            try await fixture.origin.put(2, "unseen")
            coordinator.trigger(.push(nil))
            let status = try await coordinator.status { $0.isRetrying }
            #expect(status.filters[0].lastError != nil && status.filters[0].readiness?.isComplete == true)
            #expect(try fixture.text(2) == payload(2, "row 2"))
            try await OriginServer.run(fixture.origin, port: port) { _ in
                await fixture.clock.sleepers(atLeast: 1)
                fixture.clock.advance(by: .seconds(1))
                try await coordinator.status { $0.isIdle && $0.filters[0].lastError == nil }
                #expect(try fixture.text(2) == payload(2, "unseen"))
            }
        }
    }
}
#endif

// Proves that a change on the server reaches a client that listens without a poll, also after the server was away.

#if Server && AsyncHTTPClient
import HTTPTypes
import LarderAsyncHTTPClient
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite("A coordinator that listens", .timeLimit(.minutes(3)))
struct ListeningLoopbackTests {
    private let filter = ResourceFilter("translations:*")

    @Test func `has what changed on the server without a poll`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 5)
        let transport = AsyncHTTPClientTransport()
        do {
            try await listen(fixture, transport)
        } catch {
            await transport.shutdown()
            throw error
        }
        await transport.shutdown()
        #expect(try await fixture.differences() == [])
        try fixture.expectSound()
    }

    private func listen(_ fixture: CoordinatorFixture, _ transport: AsyncHTTPClientTransport) async throws {
        let text = try await OriginServer.run(fixture.origin) { base in base }
        let base = try #require(BaseURL(text))
        let port = try #require(base.authority.split(separator: ":").last.flatMap { Int($0) })
        var policy = SyncPolicy()
        policy.listensForChanges = true
        policy.refreshInterval = nil
        let coordinator = SyncCoordinator(
            store: fixture.store, transport: transport, configuration: SyncConfiguration(base: base), policy: policy,
            connectivity: fixture.network, power: fixture.power, onEvent: { event in fixture.record(event) })
        coordinator.add(filter)
        try await OriginServer.run(fixture.origin, port: port) { _ in
            try await fixture.running(coordinator) {
                _ = try await coordinator.waitUntilReady(filter)
                try await self.awaitConnection(fixture, coordinator)
                try await fixture.origin.put(1, "pushed")
                try await fixture.waitForEvent { $0.changedRows == 1 }
                #expect(try fixture.text(1) == payload(1, "pushed"))
                try await coordinator.status { $0.isIdle }
                // A switch that the user has set ends the connection too.
                coordinator.isForcedOffline = true
                try await coordinator.status { !$0.isListening }
                try await fixture.origin.put(2, "missed")
                try await fixture.origin.put(3, "missed")
                coordinator.isForcedOffline = false
                try await self.awaitConnection(fixture, coordinator)
                try await fixture.waitForEvent { $0.changedRows == 2 }
            }
        }
        #expect(!coordinator.status.isListening)
    }

    /// Lets the wait before the connection pass.
    private func awaitConnection(_ fixture: CoordinatorFixture, _ coordinator: SyncCoordinator) async throws {
        while !coordinator.status.isListening {
            fixture.clock.advance(by: .seconds(1))
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Answers requests for events with something else, as a server that does not know them may, and counts these requests.
private final class EventlessServer: Transport {
    private let content: any Transport
    private let count = Mutex(0)

    init(_ content: any Transport) { self.content = content }

    var requests: Int { count.withLock { $0 } }

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        guard request.path?.contains("resources/events") == true else {
            return try await content.send(request, body: body, timeouts: timeouts)
        }
        count.withLock { $0 += 1 }
        return TransportResponse(
            status: .ok, headers: [.contentType: "application/json"], body: Array("data: {}\n\n".utf8))
    }
}

@Suite("A server without events", .timeLimit(.minutes(3)))
struct EventlessServerTests {
    @Test func `gets one request for them, and no other for long`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 5)
        let server = EventlessServer(fixture.script)
        let coordinator = try fixture.coordinator("translations:*", transport: server) {
            $0.listensForChanges = true
            $0.refreshInterval = nil
        }
        try await fixture.running(coordinator) {
            _ = try await coordinator.waitUntilReady(ResourceFilter("translations:*"))
            while server.requests == 0 { try await pass(.seconds(1), fixture) }
            for _ in 1...100 { try await pass(.seconds(15), fixture) }
        }
        #expect(server.requests == 1)
        #expect(try await fixture.differences() == [])
    }

    private func pass(_ time: Duration, _ fixture: CoordinatorFixture) async throws {
        fixture.clock.advance(by: time)
        try await Task.sleep(for: .milliseconds(2))
    }
}

extension SyncEvent {
    fileprivate var changedRows: Int? { if case .finished(let report) = self { report.rowsChanged } else { nil } }
}
#endif

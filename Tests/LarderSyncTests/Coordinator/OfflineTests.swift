// Proves that nothing is sent without a network, by the host's wish or behind a captive portal, and that sync resumes.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite("Without a network", .timeLimit(.minutes(5)))
struct OfflineTests {
    private let filter: ResourceFilter

    init() throws { filter = ResourceFilter("translations:*") }

    /// Gives the answers it was given, the last one again and again.
    private final class ScriptedProbe: ReachabilityProbe {
        private let state: Mutex<(answers: [Bool], looks: Int)>

        init(_ answers: Bool...) { state = Mutex((answers, 0)) }

        var probeCount: Int { state.withLock { $0.looks } }

        func isReachable() async -> Bool {
            state.withLock { state in
                state.looks += 1
                return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
            }
        }
    }

    private func prepared() async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        for id in 1...3 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 3) }
        return fixture
    }

    @Test func `because the host forces it, runs end, and continue later where they were`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.hasSuffix("/translations/3") == true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            try await fixture.waitForEvent(2) { if case .swapped = $0 { true } else { false } }
            coordinator.isForcedOffline = true
            let status = try await coordinator.status { $0.filters[0].activity == .waiting(for: .network) }
            #expect(status.isForcedOffline && status.network == .online && status.allowance == .nothing)
            #expect(status.filters[0].lastError == nil)
            let count = fixture.script.recorded.count
            coordinator.trigger(.launch)
            coordinator.trigger(.opened(ResourceKey("translations", 1)))
            coordinator.trigger(.push(nil))
            fixture.power.set(.saver)
            try await coordinator.status { $0.power == .saver }
            #expect(fixture.script.recorded.count == count)
            #expect(try fixture.text(1, of: 1) == payload(1, "row 1"))
            coordinator.isForcedOffline = false
            try await coordinator.status { $0.isIdle }
        }
        #expect((1...3).map { fixture.snapshotRequests(of: $0) } == [1, 1, 1])
        #expect(try await fixture.differences() == [])
    }

    /// A network that is reported when a test says so.
    private struct LateConnectivity: ConnectivitySource {
        let report = AsyncStream<NetworkState>.makeStream()

        func states() -> AsyncStream<NetworkState> { report.stream }
    }

    @Test(arguments: [NetworkState.online, .offline])
    func `that is known, a manual sync waits for the first reading`(state: NetworkState) async throws {
        let fixture = try await prepared()
        let network = LateConnectivity()
        let coordinator = SyncCoordinator(
            store: fixture.store, transport: fixture.script,
            configuration: SyncConfiguration(base: "http://127.0.0.1/content"), connectivity: network,
            power: fixture.power)
        coordinator.add(filter)
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isRunning }
            let sync = Task { try await coordinator.sync(filter) }
            for _ in 0..<100 { await Task.yield() }
            network.report.continuation.yield(state)
            if state == .online {
                #expect(try await sync.value.kind == .bootstrap)
            } else {
                let error = await #expect(throws: SyncError.self) { try await sync.value }
                if case .offline = error {} else { Issue.record("not refused for lack of a network") }
            }
        }
    }

    @Test func `that was forced before the start applies from the start`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        coordinator.isForcedOffline = true
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isRunning && $0.network == .online }
            #expect(fixture.script.recorded.isEmpty)
            coordinator.isForcedOffline = false
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `a run that failed is tried again as soon as there is one`() async throws {
        let fixture = try await prepared()
        fixture.script.plan(.fail(.noConnection(reason: "gone")), times: 3) { _ in true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            for count in 1...3 {
                try await fixture.waitForEvent(count) { if case .failed = $0 { true } else { false } }
                try await coordinator.status { $0.isRetrying }
                // The count begins anew with every network.
                #expect(try fixture.filterState()?.failures == 1)
                fixture.network.set(.offline)
                try await coordinator.status { $0.network == .offline }
                fixture.network.set(.online)
            }
            _ = try await coordinator.waitUntilReady(filter)
        }
        // Nobody waited: the clock has not moved.
        #expect(fixture.clock.now.offset == .zero)
    }

    @Test func `behind a captive portal nothing runs, the portal is probed, and all continues when it is gone`()
        async throws
    {
        let fixture = try await prepared()
        fixture.script.plan(.status(HTTPResponse.Status(code: 511)), exchange: 0)
        let probe = ScriptedProbe(false, true)
        let coordinator = try fixture.coordinator("translations:*", probe: probe)
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isRunning && $0.network == .online && $0.allowance == .nothing }
            try await fixture.waitForEvent { $0 == .intercepted }
            #expect(probe.probeCount == 0)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(5))
            while probe.probeCount < 1 {
                try Task.checkCancellation()
                await Task.yield()
            }
            await fixture.clock.sleepers(atLeast: 1)
            #expect(fixture.script.recorded.count == 1)
            fixture.clock.advance(by: .seconds(10))
            _ = try await coordinator.waitUntilReady(filter)
        }
        #expect(probe.probeCount == 2)
        #expect(try fixture.filterState()?.lastError == nil)
    }

    @Test func `an opened resource shows its stored rows, and is refreshed once there is a network`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.contains("sync_token=") == true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            try await fixture.origin.put(1, "new", in: 2)
            coordinator.trigger(.opened(ResourceKey("translations", 2)))
            // It was synced just before: nothing is requested.
            coordinator.trigger(.opened(ResourceKey("translations", 2)))
            fixture.power.set(.saver)
            try await coordinator.status { $0.power == .saver }
            #expect(fixture.script.lines.allSatisfy { !$0.contains("sync_token=") })
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(60))
            coordinator.trigger(.opened(ResourceKey("translations", 2)))
            await heldRequests.waitUntilHeld()
            #expect(try fixture.text(1, of: 2) == payload(1, "row 1"))
            heldRequests.release()
            try await fixture.waitForEvent {
                if case .finished(let report) = $0 { report.rowsChanged == 1 } else { false }
            }
            #expect(try fixture.text(1, of: 2) == payload(1, "new"))
        }
    }
}

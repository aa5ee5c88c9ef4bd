// Proves that a run requested by hand joins the one under way, fails at once without a network, and ends with its filter.

import HTTPTypes
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite("A run requested by hand", .timeLimit(.minutes(5)))
struct RequestedRunTests {
    private let filter: ResourceFilter

    init() throws { filter = ResourceFilter("translations:*") }

    private func prepared() async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        return fixture
    }

    /// Asks for a run; the wait has begun when this returns.
    private func requestRun(_ coordinator: SyncCoordinator) -> Task<Result<SyncReport, SyncError>, Never> {
        Task.immediate { await outcome { () async throws(SyncError) in try await coordinator.sync(filter) } }
    }

    @Test func `joins the one under way`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let requested = [requestRun(coordinator), requestRun(coordinator)]
            heldRequests.release()
            for requested in requested { #expect(await requested.value.report?.kind == .bootstrap) }
            try await coordinator.status { $0.isIdle }
        }
        #expect(fixture.snapshotRequests(of: 19) == 1 && fixture.script.recorded.count == 2)
    }

    @Test func `begins at once where none is under way`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            try await fixture.origin.put(1, "new")
            #expect(await requestRun(coordinator).value.report?.rowsChanged == 1)
            #expect(try fixture.text(1) == payload(1, "new"))
        }
    }

    @Test func `can lose its caller, and continues`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let requested = requestRun(coordinator)
            requested.cancel()
            #expect(await requested.value.error?.isCancelled == true)
            // One who was cancelled before asking has nothing to wait for.
            let late = Task {
                while !Task.isCancelled { await Task.yield() }
                return await outcome { () async throws(SyncError) in try await coordinator.sync(filter) }
            }
            late.cancel()
            #expect(await late.value.error?.isCancelled == true)
            heldRequests.release()
            _ = try await coordinator.waitUntilReady(filter)
        }
        #expect(fixture.script.recorded.count == 2)
    }

    @Test func `without a network fails at once, and is made up for once there is one`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            fixture.network.set(.offline)
            try await coordinator.status { $0.network == .offline }
            try await fixture.origin.put(1, "new")
            #expect(await requestRun(coordinator).value.error?.isOffline == true)
            #expect(fixture.script.recorded.count == 2)
            fixture.network.set(.online)
            try await coordinator.status { $0.network == .online && $0.isIdle }
            #expect(try fixture.text(1) == payload(1, "new"))
        }
    }

    @Test func `works while the coordinator does not run, and for a filter it does not manage`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("tafsirs:*")
        #expect(await requestRun(coordinator).value.report?.kind == .bootstrap)
        try await fixture.running(coordinator) {
            #expect(await requestRun(coordinator).value.report?.kind == .incremental)
        }
        coordinator.isForcedOffline = true
        #expect(await requestRun(coordinator).value.error?.isOffline == true)
    }

    @Test func `ends with its filter`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let requested = requestRun(coordinator)
            coordinator.remove(filter)
            #expect(await requested.value.error?.isCancelled == true)
            try await coordinator.status { $0.filters.isEmpty }
            // Added again it is bootstrapped as if for the first time.
            coordinator.add(filter)
            heldRequests.release()
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `ends with the coordinator`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let requested = try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            return requestRun(coordinator)
        }
        #expect(await requested.value.error?.isCancelled == true)
    }

    @Test func `fails at once during the server's wait`() async throws {
        let fixture = try await prepared()
        fixture.script.plan(.status(.tooManyRequests), .header(.retryAfter, "90"), exchange: 0)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let status = try await coordinator.status { $0.isRetrying }
            #expect(status.retryAt == fixture.clock.wallMilliseconds + 90_000)
            #expect(await requestRun(coordinator).value.error?.retryAfter == 90)
            #expect(fixture.script.recorded.count == 1)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(90))
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `waits for its turn no longer than there is a network`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.contains("tafsirs") == true }
        let coordinator = try fixture.coordinator("tafsirs:*", "translations:*", transport: heldRequests) {
            $0.concurrentRuns = 1
        }
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let requested = requestRun(coordinator)
            fixture.network.set(.offline)
            #expect(await requested.value.error?.isOffline == true)
        }
    }

    @Test func `fails without a network when the host goes offline meanwhile`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let requested = requestRun(coordinator)
            coordinator.isForcedOffline = true
            #expect(await requested.value.error?.isOffline == true)
        }
    }

    @Test func `that was ended by the host going offline is done when it is back`() async throws {
        let fixture = try await prepared()
        let held = HeldResponseTransport(fixture.script)
        let coordinator = try fixture.coordinator("translations:*", transport: held)
        try await fixture.running(coordinator) {
            await held.waitUntilAnswered()
            coordinator.isForcedOffline = true
            coordinator.isForcedOffline = false
            // The run that was ended may not be over yet; it is not the answer.
            let requested = requestRun(coordinator)
            held.release()
            #expect(await requested.value.report?.kind == .bootstrap)
        }
    }
}

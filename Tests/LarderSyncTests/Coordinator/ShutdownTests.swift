// Proves that the coordinator stops promptly, leaves a sound store, and continues at the next start.

#if ServiceLifecycle
import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Logging
import ServiceLifecycle
import Testing

@Suite("The shutdown of the service", .timeLimit(.minutes(5)))
struct ShutdownTests {
    private func group(_ service: any Service) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service], logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    }

    /// A fixture of five resources, and a transport that holds the snapshot request of the last.
    private func prepared() async throws -> (CoordinatorFixture, HeldRequestTransport) {
        let fixture = try CoordinatorFixture()
        for id in 1...5 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 30) }
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.hasSuffix("/translations/5") == true }
        return (fixture, heldRequests)
    }

    /// Whether what the first start finished is not fetched again by the next.
    private func expectGoesOn(_ fixture: CoordinatorFixture) async throws {
        try fixture.expectSound()
        #expect(try fixture.filterState()?.token == nil)
        #expect(try fixture.filterState()?.failures == 0)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            _ = try await coordinator.waitUntilReady(ResourceFilter("translations:*"))
        }
        #expect((1...4).map { fixture.snapshotRequests(of: $0) } == [1, 1, 1, 1])
        #expect(try await fixture.differences() == [])
        try fixture.expectSound()
    }

    @Test func `a graceful shutdown during a snapshot is prompt, and the next start continues`() async throws {
        let (fixture, heldRequests) = try await prepared()
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let group = group(coordinator)
        let service = Task { try await group.run() }
        await heldRequests.waitUntilHeld()
        try await fixture.waitForEvent(4) { if case .swapped = $0 { true } else { false } }
        await group.triggerGracefulShutdown()
        try await service.value
        #expect(!coordinator.status.isRunning)
        try await expectGoesOn(fixture)
    }

    @Test func `a snapshot that is cut off in its body leaves no trace`() async throws {
        let (fixture, _) = try await prepared()
        // The answer is here, its body is still coming, and does not come to an end.
        fixture.script.plan(.stall(after: 500)) { $0.path?.hasSuffix("/translations/5") == true }
        let coordinator = try fixture.coordinator("translations:*")
        let group = group(coordinator)
        let service = Task { try await group.run() }
        try await fixture.waitForEvent(4) { if case .swapped = $0 { true } else { false } }
        await group.triggerGracefulShutdown()
        try await service.value
        fixture.script.clearPlans()
        try await expectGoesOn(fixture)
    }

    @Test func `a cancelled task ends it likewise, and reports the cancellation`() async throws {
        let (fixture, heldRequests) = try await prepared()
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let service = Task { try await coordinator.run() }
        await heldRequests.waitUntilHeld()
        try await fixture.waitForEvent(4) { if case .swapped = $0 { true } else { false } }
        service.cancel()
        await #expect(throws: CancellationError.self) { try await service.value }
        try await expectGoesOn(fixture)
    }

    @Test func `a shutdown requested before the start takes effect`() async throws {
        /// Starts its service only when the shutdown is requested.
        struct Late: Service {
            let service: any Service

            func run() async throws {
                try await gracefulShutdown()
                try await service.run()
            }
        }
        let fixture = try CoordinatorFixture()
        let coordinator = try fixture.coordinator("translations:*")
        let group = group(Late(service: coordinator))
        let service = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        try await service.value
        #expect(fixture.script.recorded.isEmpty)
    }

    @Test func `the store may be closed at once, though a response is still on its way`() async throws {
        let (fixture, _) = try await prepared()
        let held = HeldResponseTransport(fixture.script) { $0.path?.hasSuffix("/translations/5") == true }
        let coordinator = try fixture.coordinator("translations:*", transport: held)
        let service = Task { try await coordinator.run() }
        await held.waitUntilAnswered()
        service.cancel()
        _ = await service.result
        try fixture.store.close()
        held.release()
        #expect(!coordinator.status.isRunning)
    }

    @Test func `a coordinator can be started again`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("translations:*")
        for number in 1...3 {
            try await fixture.origin.put(1, "version \(number)")
            try await fixture.running(coordinator) {
                try await coordinator.status { $0.isRunning && $0.isIdle }
            }
            #expect(try fixture.text(1) == payload(1, "version \(number)"))
        }
        #expect(fixture.network.subscriberCount == 0 && fixture.power.subscriberCount == 0)
        #expect(fixture.clock.sleeperCount == 0)
    }
}
#endif

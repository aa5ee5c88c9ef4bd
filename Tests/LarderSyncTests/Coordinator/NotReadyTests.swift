// Proves that waiting for a filter ends with an error that names the resources that will not come.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

/// Waiting for a filter ends with an error that names what nothing will bring.
@Suite("Waiting for a filter that will not be ready", .timeLimit(.minutes(20)))
struct NotReadyTests {
    private let filter: ResourceFilter

    init() throws { filter = ResourceFilter("translations:*") }

    private func expectMissing(_ coordinator: SyncCoordinator, _ ids: [Int64]) async throws {
        let wait = Task { try await coordinator.waitUntilReady(filter) }
        let result = await wait.endOrCancellation()
        let error = try #require(#expect(throws: NotReadyError.self) { try result.get() })
        #expect(error.missing.map(\.key.id) == ids)
        for id in ids { #expect(error.description.contains("translations/\(id)")) }
    }

    @Test func `because its rows were evicted ends`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            _ = try await coordinator.waitUntilReady(filter)
            let isEvicted = try await fixture.store.write { transaction in
                try transaction.evict(ResourceKey("translations", 2))
            }
            #expect(isEvicted)
            try await expectMissing(coordinator, [2])
            coordinator.trigger(.opened(ResourceKey("translations", 2)))
            try await fixture.waitForEvent(3) { if case .swapped = $0 { true } else { false } }
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `because its rows cannot be named ends`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(1, count: 2)
        try await fixture.origin.addTranslations(2, count: 1)
        let unnamed = RowKeyMapping(capturing: ["text"]) { (_, fields) throws(WireError) in
            guard case .string(let text)? = fields["text"], text != "row 2" else { throw .unknownGroup }
            return SnapshotRowKey(type: "translation", key: text)
        }
        let sync = ContentSync(
            store: fixture.store, transport: fixture.script,
            configuration: SyncConfiguration(
                base: BaseURL("http://127.0.0.1/content"), keyMapping: unnamed))
        _ = try await sync.sync(filter)
        let coordinator = try fixture.coordinator("translations:*")
        try await expectMissing(coordinator, [1])
    }

    @Test func `because the server refuses its snapshot ends, and a later arrival is reported`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.forbidden), times: 100) { $0.path?.hasSuffix("/translations/2") == true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await expectMissing(coordinator, [2])
            fixture.script.clearPlans()
            try await fixture.waitForEvent { if case .failed = $0 { true } else { false } }
            _ = try await coordinator.sync(filter)
            #expect(try await coordinator.waitUntilReady(filter).isComplete)
        }
    }

    @Test func `because the server refuses the filter ends with its response, and a later arrival is reported`()
        async throws
    {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(1, count: 2)
        fixture.script.plan(.status(.forbidden), times: 100) { $0.path?.contains("/sync?") == true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let wait = Task { try await coordinator.waitUntilReady(filter) }
            let error = await #expect(throws: SyncError.self) { try await wait.endOrCancellation().get() }
            guard case .refused? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            fixture.script.clearPlans()
            _ = try await coordinator.sync(filter)
            #expect(try await coordinator.waitUntilReady(filter).isComplete)
        }
    }

    @Test func `because its snapshot failed three times ends, and no sooner`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.internalServerError), times: 100) { $0.path?.hasSuffix("/translations/2") == true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            for attempt in 1...3 {
                try await fixture.waitForEvent(attempt) { if case .resourceFailed = $0 { true } else { false } }
                try await fixture.waitForEvent(attempt) { if case .failed = $0 { true } else { false } }
                let failure = try fixture.readiness()?.failedMembers.first
                #expect(failure?.attempts == attempt)
                #expect(try fixture.readiness()?.members.map(\.isStuck) == [false, attempt == 3])
                if attempt == 3 { break }
                await fixture.clock.sleepers(atLeast: 1)
                fixture.clock.advance(by: .seconds(attempt == 1 ? 11 : 61))
            }
            try await expectMissing(coordinator, [2])
        }
    }

    @Test func `because it came for another filter and not for this one ends`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        let other = try fixture.coordinator()
        _ = try await other.sync(ResourceFilter("translations:2"))
        try await fixture.origin.replace(2, with: Origin.translations(3))
        fixture.script.plan(.status(.forbidden), times: 100) { $0.path?.hasSuffix("/translations/2") == true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) { try await expectMissing(coordinator, [2]) }
    }
}

/// What failed in an earlier launch is tried once before the wait for it ends.
@Suite("Waiting for a filter that failed in an earlier launch", .timeLimit(.minutes(20)))
struct EarlierFailureTests {
    private let filter: ResourceFilter

    init() throws { filter = ResourceFilter("translations:*") }

    /// A store in which one snapshot failed three times, long enough ago to be tried again.
    private func failed() async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.internalServerError), times: 100) { $0.path?.hasSuffix("/translations/2") == true }
        let earlier = try fixture.coordinator()
        for _ in 1...3 {
            let result = await outcome { () async throws(SyncError) in try await earlier.sync(filter) }
            #expect(result.error != nil)
        }
        #expect(try fixture.readiness()?.failedMembers.map(\.attempts) == [3])
        fixture.clock.advance(by: .seconds(301))
        return fixture
    }

    private func waiting(_ coordinator: SyncCoordinator) async -> Task<FilterReadiness, any Error> {
        let task = Task { try await coordinator.waitUntilReady(filter) }
        for _ in 0..<1000 { await Task.yield() }
        return task
    }

    @Test(arguments: [true, false])
    func `ends after the first run of this one`(_ isMended: Bool) async throws {
        let fixture = try await failed()
        if isMended { fixture.script.clearPlans() }
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let result = try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let task = await waiting(coordinator)
            heldRequests.release()
            return await task.endOrCancellation()
        }
        if isMended {
            #expect(try result.get().isComplete)
        } else {
            #expect(throws: NotReadyError.self) { try result.get() }
            #expect(try fixture.readiness()?.failedMembers.map(\.attempts) == [4])
        }
    }

    @Test func `ends with the coordinator`() async throws {
        let fixture = try await failed()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let task = try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            return await waiting(coordinator)
        }
        let result = await task.endOrCancellation()
        #expect(throws: NotReadyError.self) { try result.get() }
    }
}

extension Task where Failure == any Error {
    /// What it ends with; one that hangs is cancelled in the end, and ends with that.
    fileprivate func endOrCancellation() async -> Result<Success, Failure> {
        let limit = Task<Void, any Error> {
            try await Task<Never, Never>.sleep(for: .seconds(600))
            cancel()
        }
        defer { limit.cancel() }
        return await result
    }
}

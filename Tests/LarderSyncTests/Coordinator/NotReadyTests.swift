import HTTPTypes
import Larder
import LarderServer
import LarderTesting
import Testing

/// Waiting for a filter ends with an error that names what nothing will bring.
@Suite("Waiting for what will not come", .timeLimit(.minutes(1)))
struct NotReadyTests {
    private let filter: ResourceFilter

    init() throws { filter = try ResourceFilter("translations:*") }

    private func expectMissing(_ coordinator: SyncCoordinator, _ ids: [Int64]) async throws {
        let error = try #require(
            await #expect(throws: NotReadyError.self) { try await coordinator.waitUntilReady(filter) })
        #expect(error.missing.map(\.key.id) == ids)
        for id in ids { #expect(error.description.contains("translations/\(id)")) }
    }

    @Test func `because its rows were evicted ends`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try fixture.origin.addTranslations(id, count: 2) }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            _ = try await coordinator.waitUntilReady(filter)
            let isEvicted = try await fixture.store.write { transaction in
                try transaction.evict(ResourceKey("translations", 2))
            }
            #expect(isEvicted)
            try await expectMissing(coordinator, [2])
            coordinator.trigger(.opened(ResourceKey("translations", 2)))
            try await fixture.happens(3) { if case .swapped = $0 { true } else { false } }
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `because its rows cannot be named ends`() async throws {
        let fixture = try CoordinatorFixture()
        try fixture.origin.addTranslations(1, count: 2)
        try fixture.origin.addTranslations(2, count: 1)
        let unnamed = RowKeyMapping(capturing: ["text"]) { (_, fields) throws(WireError) in
            guard case .string(let text)? = fields["text"], text != "row 2" else { throw .unknownGroup }
            return FullCopyRowKey(type: "translation", key: text)
        }
        let sync = ContentSync(
            store: fixture.store, transport: fixture.script,
            configuration: SyncConfiguration(
                base: try #require(BaseURL("http://127.0.0.1/content")), keyMapping: unnamed))
        _ = try await sync.sync(filter)
        let coordinator = try fixture.coordinator("translations:*")
        try await expectMissing(coordinator, [1])
    }

    @Test func `because the server refuses its snapshot ends, and what comes later is told`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.forbidden), times: 100) { $0.path?.hasSuffix("/translations/2") == true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await expectMissing(coordinator, [2])
            fixture.script.clearPlans()
            try await fixture.happens { if case .failed = $0 { true } else { false } }
            _ = try await coordinator.sync(filter)
            #expect(try await coordinator.waitUntilReady(filter).isComplete)
        }
    }

    @Test func `because its snapshot failed three times ends, and no sooner`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...2 as ClosedRange<Int64> { try fixture.origin.addTranslations(id, count: 2) }
        fixture.script.plan(.status(.internalServerError), times: 100) { $0.path?.hasSuffix("/translations/2") == true }
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            for attempt in 1...3 {
                try await fixture.happens(attempt) { if case .resourceFailed = $0 { true } else { false } }
                try await fixture.happens(attempt) { if case .failed = $0 { true } else { false } }
                let failure = try fixture.readiness()?.failedMembers.first
                #expect(failure?.attempts == attempt)
                #expect(try fixture.readiness()?.members.map(\.isStuck) == [false, attempt == 3])
                if attempt < 3 { fixture.clock.advance(by: .seconds(attempt == 1 ? 11 : 61)) }
            }
            try await expectMissing(coordinator, [2])
        }
    }
}

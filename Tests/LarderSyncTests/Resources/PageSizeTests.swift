// Proves that a changed page size restarts a bootstrap's pages, and continues from stored tokens.

import HTTPTypes
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite("An update of the app that changes the page size", .timeLimit(.minutes(5)))
struct PageSizeTests {
    private let filter: ResourceFilter

    init() throws { filter = ResourceFilter("translations:*") }

    private func coordinator(
        _ fixture: CoordinatorFixture, perPage: Int, over transport: any Transport
    ) throws -> SyncCoordinator {
        let base = BaseURL("http://127.0.0.1/content")
        let coordinator = SyncCoordinator(
            store: fixture.store, transport: transport,
            configuration: SyncConfiguration(base: base, perPage: perPage), connectivity: fixture.network,
            power: fixture.power, onEvent: { event in fixture.record(event) })
        coordinator.add(filter)
        return coordinator
    }

    @Test func `restarts the bootstrap's pages, and keeps the stored resources`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...7 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 5) }
        // Two pages come, the third does not.
        let heldRequests = HeldRequestTransport(fixture.script) { request in
            request.path?.contains("cursor=") == true && fixture.script.lines.contains { $0.contains("cursor=") }
        }
        let old = try coordinator(fixture, perPage: 2, over: heldRequests)
        try await fixture.running(old) {
            await heldRequests.waitUntilHeld()
            try await fixture.waitForEvent(4) { if case .swapped = $0 { true } else { false } }
        }
        let cursors = fixture.script.lines.filter { $0.contains("cursor=") }
        #expect(cursors.count == 1)
        let new = try coordinator(fixture, perPage: 3, over: fixture.script)
        try await fixture.running(new) { try await new.status { $0.isIdle } }
        // No cursor of the old size was used for the new.
        let later = fixture.script.lines.filter { $0.contains("cursor=") }.dropFirst(cursors.count)
        #expect(later.count == 2 && Set(later).isDisjoint(with: cursors))
        #expect(fixture.script.lines.count { $0.contains("bootstrap=true") && $0.contains("per_page=3") } == 1)
        #expect((1...7).map { fixture.snapshotRequests(of: $0) } == [1, 1, 1, 1, 1, 1, 1])
        #expect(try await fixture.differences() == [])
        #expect(!fixture.recordedEvents.contains(.tokenRejected(filter: "translations:*")))
    }

    @Test func `continues from the token of the old size`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...7 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 5) }
        let old = try coordinator(fixture, perPage: 2, over: fixture.script)
        try await fixture.running(old) { try await old.status { $0.isIdle } }
        for id in 1...7 as ClosedRange<Int64> { try await fixture.origin.put(1, "new", in: id) }
        let new = try coordinator(fixture, perPage: 3, over: fixture.script)
        try await fixture.running(new) { try await new.status { $0.isRunning && $0.isIdle } }
        #expect(try await fixture.differences() == [])
        #expect(!fixture.recordedEvents.contains(.tokenRejected(filter: "translations:*")))
        #expect((1...7).map { fixture.snapshotRequests(of: $0) } == [1, 1, 1, 1, 1, 1, 1])
    }
}

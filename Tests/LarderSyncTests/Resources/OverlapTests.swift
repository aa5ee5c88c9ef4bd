// Proves that filters which share resources fetch them once and lose them only with the last filter.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Testing

@Suite("Filters that share resources", .timeLimit(.minutes(5)))
struct OverlapTests {
    @Test func `fetch a shared resource's snapshot once`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...4 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 10) }
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.contains("/snapshots/") == true }
        let coordinator = try fixture.coordinator("translations:1,2,3", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld(3)
            // The second filter waits for the copy that the first is fetching, and fetches its own.
            coordinator.add(ResourceFilter("translations:2,4"))
            await heldRequests.waitUntilHeld(4)
            heldRequests.release()
            try await coordinator.status { $0.filters.allSatisfy { $0.activity == .idle } }
        }
        #expect((1...4).map { fixture.snapshotRequests(of: $0) } == [1, 1, 1, 1])
        for filter in ["translations:1,2,3", "translations:2,4"] {
            #expect(try await fixture.differences(filter) == [])
        }
        try fixture.expectSound()
    }

    @Test func `lose it only when the last of them does`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(1, count: 3)
        try await fixture.origin.addTranslations(2, count: 3)
        let filters = ["translations:*", "translations:1"]
        let coordinator = try fixture.coordinator(filters[0], filters[1])
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.filters.allSatisfy { $0.activity == .idle } }
            try await fixture.origin.hide(1)
            try await fixture.origin.invalidateTokens()
            // A bootstrap that does not list the resource sweeps it from one filter.
            #expect(try await coordinator.sync(ResourceFilter(filters[0])).wasRejected)
            #expect(try fixture.filterState(filters[0])?.members == [ResourceKey("translations", 2)])
            #expect(try fixture.text(1, of: 1) == payload(1, "row 1"))
            _ = try await coordinator.sync(ResourceFilter(filters[1]))
            #expect(try fixture.text(1, of: 1) == nil)
        }
        for filter in filters { #expect(try await fixture.differences(filter) == []) }
        try fixture.expectSound()
    }

    @Test func `never roll a row back, whichever is slower`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(1, count: 3)
        let slow = ResourceFilter("translations:*")
        let fast = ResourceFilter("translations:1")
        let first = try fixture.coordinator("translations:*", "translations:1")
        try await fixture.running(first) {
            try await first.status { $0.filters.allSatisfy { $0.activity == .idle } }
        }
        try await fixture.origin.put(1, "old", in: 1)
        // The slow one has its page before the newer change exists, and applies it after the fast one has applied that.
        let held = HeldResponseTransport(fixture.script)
        let coordinator = try fixture.coordinator(transport: held)
        let running = Task { try await coordinator.sync(slow) }
        await held.waitUntilAnswered()
        try await fixture.origin.put(1, "new", in: 1)
        _ = try await fixture.coordinator().sync(fast)
        #expect(try fixture.text(1, of: 1) == payload(1, "new"))
        held.release()
        _ = try await running.value
        #expect(try fixture.text(1, of: 1) == payload(1, "new"))
    }

    @Test func `are removed one by one: what another holds is kept`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(1, count: 3)
        try await fixture.origin.addTranslations(2, count: 3)
        let coordinator = try fixture.coordinator("translations:*", "translations:1")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.filters.allSatisfy { $0.activity == .idle } }
        }
        coordinator.remove(ResourceFilter("translations:*"))
        try await fixture.store.removeFilter("translations:*")
        #expect(try fixture.text(1, of: 1) != nil && fixture.text(1, of: 2) == nil)
        #expect(coordinator.status.filters.map(\.filter) == ["translations:1"])
    }
}

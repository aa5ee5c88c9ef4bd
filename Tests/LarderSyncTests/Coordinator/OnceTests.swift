// Proves that a single sync within a time limit ends when all is up to date, at the limit, or without a network.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite("A single sync within a time limit", .timeLimit(.minutes(5)))
struct OnceTests {
    @Test func `ends as soon as all is up to date`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("tafsirs:*", "translations:*")
        for kind in [SyncReport.Kind.bootstrap, .incremental] {
            let outcomes = await coordinator.runOnce(within: .seconds(25))
            #expect(outcomes.mapValues { $0.report?.kind } == ["tafsirs:*": kind, "translations:*": kind])
        }
        #expect(fixture.clock.now.offset == .zero && fixture.clock.sleeperCount == 0)
        #expect(try await fixture.differences() == [])
    }

    @Test func `ends at once without a network, with nothing done`() async throws {
        let fixture = try CoordinatorFixture(network: .offline)
        let coordinator = try fixture.coordinator("translations:*")
        #expect(await coordinator.runOnce(within: .seconds(25)).isEmpty)
        fixture.network.set(.online)
        coordinator.isForcedOffline = true
        #expect(await coordinator.runOnce(within: .seconds(25)).isEmpty)
        #expect(fixture.script.recorded.isEmpty)
    }

    /// It stopped the program: an app that the system wakes may still have its run.
    @Test func `waits for the runs of a coordinator that runs`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let coordinator = try fixture.coordinator("tafsirs:*", "translations:*")
        let running = Task { try await coordinator.run() }
        _ = try await coordinator.waitUntilReady("translations:*")
        try await fixture.origin.addTranslations(20, count: 3)
        let outcomes = await coordinator.runOnce(within: .seconds(25))
        #expect(outcomes.mapValues { $0.report != nil } == ["tafsirs:*": true, "translations:*": true])
        #expect(try await fixture.differences() == [])
        fixture.network.set(.offline)
        let offline = await coordinator.runOnce(within: .seconds(25))
        #expect(offline.keys.sorted() == ["tafsirs:*", "translations:*"])
        #expect(offline.values.allSatisfy { $0.error != nil })
        running.cancel()
        _ = await running.result
    }

    @Test func `leaves the runs of a coordinator that runs at the limit`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.hasSuffix("/translations/19") == true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let running = Task { try await coordinator.run() }
        await heldRequests.waitUntilHeld()
        let sleepers = fixture.clock.sleeperCount
        let visit = Task { await coordinator.runOnce(within: .seconds(25)) }
        await fixture.clock.sleepers(atLeast: sleepers + 1)
        fixture.clock.advance(by: .seconds(25))
        #expect(await visit.value.isEmpty)
        heldRequests.release()
        _ = try await coordinator.waitUntilReady("translations:*")
        running.cancel()
        _ = await running.result
    }

    @Test func `ends at once without filters`() async throws {
        let fixture = try CoordinatorFixture()
        let coordinator = try fixture.coordinator()
        #expect(await coordinator.runOnce(within: .seconds(25)).isEmpty)
    }

    @Test func `ends at the limit in the middle of a bootstrap, which the next one continues`() async throws {
        let fixture = try CoordinatorFixture()
        for id in 1...5 as ClosedRange<Int64> { try await fixture.origin.addTranslations(id, count: 30) }
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.hasSuffix("/translations/5") == true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let visit = Task { await coordinator.runOnce(within: .seconds(25)) }
        await heldRequests.waitUntilHeld()
        try await fixture.waitForEvent(4) { if case .swapped = $0 { true } else { false } }
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: .seconds(25))
        #expect(await visit.value["translations:*"]?.error?.isCancelled == true)
        #expect(try fixture.filterState()?.failures == 0)
        try fixture.expectSound()
        let outcomes = await coordinator.runOnce(within: .seconds(25))
        #expect(outcomes["translations:*"]?.report?.snapshots == 1)
        #expect((1...4).map { fixture.snapshotRequests(of: $0) } == [1, 1, 1, 1])
        #expect(try await fixture.differences() == [])
    }

    @Test func `tries again what failed while there is time`() async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(19, count: 3)
        fixture.script.plan(.status(.serviceUnavailable), exchange: 0)
        let coordinator = try fixture.coordinator("translations:*")
        let visit = Task { await coordinator.runOnce(within: .seconds(25)) }
        // The limit, and the wait before the next try.
        await fixture.clock.sleepers(atLeast: 2)
        fixture.clock.advance(by: .seconds(1))
        #expect(await visit.value["translations:*"]?.report?.snapshots == 1)
    }

    @Test func `does not wait for a retry beyond the limit`() async throws {
        let fixture = try CoordinatorFixture()
        fixture.script.plan(.status(.serviceUnavailable), .header(.retryAfter, "26"), exchange: 0)
        let coordinator = try fixture.coordinator("translations:*")
        let outcomes = await coordinator.runOnce(within: .seconds(25))
        #expect(outcomes["translations:*"]?.error?.retryAfter == 26)
        #expect(fixture.script.recorded.count == 1)
    }

    @Test func `can be cancelled`() async throws {
        let fixture = try CoordinatorFixture()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        let visit = Task { await coordinator.runOnce(within: .seconds(25)) }
        await heldRequests.waitUntilHeld()
        visit.cancel()
        _ = await visit.value
        #expect(!coordinator.status.isRunning && fixture.clock.sleeperCount == 0)
    }
}

// Proves that the status reports each phase, wait, failure and progress of the filters to every observer.

import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Testing

@Suite("The status of the coordinator", .timeLimit(.minutes(5)))
struct StatusTests {
    private let filter: ResourceFilter

    init() throws { filter = ResourceFilter("translations:*") }

    private func prepared(_ resources: ClosedRange<Int64> = 19...19) async throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        for id in resources { try await fixture.origin.addTranslations(id, count: 3) }
        return fixture
    }

    @Test func `is reported at once, then in each phase`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        var statuses = coordinator.statuses().makeAsyncIterator()
        let first = try #require(await statuses.next())
        #expect(!first.isRunning && first.filters[0].activity == .waiting(for: .coordinator))
        #expect(first.filters[0].readiness == nil)
        let service = Task { try await coordinator.run() }
        await heldRequests.waitUntilHeld()
        while case .waiting? = await statuses.next()?.filters[0].activity {}
        #expect(coordinator.status.filters[0].activity != .idle)
        heldRequests.release()
        var status = try #require(await statuses.next())
        while !status.isIdle {
            if case .running = status.filters[0].activity {} else { Issue.record("\(status.filters[0].activity)") }
            status = try #require(await statuses.next())
        }
        #expect(status.filters[0].readiness?.isComplete == true)
        service.cancel()
        while let status = await statuses.next(), status.isRunning {}
        #expect(coordinator.status.filters[0].activity == .waiting(for: .coordinator))
    }

    @Test func `reaches an observer that begins while it changes`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        for turn in 0..<2000 {
            async let change: Void = { coordinator.isForcedOffline = turn.isMultiple(of: 2) }()
            var statuses = coordinator.statuses().makeAsyncIterator()
            await change
            let newest = await statuses.next()
            try #require(newest?.isForcedOffline == turn.isMultiple(of: 2), "turn \(turn)")
        }
    }

    @Test func `is reported to an observer even when it equals the last one reported to another`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let before = try await coordinator.status { $0.isIdle }
            // Nobody reads while this becomes another.
            fixture.network.set(.offline)
            while coordinator.status.network != .offline {
                try Task.checkCancellation()
                await Task.yield()
            }
            var statuses = coordinator.statuses().makeAsyncIterator()
            #expect(await statuses.next()?.network == .offline)
            fixture.network.set(.online)
            #expect(await statuses.next() == before)
        }
    }

    @Test func `reports what a run waits for`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("tafsirs:*", "translations:*", transport: heldRequests) {
            $0.concurrentRuns = 1
        }
        fixture.network.set(.offline)
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.filters[0].activity == .waiting(for: .network) }
            fixture.power.set(.critical)
            // Power and network reach the coordinator by two streams, in any order.
            try await coordinator.status { $0.power == .critical }
            fixture.network.set(.online)
            try await coordinator.status { $0.filters[0].activity == .waiting(for: .conditions) }
            fixture.power.set(.normal)
            try await coordinator.status { $0.filters[1].activity == .waiting(for: .turn) }
            heldRequests.release()
            try await coordinator.status { $0.filters.allSatisfy { $0.activity == .idle } }
        }
    }

    @Test func `never reports a filter as idle that was not run yet`() async throws {
        let fixture = try await prepared()
        fixture.network.set(.offline)
        let coordinator = try fixture.coordinator("tafsirs:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isRunning }
            for id in 1...50 as ClosedRange<Int64> {
                coordinator.add(try ResourceFilter("translations:\(id)"))
                #expect(coordinator.status.filters.last?.activity != .idle)
            }
            fixture.network.set(.online)
            let filters = Set(try (1...50).map { try ResourceFilter("translations:\($0)").description })
            for await status in coordinator.statuses() {
                let idle = status.filters.filter { $0.activity == .idle }
                #expect(idle.allSatisfy { $0.readiness?.syncedAt != nil })
                if filters.isSubset(of: idle.map(\.filter)) { break }
            }
        }
    }

    @Test func `shows the progress of a run`() async throws {
        let fixture = try await prepared(1...4)
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.hasSuffix("/translations/4") == true }
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            try await fixture.waitForEvent(3) { if case .swapped = $0 { true } else { false } }
            guard case .running(let progress) = coordinator.status.filters[0].activity else {
                Issue.record("nothing runs")
                return
            }
            #expect(progress.kind == .bootstrap && progress.pages == 1 && progress.mutations == 4)
            #expect(progress.snapshots == 3 && progress.rows == 9 && progress.remainingBytes == 0)
            let readiness = try #require(coordinator.status.filters[0].readiness)
            #expect(readiness.remainingResourceCount == 1 && !readiness.isComplete)
            heldRequests.release()
        }
    }

    @Test func `reports why a run failed and when it is tried again, until one has finished`() async throws {
        let fixture = try await prepared()
        fixture.script.plan(.fail(.connectionRefused), exchange: 0)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let status = try await coordinator.status { $0.isRetrying }
            #expect(status.filters[0].lastError == SyncError.transport(.connectionRefused).description)
            let stored = try #require(try fixture.filterState())
            #expect(stored.lastError == status.filters[0].lastError && stored.failures == 1)
            #expect(stored.nextRunAt == status.retryAt && stored.lastRunAt == fixture.clock.wallMilliseconds)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(1))
            #expect(try await coordinator.status { $0.isIdle }.filters[0].lastError == nil)
        }
        let stored = try #require(try fixture.filterState())
        #expect(stored.lastError == nil && stored.failures == 0 && stored.nextRunAt == nil)
    }

    @Test func `records the latest runs of a filter, those with the same result as one`() async throws {
        let fixture = try await prepared()
        for exchange in 0...1 { fixture.script.plan(.fail(.connectionRefused), exchange: exchange) }
        let coordinator = try fixture.coordinator("translations:*")
        let start = fixture.clock.wallMilliseconds
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isRetrying }
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(1))
            try await fixture.waitForEvent(2) { if case .failed = $0 { true } else { false } }
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(2))
            try await coordinator.status { $0.isIdle && $0.filters[0].lastError == nil }
            for _ in 1...3 {
                fixture.clock.advance(by: .seconds(1))
                _ = try await coordinator.sync(filter)
            }
            try await fixture.origin.put(1, "new")
            _ = try await coordinator.sync(filter)
        }
        let refused = SyncError.transport(.connectionRefused).description
        #expect(
            try fixture.filterState()?.runs == [
                RecordedRuns(beganAt: start, endedAt: start + 1000, count: 2, error: refused),
                RecordedRuns(beganAt: start + 3000, endedAt: start + 3000, rowsWritten: 3),
                RecordedRuns(beganAt: start + 4000, endedAt: start + 6000, count: 3),
                RecordedRuns(beganAt: start + 6000, endedAt: start + 6000, rowsWritten: 1),
            ])
    }

    @Test func `stores the reason with the filter across restarts`() async throws {
        let fixture = try await prepared()
        fixture.script.plan(.status(.unprocessableContent), exchange: 0)
        let first = try fixture.coordinator("translations:*")
        try await fixture.running(first) { try await first.status { $0.isRetrying } }
        let second = try fixture.coordinator("translations:*")
        #expect(second.status.filters[0].lastError?.contains("422") == true)
    }

    @Test func `shows a filter as overdue`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            fixture.network.set(.offline)
            try await coordinator.status { $0.network == .offline }
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(8 * 24 * 3600))
            try await fixture.waitForEvent { $0 == .overdue(filter: "translations:*") }
            #expect(coordinator.status.filters[0].isOverdue)
            fixture.network.set(.constrained)
            try await coordinator.status { $0.isIdle && !$0.filters[0].isOverdue }
        }
    }

    @Test func `stays complete and readable while a rejected token is replaced`() async throws {
        let fixture = try await prepared(1...3)
        let heldRequests = HeldRequestTransport(fixture.script) { $0.path?.hasSuffix("/translations/3") == true }
        let first = try fixture.coordinator("translations:*")
        try await fixture.running(first) { try await first.status { $0.isIdle } }
        try await fixture.origin.invalidateTokens()
        try await fixture.origin.put(1, "new", in: 3)
        let coordinator = try fixture.coordinator("translations:*", transport: heldRequests)
        try await fixture.running(coordinator) {
            await heldRequests.waitUntilHeld()
            let readiness = try #require(coordinator.status.filters[0].readiness)
            #expect(readiness.isComplete && readiness.isBootstrapping && readiness.remainingResourceCount >= 1)
            #expect(try fixture.text(1, of: 3) == payload(1, "row 1"))
            #expect(try await coordinator.waitUntilReady(filter).isBootstrapping)
            heldRequests.release()
            try await coordinator.status { $0.isIdle }
        }
        #expect(fixture.recordedEvents.contains(.tokenRejected(filter: "translations:*")))
        #expect(try await fixture.differences() == [])
    }

    @Test func `counts rejected tokens with the filter, slows down at the third, and resets the count later`()
        async throws
    {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            for count in 1...3 as ClosedRange<Int64> {
                try await fixture.origin.invalidateTokens()
                #expect(try await coordinator.sync(filter).wasRejected)
                #expect(try fixture.filterState()?.resyncs == count)
            }
        }
        // The next process knows.
        let second = try fixture.coordinator("translations:*")
        try await fixture.running(second) {
            let status = try await second.status {
                if case .waiting(.slowMode) = $0.filters[0].activity { true } else { false }
            }
            #expect(status.allowance == .everything)
            // By hand it still goes, and the token it has is a good one.
            #expect(try await second.sync(filter).kind == .incremental)
            #expect(try fixture.filterState()?.resyncs == 3)
            // One that it takes an hour after the last rejection ends the loop.
            fixture.clock.advance(by: .seconds(3600))
            #expect(try await second.sync(filter).kind == .incremental)
        }
        #expect(try fixture.filterState()?.resyncs == 0)
        #expect(
            fixture.recordedEvents.contains {
                if case .slowed(_, 3, _) = $0 { true } else { false }
            })
    }

    @Test func `waits for readiness until it is reached or the waiter is cancelled`() async throws {
        let fixture = try await prepared()
        let coordinator = try fixture.coordinator("translations:*")
        fixture.network.set(.offline)
        try await fixture.running(coordinator) {
            let leaving = Task { try await coordinator.waitUntilReady(filter) }
            let staying = Task { try await coordinator.waitUntilReady(filter) }
            try await coordinator.status { $0.filters[0].activity == .waiting(for: .network) }
            leaving.cancel()
            await #expect(throws: CancellationError.self) { try await leaving.value }
            fixture.network.set(.online)
            #expect(try await staying.value.members.map(\.rowCount) == [3])
        }
        #expect(try await coordinator.waitUntilReady(filter).isComplete)
    }
}

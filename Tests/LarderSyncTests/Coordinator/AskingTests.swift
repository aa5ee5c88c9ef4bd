import HTTPTypes
import Larder
import LarderServer
import LarderTesting
import Testing

@Suite("A run that somebody asks for", .timeLimit(.minutes(5)))
struct AskingTests {
    private let filter: ResourceFilter

    init() throws { filter = try ResourceFilter("translations:*") }

    private func prepared() throws -> CoordinatorFixture {
        let fixture = try CoordinatorFixture()
        try fixture.origin.addTranslations(19, count: 3)
        return fixture
    }

    /// Asks for a run; the wait has begun when this returns.
    private func ask(_ coordinator: SyncCoordinator) -> Task<Result<SyncReport, SyncError>, Never> {
        Task.immediate { await outcome { () async throws(SyncError) in try await coordinator.sync(filter) } }
    }

    @Test func `joins the one under way`() async throws {
        let fixture = try prepared()
        let gate = Gate(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: gate)
        try await fixture.running(coordinator) {
            await gate.held()
            let asked = [ask(coordinator), ask(coordinator)]
            gate.open()
            for asked in asked { #expect(await asked.value.report?.kind == .bootstrap) }
            try await coordinator.status { $0.isIdle }
        }
        #expect(fixture.copies(of: 19) == 1 && fixture.script.recorded.count == 2)
    }

    @Test func `begins at once where none is under way`() async throws {
        let fixture = try prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            try fixture.origin.put(1, "new")
            #expect(await ask(coordinator).value.report?.rowsChanged == 1)
            #expect(try fixture.text(1) == payload(1, "new"))
        }
    }

    @Test func `can be left, and goes on`() async throws {
        let fixture = try prepared()
        let gate = Gate(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: gate)
        try await fixture.running(coordinator) {
            await gate.held()
            let asked = ask(coordinator)
            asked.cancel()
            #expect(await asked.value.error?.isCancelled == true)
            // One who was cancelled before asking has nothing to wait for.
            let late = Task {
                while !Task.isCancelled { await Task.yield() }
                return await outcome { () async throws(SyncError) in try await coordinator.sync(filter) }
            }
            late.cancel()
            #expect(await late.value.error?.isCancelled == true)
            gate.open()
            _ = try await coordinator.waitUntilReady(filter)
        }
        #expect(fixture.script.recorded.count == 2)
    }

    @Test func `without a network fails at once, and is made up for when there is one`() async throws {
        let fixture = try prepared()
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            try await coordinator.status { $0.isIdle }
            fixture.network.set(.offline)
            try await coordinator.status { $0.network == .offline }
            try fixture.origin.put(1, "new")
            #expect(await ask(coordinator).value.error?.isOffline == true)
            #expect(fixture.script.recorded.count == 2)
            fixture.network.set(.online)
            try await coordinator.status { $0.network == .online && $0.isIdle }
            #expect(try fixture.text(1) == payload(1, "new"))
        }
    }

    @Test func `works while the coordinator does not run, and for a filter it does not keep`() async throws {
        let fixture = try prepared()
        let coordinator = try fixture.coordinator("tafsirs:*")
        #expect(await ask(coordinator).value.report?.kind == .bootstrap)
        try await fixture.running(coordinator) {
            #expect(await ask(coordinator).value.report?.kind == .incremental)
        }
        coordinator.isForcedOffline = true
        #expect(await ask(coordinator).value.error?.isOffline == true)
    }

    @Test func `ends with its filter`() async throws {
        let fixture = try prepared()
        let gate = Gate(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: gate)
        try await fixture.running(coordinator) {
            await gate.held()
            let asked = ask(coordinator)
            coordinator.remove(filter)
            #expect(await asked.value.error?.isCancelled == true)
            try await coordinator.status { $0.filters.isEmpty }
            // Added again it is bootstrapped as if for the first time.
            coordinator.add(filter)
            gate.open()
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `ends with the coordinator`() async throws {
        let fixture = try prepared()
        let gate = Gate(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: gate)
        let asked = try await fixture.running(coordinator) {
            await gate.held()
            return ask(coordinator)
        }
        #expect(await asked.value.error?.isCancelled == true)
    }

    @Test func `fails at once while the server wants to be left alone`() async throws {
        let fixture = try prepared()
        fixture.script.plan(.status(.tooManyRequests), .header(.retryAfter, "90"), exchange: 0)
        let coordinator = try fixture.coordinator("translations:*")
        try await fixture.running(coordinator) {
            let status = try await coordinator.status { $0.isRetrying }
            #expect(status.retryAt == fixture.clock.wallMilliseconds + 90_000)
            #expect(await ask(coordinator).value.error?.retryAfter == 90)
            #expect(fixture.script.recorded.count == 1)
            await fixture.clock.sleepers(atLeast: 1)
            fixture.clock.advance(by: .seconds(90))
            _ = try await coordinator.waitUntilReady(filter)
        }
    }

    @Test func `waits for its turn no longer than there is a network`() async throws {
        let fixture = try prepared()
        let gate = Gate(fixture.script) { $0.path?.contains("tafsirs") == true }
        let coordinator = try fixture.coordinator("tafsirs:*", "translations:*", transport: gate) {
            $0.concurrentRuns = 1
        }
        try await fixture.running(coordinator) {
            await gate.held()
            let asked = ask(coordinator)
            fixture.network.set(.offline)
            #expect(await asked.value.error?.isOffline == true)
        }
    }

    @Test func `fails for want of a network when the host goes offline meanwhile`() async throws {
        let fixture = try prepared()
        let gate = Gate(fixture.script) { _ in true }
        let coordinator = try fixture.coordinator("translations:*", transport: gate)
        try await fixture.running(coordinator) {
            await gate.held()
            let asked = ask(coordinator)
            coordinator.isForcedOffline = true
            #expect(await asked.value.error?.isOffline == true)
        }
    }

    @Test func `that was ended by the host going offline is done when it is back`() async throws {
        let fixture = try prepared()
        let held = HeldAnswer(fixture.script)
        let coordinator = try fixture.coordinator("translations:*", transport: held)
        try await fixture.running(coordinator) {
            await held.answered()
            coordinator.isForcedOffline = true
            coordinator.isForcedOffline = false
            // The run that was ended may not be over yet; it is not the answer.
            let asked = ask(coordinator)
            held.release()
            #expect(await asked.value.report?.kind == .bootstrap)
        }
    }
}

// Proves that callers of a run share it, can cancel anywhere, and that the next run converges.

import LarderServer
import LarderSync
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Callers of a run` {
    private func prepared() async throws -> SyncFixture {
        let fixture = try SyncFixture()
        try await fixture.origin.addTranslations(19, count: 20)
        try await fixture.sync("translations:*")
        try await fixture.origin.put(1, "new")
        return fixture
    }

    @Test func `of one filter share one run`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let sync = fixture.contentSync(over: heldRequests)
        let requests = fixture.script.recorded.count
        async let first = sync.sync(ResourceFilter("translations:*"))
        await heldRequests.waitUntilHeld()
        async let second = sync.sync(ResourceFilter("translations:19;translations:*"))
        try await Task.sleep(for: .milliseconds(20))
        heldRequests.release()
        #expect(try await first == second)
        #expect(fixture.script.recorded.count == requests + 1)
        // The run is over: the next call begins another.
        #expect(try await sync.sync(ResourceFilter("translations:*")).mutations == 0)
    }

    @Test func `can leave without ending it for the others`() async throws {
        let fixture = try await prepared()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let sync = fixture.contentSync(over: heldRequests)
        async let staying = sync.sync(ResourceFilter("translations:*"))
        await heldRequests.waitUntilHeld()
        let leaving = Task { try await sync.sync(ResourceFilter("translations:*")) }
        leaving.cancel()
        await #expect(throws: SyncError.self) { try await leaving.value }
        heldRequests.release()
        #expect(try await staying.rowsChanged == 1)
    }

    @Test func `end it when the last one leaves, and it can be repeated`() async throws {
        let fixture = try await prepared()
        let token = try fixture.token()
        let heldRequests = HeldRequestTransport(fixture.script) { _ in true }
        let sync = fixture.contentSync(over: heldRequests)
        let only = Task { try await sync.sync(ResourceFilter("translations:*")) }
        await heldRequests.waitUntilHeld()
        only.cancel()
        await #expect {
            try await only.value
        } throws: { error in
            if case SyncError.cancelled = error { true } else { false }
        }
        #expect(try fixture.token() == token)
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*"]) == [])
    }

    @Test func `that arrive while a cancelled run is ending get a run of their own`() async throws {
        let fixture = try await prepared()
        let held = HeldResponseTransport(fixture.script)
        let sync = fixture.contentSync(over: held)
        let only = Task { try await sync.sync(ResourceFilter("translations:*")) }
        await held.waitUntilAnswered()
        only.cancel()
        await #expect(throws: SyncError.self) { try await only.value }
        // The cancelled run still waits for its answer.
        async let next = sync.sync(ResourceFilter("translations:*"))
        async let other = sync.sync(ResourceFilter("translations:*"))
        try await Task.sleep(for: .milliseconds(20))
        held.release()
        #expect(try await next.kind == .incremental)
        _ = try await other
        #expect(try await fixture.differences(["translations:*"]) == [])
    }

    @Test(arguments: 0..<12)
    func `may cancel anywhere, and the next run converges`(_ place: Int) async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...4 { try await fixture.origin.addTranslations(id, count: 400) }
        // Cancelled by what it reports, so at the same places in every test run.
        let sync = Mutexed<Task<SyncReport, any Error>>()
        let count = Mutexed<Int>()
        let configuration = SyncConfiguration(base: fixture.base, perPage: 2)
        let content = ContentSync(store: fixture.store, transport: fixture.script, configuration: configuration) { _ in
            if count.update({ ($0 ?? -1) + 1 }) == place { sync.value?.cancel() }
        }
        let start = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in start.stream { break }
            return try await content.sync(ResourceFilter("translations:*"))
        }
        sync.value = task
        start.continuation.finish()
        _ = await task.result
        try fixture.expectSound()
        for id in Int64(1)...4 { #expect([0, 400].contains(try fixture.translation(id).count)) }
        try await fixture.sync("translations:*")
        #expect(try await fixture.differences(["translations:*"]) == [])
    }
}

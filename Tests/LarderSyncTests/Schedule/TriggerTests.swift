// Proves which filters each trigger runs: launch, network, opening, push, time, rejection and credentials.

import LarderFormat
import LarderSync
import LarderTransport
import Testing

@Suite("The triggers of a run")
struct TriggerTests {
    private let quiet: (inout SyncPolicy) -> Void = { $0.refreshInterval = nil }

    @Test func `the first opening: the requested filters, and nothing else`() throws {
        var bench = ScheduleBench()
        #expect(bench.trigger(.launch).started == [])
        #expect(try bench.add("translations:1,19").started == ["translations:1,19"])
        // It is waited for: a network on which little is wanted does not stop it.
        var careful = ScheduleBench(network: .constrained)
        #expect(try careful.add("translations:1,19").started == ["translations:1,19"])
    }

    @Test func `a launch: what has changed, in the background`() throws {
        var bench = ScheduleBench(network: .constrained, policy: quiet)
        #expect(try bench.add("a:*") { $0.hasToken = true }.started == [])
        #expect(bench.send(.network(.online)).started == ["a:*"])
        bench.finish("a:*")
        #expect(bench.trigger(.launch).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `a network that returns: at once, for filters that are not fresh`() throws {
        var bench = ScheduleBench(policy: quiet)
        try bench.addSynced("a:*")
        bench.send(.network(.offline))
        bench.advance(.seconds(59))
        // One that comes and goes is no reason to ask again and again.
        #expect(bench.send(.network(.online)).started == [])
        bench.send(.network(.offline))
        bench.advance(.seconds(1))
        #expect(bench.send(.network(.online)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `a resource that is opened: its filters, unless they were just synced`() throws {
        var bench = ScheduleBench(policy: quiet)
        try bench.addSynced("translations:1,19")
        try bench.addSynced("tafsirs:*")
        #expect(bench.trigger(.opened(ResourceKey("translations", 19))).started == [])
        bench.advance(.seconds(60))
        #expect(bench.trigger(.opened(ResourceKey("translations", 2))).started == [])
        #expect(bench.trigger(.opened(ResourceKey("translations", 19))).started == ["translations:1,19"])
        // The run under way is the refresh.
        bench.trigger(.opened(ResourceKey("translations", 19)))
        #expect(bench.finish("translations:1,19").started == [])
        #expect(bench.violations == [])
    }

    @Test func `a resource that is opened where little traffic is allowed is still refreshed`() throws {
        var bench = ScheduleBench(network: .constrained, policy: quiet)
        try bench.add("a:*") { $0.hasToken = true }
        #expect(bench.running == [])
        #expect(bench.trigger(.opened(ResourceKey("a", 1))).started == ["a:*"])
    }

    @Test func `a push: the filter it names, or all`() throws {
        var bench = ScheduleBench(policy: quiet)
        try bench.addSynced("a:*")
        try bench.addSynced("b:*")
        #expect(bench.trigger(.push(ResourceFilter("b:*"))).started == ["b:*"])
        bench.finish("b:*")
        #expect(bench.trigger(.push(nil)).started == ["a:*", "b:*"])
        #expect(bench.trigger(.push(ResourceFilter("c:*"))).started == [])
        #expect(bench.violations == [])
    }

    @Test func `time, when the last run is long enough ago`() throws {
        var bench = ScheduleBench { $0.refreshInterval = .seconds(900) }
        try bench.addSynced("a:*")
        #expect(bench.advance(.seconds(899)).started == [])
        #expect(bench.advance(.seconds(1)).started == ["a:*"])
        bench.finish("a:*")
        #expect(bench.advance(.seconds(900)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `time, not the same for all clients`() throws {
        let times = try (1...20).map { seed in
            var bench = ScheduleBench(seed: UInt64(seed)) { $0.refreshJitter = 0.1 }
            try bench.addSynced("a:*")
            return try #require(bench.alarm)
        }
        #expect(Set(times).count == 20)
        #expect(times.allSatisfy { $0 >= .seconds(810) && $0 <= .seconds(990) })
    }

    @Test func `a rejected token: that filter and no other`() throws {
        var bench = ScheduleBench(policy: quiet)
        try bench.addSynced("a:*")
        try bench.addSynced("b:*")
        #expect(bench.trigger(.push(ResourceFilter("a:*"))).started == ["a:*"])
        // The run goes on as a bootstrap by itself.
        let effects = bench.send(.rejected("a:*"))
        #expect(effects.started == [] && effects.cancelled == [])
        // Now it is waited for, as any first bootstrap.
        bench.fail("a:*")
        bench.send(.network(.constrained))
        #expect(bench.advance(.seconds(10)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `new credentials: the filters that failed without them, at once`() throws {
        var bench = ScheduleBench(policy: quiet)
        try bench.add("a:*")
        try bench.add("b:*")
        bench.fail("a:*", .unauthorized(ServerProblem(status: 401, code: nil, message: "")))
        bench.fail("b:*", .ofRequest)
        #expect(bench.advance(.seconds(60)).started == [])
        #expect(bench.trigger(.signedIn).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `a push or a launch while the filter runs requests another run`() throws {
        var bench = ScheduleBench(policy: quiet)
        try bench.add("a:*")
        bench.trigger(.push(nil))
        bench.trigger(.launch)
        #expect(bench.finish("a:*", .bootstrap).started == ["a:*"])
        #expect(bench.finish("a:*").started == [])
        #expect(bench.violations == [])
    }

    @Test func `a run requested without a network begins when there is one`() throws {
        var bench = ScheduleBench(network: .offline, policy: quiet)
        try bench.add("a:*") { $0.hasToken = true }
        bench.trigger(.opened(ResourceKey("a", 1)))
        #expect(bench.advance(.seconds(3600)).started == [])
        #expect(bench.send(.network(.constrained)).started == ["a:*"])
        #expect(bench.violations == [])
    }
}

// Proves which runs network and power allow to begin, and what a change of them does.

import LarderSync
import LarderTransport
import Testing

@Suite("The conditions of network and power")
struct ConditionTests {
    private static let table: [(NetworkLevel, PowerState, SyncAllowance)] = [
        (.online, .normal, .everything), (.online, .saver, .normal), (.online, .critical, .manual),
        (.metered, .normal, .normal), (.metered, .saver, .normal), (.metered, .critical, .manual),
        (.constrained, .normal, .urgent), (.constrained, .saver, .urgent), (.constrained, .critical, .manual),
        (.offline, .normal, .nothing), (.offline, .saver, .nothing), (.offline, .critical, .nothing),
    ]

    @Test(arguments: table)
    func `is the stricter of the two`(_ row: (NetworkLevel, PowerState, SyncAllowance)) {
        #expect(SyncAllowance(network: row.0, power: row.1) == row.2)
    }

    @Test func `is defined for every network and every power state`() {
        #expect(Self.table.count == NetworkLevel.allCases.count * PowerState.allCases.count)
    }

    /// Which of four wants begin in each cell: by hand, asked for, in the background, and that of low priority.
    @Test(arguments: [
        (NetworkState.online, PowerState.normal, "hand asked background low"),
        (.online, .saver, "hand asked background"), (.online, .critical, "hand"),
        (.metered, .normal, "hand asked background"), (.metered, .saver, "hand asked background"),
        (.metered, .critical, "hand"), (.constrained, .normal, "hand asked"), (.constrained, .saver, "hand asked"),
        (.constrained, .critical, "hand"), (.offline, .normal, ""), (.offline, .saver, ""), (.offline, .critical, ""),
    ])
    func `decides which runs begin`(_ network: NetworkState, _ power: PowerState, _ wanted: String) throws {
        var bench = ScheduleBench(network: network) { $0.concurrentRuns = 9 }
        bench.send(.power(power))
        let requested = try bench.add("asked:*").started
        let background = try bench.add("background:*") { $0.hasToken = true }.started
        let low = try bench.add("low:*", .low) { $0.hasToken = true }.started
        try bench.add("hand:*") { $0.hasToken = true }
        let hand =
            bench.running.contains("hand:*")
            ? ["hand:*"] : bench.trigger(.manual(ResourceFilter("hand:*"))).started
        let started = (hand + requested + background + low).map { String($0.dropLast(2)) }
        #expect(started.joined(separator: " ") == wanted)
        #expect(bench.violations == [])
    }

    @Test func `that improve let waiting runs begin`() throws {
        var bench = ScheduleBench(network: .constrained)
        #expect(try bench.add("a:*", .low) { $0.hasToken = true }.started == [])
        #expect(bench.send(.network(.metered)).started == [])
        #expect(bench.send(.network(.online)).started == ["a:*"])
        bench.finish("a:*")
        bench.send(.power(.critical))
        bench.advance(.seconds(3600))
        #expect(bench.running == [])
        #expect(bench.send(.power(.saver)).started == [])
        #expect(bench.send(.power(.normal)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `with little power make the next run due later`() throws {
        var bench = ScheduleBench()
        try bench.addSynced("a:*")
        bench.send(.power(.saver))
        #expect(bench.advance(.seconds(29 * 60)).started == [])
        #expect(bench.advance(.seconds(60)).started == ["a:*"])
    }

    @Test func `that worsen do not end a run`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        #expect(bench.send(.power(.critical)).cancelled == [])
        #expect(bench.send(.network(.offline)).cancelled == [])
        bench.finish("a:*", .bootstrap)
        #expect(bench.violations == [])
    }

    @Test func `are overridden by the host, which forces offline whatever they are`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        try bench.add("b:*")
        #expect(bench.send(.forcedOffline(true)).cancelled == ["a:*", "b:*"])
        #expect(bench.machine.allowance == .nothing)
        bench.fail("a:*", .cancelled)
        bench.fail("b:*", .cancelled)
        bench.send(.network(.offline))
        bench.send(.network(.online))
        #expect(bench.advance(.seconds(24 * 3600)).started == [])
        #expect(bench.send(.forcedOffline(false)).started == ["a:*", "b:*"])
        #expect(bench.violations == [])
    }

    @Test func `let a cancelled run restart as soon as the host allows, though it has not ended yet`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.send(.forcedOffline(true))
        #expect(bench.send(.forcedOffline(false)).started == [])
        #expect(bench.fail("a:*", .cancelled).started == ["a:*"])
        #expect(bench.violations == [])
    }
}

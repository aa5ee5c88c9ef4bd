// Proves that a filter is overdue seven days after its last run, whatever the clock does, and is then synced.

import LarderSync
import LarderTransport
import Testing

@Suite("A filter that was not synced for long")
struct OverdueTests {
    private let day = Duration.seconds(24 * 3600)
    private let dayMilliseconds: Int64 = 24 * 3600 * 1000

    private func overdue(_ effects: [CoordinatorEffect]) -> Int {
        effects.reported.count { $0 == .overdue(filter: "a:*") }
    }

    @Test func `is overdue after seven days, which is reported once`() throws {
        var bench = ScheduleBench()
        try bench.addSynced("a:*")
        bench.send(.network(.offline))
        #expect(overdue(bench.advance(day * 7 - .seconds(1))) == 0)
        #expect(overdue(bench.advance(.seconds(1))) == 1)
        #expect(overdue(bench.advance(day * 30)) == 0)
        #expect(bench.violations == [])
    }

    @Test func `is then synced even where little traffic is allowed`() throws {
        var bench = ScheduleBench(network: .constrained)
        let now = bench.now
        try bench.add("a:*", .low) {
            $0.hasToken = true
            $0.syncedAt = now - 6 * dayMilliseconds
        }
        #expect(bench.advance(day - .seconds(1)).started == [])
        #expect(bench.advance(.seconds(1)).started == ["a:*"])
        // A failure does not make it wait for a better network.
        bench.fail("a:*")
        #expect(bench.advance(.seconds(60)).started == ["a:*"])
        bench.finish("a:*")
        #expect(bench.advance(day * 6).started == [])
        #expect(overdue(bench.advance(day)) == 1)
        #expect(bench.violations == [])
    }

    @Test func `is overdue at the start when its last run is that long ago`() throws {
        var bench = ScheduleBench(network: .offline)
        let now = bench.now
        let effects = try bench.add("a:*") {
            $0.hasToken = true
            $0.syncedAt = now - 8 * dayMilliseconds
        }
        #expect(overdue(effects) == 1)
    }

    @Test func `is overdue at once when the clock was set forward by years, and not again after a run`() throws {
        var bench = ScheduleBench(network: .constrained)
        try bench.addSynced("a:*")
        bench.now += 365 * 10 * dayMilliseconds
        // Setting the clock triggers nothing; the next event shows it.
        #expect(overdue(bench.send(.power(.normal))) == 1)
        bench.finish("a:*")
        #expect(overdue(bench.advance(day * 6)) == 0)
        #expect(bench.violations == [])
    }

    @Test func `is overdue seven days after its last run though the clock was moved back by years`() throws {
        var bench = ScheduleBench(network: .offline)
        try bench.add("a:*") { $0.hasToken = true }
        bench.send(.network(.online))
        bench.finish("a:*")
        bench.send(.network(.offline))
        bench.now -= 365 * 10 * dayMilliseconds
        var count = 0
        // Things keep happening, as they do.
        for _ in 1...6 {
            count += overdue(bench.advance(day))
            count += overdue(bench.send(.power(.saver)))
            count += overdue(bench.send(.power(.normal)))
        }
        #expect(count == 0)
        #expect(overdue(bench.advance(day)) == 1)
        #expect(bench.violations == [])
    }

    @Test(arguments: [Int64.min, -1, 4_000_000_000_000, .max])
    func `whose last run has an impossible time is overdue after seven days at the latest`(_ time: Int64) throws {
        var bench = ScheduleBench(network: .offline)
        var count = overdue(
            try bench.add("a:*") {
                $0.hasToken = true
                $0.syncedAt = time
            })
        for _ in 1...7 {
            count += overdue(bench.advance(day))
            count += overdue(bench.send(.power(.normal)))
        }
        #expect(count == 1)
        #expect(bench.violations == [])
    }

    @Test func `that was never synced is due, not overdue`() throws {
        var bench = ScheduleBench(network: .offline)
        try bench.add("a:*")
        #expect(overdue(bench.advance(day * 30)) == 0)
        #expect(bench.send(.network(.constrained)).started == ["a:*"])
    }
}

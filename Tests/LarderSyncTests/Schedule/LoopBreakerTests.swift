// Proves that a filter whose tokens are rejected again and again is slowed down, and recovers.

import LarderFormat
import LarderSync
import LarderTransport
import Testing

@Suite("A filter whose tokens are rejected repeatedly")
struct LoopBreakerTests {
    private func bench() -> ScheduleBench {
        ScheduleBench {
            $0.slow.jitter = 0
            $0.refreshInterval = .seconds(60)
        }
    }

    /// Lets the run under way meet a rejection, and finish as a bootstrap.
    private func reject(_ bench: inout ScheduleBench) -> [SyncEvent] {
        let events = bench.send(.rejected("a:*")).reported
        bench.finish("a:*", .bootstrap)
        return events
    }

    @Test func `is slowed down at the third rejection in a row, and reports it`() throws {
        var bench = bench()
        try bench.addSynced("a:*")
        for _ in 1...2 {
            #expect(bench.advance(.seconds(60)).started == ["a:*"])
            #expect(reject(&bench) == [])
        }
        #expect(bench.advance(.seconds(60)).started == ["a:*"])
        #expect(reject(&bench) == [.slowed(filter: "a:*", rejections: 3, wait: .seconds(3600))])
        var waited = 1
        for (rejections, hours) in [(4, 2), (5, 4), (6, 8), (7, 16), (8, 24), (9, 24)] {
            #expect(bench.advance(.seconds(waited * 3600 - 1)).started == [])
            #expect(bench.advance(.seconds(1)).started == ["a:*"])
            #expect(reject(&bench) == [.slowed(filter: "a:*", rejections: rejections, wait: .seconds(hours * 3600))])
            waited = hours
        }
        #expect(bench.violations == [])
    }

    @Test func `reports how long it waits while it is slow`() throws {
        var bench = bench()
        let now = bench.now
        try bench.add("a:*") {
            $0.resyncs = 3
            $0.resyncedAt = now
        }
        #expect(bench.running == [])
        #expect(bench.alarm == .seconds(3600))
    }

    @Test func `does not delay other filters, nor runs requested by hand`() throws {
        var bench = bench()
        try bench.add("a:*")
        for _ in 1...3 { bench.send(.rejected("a:*")) }
        bench.finish("a:*", .bootstrap)
        try bench.addSynced("b:*")
        bench.trigger(.launch)
        bench.trigger(.opened(ResourceKey("a", 1)))
        bench.send(.network(.offline))
        bench.send(.network(.online))
        #expect(bench.running == ["b:*"])
        #expect(bench.trigger(.manual(ResourceFilter("a:*"))).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `recovers when it accepts a token an hour after the last rejection`() throws {
        var bench = bench()
        try bench.add("a:*")
        for _ in 1...3 { bench.send(.rejected("a:*")) }
        bench.finish("a:*", .bootstrap)
        #expect(bench.advance(.seconds(3600)).started == ["a:*"])
        bench.finish("a:*")
        #expect(bench.advance(.seconds(60)).started == ["a:*"])
        #expect(bench.send(.rejected("a:*")).reported == [])
        #expect(bench.violations == [])
    }

    @Test func `is slowed down though it accepts every other token`() throws {
        var bench = bench()
        try bench.addSynced("a:*")
        for rejections in 1...2 {
            #expect(bench.advance(.seconds(60)).started == ["a:*"])
            #expect(reject(&bench) == [], "\(rejections)")
            #expect(bench.advance(.seconds(60)).started == ["a:*"])
            bench.finish("a:*")
        }
        #expect(bench.advance(.seconds(60)).started == ["a:*"])
        #expect(reject(&bench) == [.slowed(filter: "a:*", rejections: 3, wait: .seconds(3600))])
        #expect(bench.violations == [])
    }

    @Test func `is still slow after a restart, for the rest of the wait`() throws {
        var bench = bench()
        let now = bench.now
        try bench.add("a:*") {
            $0.hasToken = true
            $0.resyncs = 3
            $0.resyncedAt = now - 1_800_000
        }
        #expect(bench.advance(.seconds(1799)).started == [])
        #expect(bench.advance(.seconds(1)).started == ["a:*"])
        #expect(bench.send(.rejected("a:*")).reported == [.slowed(filter: "a:*", rejections: 4, wait: .seconds(7200))])
        #expect(bench.violations == [])
    }

    @Test func `is not slow after a restart long after`() throws {
        var bench = bench()
        let now = bench.now
        try bench.add("a:*") {
            $0.resyncs = 3
            $0.resyncedAt = now - 3_600_000
        }
        #expect(bench.running == ["a:*"])
    }

    @Test(arguments: [Int64.min, -1, 1_800_000_000_000, .max])
    func `is slow for no longer than a whole wait, whatever the clock says`(_ resyncedAt: Int64) throws {
        var bench = bench()
        try bench.add("a:*") {
            $0.resyncs = Int.max
            $0.resyncedAt = resyncedAt
            $0.failures = Int.max
        }
        bench.advance(.seconds(24 * 3600))
        #expect(bench.running == ["a:*"])
        bench.send(.rejected("a:*"))
        bench.fail("a:*")
        #expect(bench.violations == [])
    }
}

// Proves in which order filters run: by hand, priority, waiters and arrival, within a limit of concurrent runs.

import LarderSync
import LarderTransport
import Testing

@Suite("The order of runs")
struct RunOrderTests {
    @Test func `no more filters run at the same time than allowed`() throws {
        for bound in 1...3 {
            var bench = ScheduleBench { $0.concurrentRuns = bound }
            for number in 1...5 { try bench.add("a:\(number)") }
            #expect(bench.running == Set((1...bound).map { "a:\($0)" }))
            for number in 1...5 { bench.finish("a:\(number)", .bootstrap) }
            #expect(bench.running == [])
            #expect(bench.violations == [])
        }
    }

    @Test func `by hand first, then by priority, then awaited filters, then by arrival`() throws {
        var bench = ScheduleBench(network: .offline) { $0.concurrentRuns = 1 }
        try bench.add("late:*") { $0.hasToken = true }
        bench.advance(.seconds(1))
        try bench.add("later:*") { $0.hasToken = true }
        try bench.add("low:*", .low)
        try bench.add("waited:*")
        try bench.add("high:*", .high) { $0.hasToken = true }
        try bench.add("hand:*", .low) { $0.hasToken = true }
        var order = bench.send(.network(.online)).started
        bench.trigger(.manual(ResourceFilter("hand:*")))
        while let last = order.last, order.count < 10, let next = bench.finish(last).started.first {
            order.append(next)
        }
        #expect(order == ["high:*", "hand:*", "waited:*", "late:*", "later:*", "low:*"])
        #expect(bench.violations == [])
    }

    @Test func `a filter that is added again has its new priority`() throws {
        var bench = ScheduleBench(network: .offline) { $0.concurrentRuns = 1 }
        try bench.add("a:*")
        try bench.add("b:*")
        try bench.add("b:*", .high)
        #expect(bench.send(.network(.online)).started == ["b:*"])
        #expect(bench.finish("b:*", .bootstrap).started == ["a:*"])
    }

    @Test func `a filter of high priority that is due repeatedly starves no other`() throws {
        var bench = ScheduleBench { $0.concurrentRuns = 1 }
        try bench.add("high:*", .high)
        try bench.add("other:*", .high)
        try bench.add("low:*", .low)
        var order: [String] = []
        for _ in 1...7 {
            // As slow as the runs are, each is due again when the other is over.
            bench.advance(.seconds(15 * 60))
            for text in bench.running {
                order.append(text)
                bench.finish(text)
            }
        }
        #expect(order.prefix(3) == ["high:*", "other:*", "high:*"])
        #expect(order.contains("low:*"))
        #expect(bench.violations == [])
    }

    @Test func `one filter that fails does not hold up another`() throws {
        var bench = ScheduleBench { $0.concurrentRuns = 1 }
        try bench.add("a:*", .high)
        try bench.add("b:*", .low)
        #expect(bench.fail("a:*").started == ["b:*"])
        #expect(bench.violations == [])
    }

    @Test func `by hand: at once, even during a retry wait and where little traffic is allowed`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", .ofRequest)
        bench.send(.power(.critical))
        #expect(bench.trigger(.manual(nil)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `by hand while the filter runs: joins that run`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        let effects = bench.trigger(.manual(ResourceFilter("a:*")))
        #expect(effects.started == [] && effects.refused.isEmpty)
        #expect(bench.finish("a:*", .bootstrap).started == [])
    }

    @Test func `by hand without a network: refused at once, and done in the background later`() throws {
        var bench = ScheduleBench { $0.refreshInterval = nil }
        try bench.addSynced("a:*")
        bench.send(.network(.offline))
        let refused = bench.trigger(.manual(nil)).refused
        #expect(refused.map(\.text) == ["a:*"])
        #expect(refused.first.map { if case .offline = $0.error { true } else { false } } == true)
        #expect(bench.send(.network(.constrained)).started == [])
        #expect(bench.send(.network(.online)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `by hand, waiting for its turn when the network goes: refused then`() throws {
        var bench = ScheduleBench { $0.concurrentRuns = 1 }
        try bench.add("a:*")
        try bench.add("b:*")
        #expect(bench.trigger(.manual(ResourceFilter("b:*"))).refused.isEmpty)
        let effects = bench.send(.network(.offline))
        #expect(effects.refused.map(\.text) == ["b:*"])
        #expect(bench.finish("a:*", .bootstrap).started == [])
        #expect(bench.send(.network(.online)).started.contains("b:*"))
        #expect(bench.violations == [])
    }

    @Test func `by hand during the server's wait: refused at once`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", .ofServer(retryAfter: 90))
        bench.advance(.seconds(89))
        let effects = bench.trigger(.manual(nil))
        #expect(effects.started == [])
        #expect(effects.refused.first.map { $0.error.retryAfter } == 90)
        bench.advance(.seconds(46))
        #expect(bench.running == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `by hand after the stop: refused`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.send(.stop)
        try bench.add("b:*")
        #expect(bench.trigger(.manual(ResourceFilter("b:*"))).refused.map(\.text) == ["b:*"])
        #expect(bench.violations == [])
    }

    @Test func `by hand while a cancelled run has not ended yet: a run after it`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.send(.forcedOffline(true))
        #expect(bench.trigger(.manual(nil)).refused.map(\.text) == ["a:*"])
        bench.send(.forcedOffline(false))
        #expect(bench.trigger(.manual(nil)).refused.isEmpty)
        #expect(bench.fail("a:*", .cancelled).started == ["a:*"])
        #expect(bench.violations == [])
    }
}

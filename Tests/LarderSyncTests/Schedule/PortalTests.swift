// Proves that a captive portal stops all runs, is probed with growing waits, and is no filter's failure.

import LarderSync
import LarderTransport
import Testing

@Suite("A captive portal")
struct PortalTests {
    private let intercepted = SyncError.intercepted(status: 511)

    @Test func `is reported once, and nothing runs until it is gone`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        try bench.add("b:*")
        #expect(bench.fail("a:*", intercepted).reported == [.intercepted])
        #expect(bench.fail("b:*", intercepted).reported == [])
        #expect(bench.machine.allowance == .nothing)
        #expect(bench.advance(.seconds(60)).started == [])
        #expect(bench.answerProbe(true).started == ["a:*", "b:*"])
        #expect(bench.violations == [])
    }

    @Test func `is probed repeatedly, with growing waits`() throws {
        var bench = ScheduleBench { $0.probe.jitter = 0 }
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        for seconds in [5, 10, 20, 40, 60, 60, 60] {
            #expect(bench.advance(.seconds(seconds) - .milliseconds(1)).probes == 0)
            #expect(bench.advance(.milliseconds(1)).probes == 1)
            // One look at a time.
            #expect(bench.advance(.seconds(600)).probes == 0)
            bench.answerProbe(false)
        }
        #expect(bench.running == [])
        #expect(bench.violations == [])
    }

    @Test func `that passes the probe and not the run is that filter's failure only`() throws {
        var bench = ScheduleBench {
            $0.probe.jitter = 0
            $0.retry.jitter = 0
        }
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.advance(.seconds(5)).probes == 1)
        #expect(bench.answerProbe(true).started == ["a:*"])
        // Met again at once: others run on, and this one waits longer each time.
        for seconds in [1, 2, 4] {
            #expect(bench.fail("a:*", intercepted).probes == 0)
            #expect(bench.advance(.seconds(seconds) - .milliseconds(1)).started == [])
            #expect(bench.advance(.milliseconds(1)).started == ["a:*"])
        }
        // A run that finishes makes the next portal one for all again.
        bench.finish("a:*", .bootstrap)
        bench.trigger(.launch)
        bench.fail("a:*", intercepted)
        #expect(bench.advance(.seconds(5)).probes == 1)
        #expect(bench.violations == [])
    }

    @Test(arguments: [true, false])
    func `affects all filters again once a run has ended without some resources`(_ isAnswered: Bool) throws {
        var bench = ScheduleBench {
            $0.probe.jitter = 0
            $0.retry.jitter = 0
        }
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.advance(.seconds(5)).probes == 1)
        #expect(bench.answerProbe(true).started == ["a:*"])
        // A bootstrap that is held back ends in the same way, and asks the server nothing.
        if isAnswered { bench.send(.responded("a:*")) }
        bench.fail("a:*", bench.incomplete())
        bench.trigger(.launch)
        #expect(bench.fail("a:*", intercepted).reported.contains(.intercepted) == isAnswered)
        #expect(bench.advance(.seconds(5)).probes == (isAnswered ? 1 : 0))
        #expect(bench.violations == [])
    }

    @Test func `is no filter's failure`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        try bench.add("a:*")
        let attempt = try #require(bench.fail("a:*", intercepted).runRecords.first)
        #expect(attempt.failures == 0 && attempt.lastError == intercepted.description && attempt.nextRunAt == nil)
    }

    @Test func `is left behind with its network`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.send(.network(.metered)).started == ["a:*"])
        // The timer for the look is not of interest any more.
        #expect(bench.advance(.seconds(120)).probes == 0)
        #expect(bench.violations == [])
    }

    @Test func `refuses a run by hand, and reports why`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        let refused = bench.trigger(.manual(nil)).refused
        #expect(refused.first.map { if case .intercepted = $0.error { true } else { false } } == true)
    }

    @Test func `is not probed while the host forces offline`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        bench.send(.forcedOffline(true))
        #expect(bench.advance(.seconds(3600)).probes == 0)
        #expect(bench.send(.forcedOffline(false)).probes == 1)
        #expect(bench.answerProbe(true).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `whose probe is late does not affect another network`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        bench.advance(.seconds(5))
        bench.send(.network(.metered))
        bench.fail("a:*", intercepted)
        // The answer that was on its way is about the network that was left.
        #expect(bench.answerProbe(true).started == [])
        #expect(bench.violations == [])
    }

    @Test func `is probed again where the probe of another network is still under way`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.advance(.seconds(8)).probes == 1)
        bench.send(.network(.metered))
        bench.fail("a:*", intercepted)
        #expect(bench.advance(.seconds(30)).probes == 1)
        // The first answer is about the network that was left, the second about this one.
        #expect(bench.answerProbe(true).started == [])
        #expect(bench.answerProbe(true).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `is an ordinary failure where no probe exists`() throws {
        var bench = ScheduleBench(hasProbe: false)
        try bench.add("a:*")
        let effects = bench.fail("a:*", intercepted)
        #expect(effects.runRecords.map(\.failures) == [1])
        #expect(bench.advance(.seconds(1)).started == ["a:*"])
        #expect(bench.violations == [])
    }
}

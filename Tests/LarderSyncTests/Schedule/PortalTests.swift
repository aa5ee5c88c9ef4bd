import Larder
import LarderSync
import Testing

@Suite("Something that answers in the server's place")
struct PortalTests {
    private let intercepted = SyncError.intercepted(status: 511)

    @Test func `is told once, and nothing runs until it is gone`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        try bench.add("b:*")
        #expect(bench.fail("a:*", intercepted).reported == [.intercepted])
        #expect(bench.fail("b:*", intercepted).reported == [])
        #expect(bench.machine.allowance == .nothing)
        #expect(bench.pass(.seconds(60)).started == [])
        #expect(bench.answerProbe(true).started == ["a:*", "b:*"])
        #expect(bench.violations == [])
    }

    @Test func `is looked at again and again, with growing waits`() throws {
        var bench = ScheduleBench { $0.probe.jitter = 0 }
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        for seconds in [5, 10, 20, 40, 60, 60, 60] {
            #expect(bench.pass(.seconds(seconds) - .milliseconds(1)).probes == 0)
            #expect(bench.pass(.milliseconds(1)).probes == 1)
            // One look at a time.
            #expect(bench.pass(.seconds(600)).probes == 0)
            bench.answerProbe(false)
        }
        #expect(bench.running == [])
        #expect(bench.violations == [])
    }

    @Test func `that lets the look through and not the run is the filter's own failure, and no other's`() throws {
        var bench = ScheduleBench {
            $0.probe.jitter = 0
            $0.retry.jitter = 0
        }
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.pass(.seconds(5)).probes == 1)
        #expect(bench.answerProbe(true).started == ["a:*"])
        // Met again at once: others run on, and this one waits longer each time.
        for seconds in [1, 2, 4] {
            #expect(bench.fail("a:*", intercepted).probes == 0)
            #expect(bench.pass(.seconds(seconds) - .milliseconds(1)).started == [])
            #expect(bench.pass(.milliseconds(1)).started == ["a:*"])
        }
        // A run that finishes makes the next portal one for all again.
        bench.finish("a:*", .bootstrap)
        bench.trigger(.launch)
        bench.fail("a:*", intercepted)
        #expect(bench.pass(.seconds(5)).probes == 1)
        #expect(bench.violations == [])
    }

    @Test(arguments: [true, false])
    func `is one for all again once a run has come to its end without some resources`(_ isAnswered: Bool) throws {
        var bench = ScheduleBench {
            $0.probe.jitter = 0
            $0.retry.jitter = 0
        }
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.pass(.seconds(5)).probes == 1)
        #expect(bench.answerProbe(true).started == ["a:*"])
        // A bootstrap that is held back ends in the same way, and asks the server nothing.
        if isAnswered { bench.send(.answered("a:*")) }
        bench.fail("a:*", bench.incomplete())
        bench.trigger(.launch)
        #expect(bench.fail("a:*", intercepted).reported.contains(.intercepted) == isAnswered)
        #expect(bench.pass(.seconds(5)).probes == (isAnswered ? 1 : 0))
        #expect(bench.violations == [])
    }

    @Test func `is nobody's failure`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        try bench.add("a:*")
        let note = try #require(bench.fail("a:*", intercepted).notes.first)
        #expect(note.failures == 0 && note.lastError == intercepted.description && note.nextAttemptAt == nil)
    }

    @Test func `is left behind with its network`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.send(.network(.metered)).started == ["a:*"])
        // The timer for the look is not of interest any more.
        #expect(bench.pass(.seconds(120)).probes == 0)
        #expect(bench.violations == [])
    }

    @Test func `refuses who asks by hand, and says why`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        let refused = bench.trigger(.manual(nil)).refused
        #expect(refused.first.map { if case .intercepted = $0.error { true } else { false } } == true)
    }

    @Test func `is not looked at while the host forces offline`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        bench.send(.forcedOffline(true))
        #expect(bench.pass(.seconds(3600)).probes == 0)
        #expect(bench.send(.forcedOffline(false)).probes == 1)
        #expect(bench.answerProbe(true).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `whose look is late says nothing about another network`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        bench.pass(.seconds(5))
        bench.send(.network(.metered))
        bench.fail("a:*", intercepted)
        // The answer that was on its way is about the network that was left.
        #expect(bench.answerProbe(true).started == [])
        #expect(bench.violations == [])
    }

    @Test func `is probed anew where the probe of another network is still under way`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", intercepted)
        #expect(bench.pass(.seconds(8)).probes == 1)
        bench.send(.network(.metered))
        bench.fail("a:*", intercepted)
        #expect(bench.pass(.seconds(30)).probes == 1)
        // The first answer is about the network that was left, the second about this one.
        #expect(bench.answerProbe(true).started == [])
        #expect(bench.answerProbe(true).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `is a failure like others where nobody can look`() throws {
        var bench = ScheduleBench(hasProbe: false)
        try bench.add("a:*")
        let effects = bench.fail("a:*", intercepted)
        #expect(effects.notes.map(\.failures) == [1])
        #expect(bench.pass(.seconds(1)).started == ["a:*"])
        #expect(bench.violations == [])
    }
}

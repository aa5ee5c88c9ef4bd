// Proves when a failed run is tried again: with growing waits, jitter, the server's wait, or a returning network.

import LarderFormat
import LarderSync
import LarderTransport
import Testing

@Suite("After a failure")
struct RetryTests {
    /// The wait that a failure is followed by.
    private func waitAfter(_ effects: [CoordinatorEffect]) -> Duration? {
        effects.reported.compactMap { if case .failed(_, _, let wait) = $0 { wait } else { nil } }.first
    }

    @Test func `the waits double up to a limit, and jitter shortens them by half at most`() throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            var bench = ScheduleBench(seed: seed)
            try bench.add("a:*")
            for full in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
                let wait = try #require(waitAfter(bench.fail("a:*")))
                #expect(wait > .seconds(full) / 2 && wait <= .seconds(full), "seed \(seed)")
                #expect(bench.advance(wait - .nanoseconds(1)).started == [])
                #expect(bench.advance(.nanoseconds(1)).started == ["a:*"])
            }
            #expect(bench.violations == [])
        }
    }

    @Test func `the waits of many clients differ`() throws {
        let waits = try (1...50 as ClosedRange<UInt64>).map { seed in
            var bench = ScheduleBench(seed: seed)
            try bench.add("a:*")
            return waitAfter(bench.fail("a:*"))
        }
        #expect(Set(waits).count == 50)
    }

    @Test func `a timer that goes off early is set again`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        try bench.add("a:*")
        bench.fail("a:*")
        let alarm = try #require(bench.alarm)
        bench.send(.timer)
        #expect(bench.alarm == alarm)
        #expect(bench.advance(.seconds(1)).started == ["a:*"])
        #expect(bench.violations == [])
    }

    @Test func `without jitter the waits are what the policy says`() throws {
        var bench = ScheduleBench { $0.retry = RetryPolicy(first: .seconds(1), limit: .seconds(5), jitter: 0) }
        try bench.add("a:*")
        for seconds in [1, 2, 4, 5, 5] {
            #expect(waitAfter(bench.fail("a:*")) == .seconds(seconds))
            bench.advance(.seconds(seconds))
        }
    }

    @Test func `runs that end without some resources make no later wait longer`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        try bench.add("a:*")
        for _ in 1...4 {
            bench.fail("a:*", bench.incomplete())
            #expect(bench.trigger(.push(nil)).started == ["a:*"])
        }
        #expect(waitAfter(bench.fail("a:*")) == .seconds(1))
    }

    @Test func `a run that ends without some resources resets the wait`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        try bench.add("a:*")
        for seconds in [1, 2, 4] {
            #expect(waitAfter(bench.fail("a:*")) == .seconds(seconds))
            bench.advance(.seconds(seconds))
        }
        bench.send(.responded("a:*"))
        bench.fail("a:*", bench.incomplete())
        #expect(bench.trigger(.push(nil)).started == ["a:*"])
        #expect(waitAfter(bench.fail("a:*")) == .seconds(1))
    }

    @Test func `a run by hand is refused with the rest of the server's wait`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", .serverWait(seconds: 40))
        bench.advance(.milliseconds(30_500))
        guard case .serverWait(seconds: 10)? = bench.trigger(.manual(nil)).refused.first?.error else {
            Issue.record("another answer")
            return
        }
    }

    @Test func `a run that finishes resets the wait`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        try bench.add("a:*")
        for seconds in [1, 2, 4] {
            bench.fail("a:*")
            bench.advance(.seconds(seconds))
        }
        bench.finish("a:*", .bootstrap)
        bench.trigger(.launch)
        #expect(waitAfter(bench.fail("a:*")) == .seconds(1))
    }

    @Test func `the server's wait counts when it is the longer one`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        let requested = try #require(waitAfter(bench.fail("a:*", .ofServer(retryAfter: 120))))
        #expect(requested >= .seconds(120) && requested <= .seconds(180))
        #expect(bench.advance(.seconds(120)).started == [])
        #expect(bench.advance(.seconds(60)).started == ["a:*"])
        let wait = try #require(waitAfter(bench.fail("a:*", .ofServer(retryAfter: 0))))
        #expect(wait > .zero && wait <= .seconds(2))
        #expect(bench.violations == [])
    }

    @Test(arguments: [Int.max, 10_000_000_000])
    func `a server's wait beyond reason is not believed`(_ seconds: Int) throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        let wait = try #require(waitAfter(bench.fail("a:*", .ofServer(retryAfter: seconds))))
        #expect(wait >= .seconds(24 * 3600) && wait <= .seconds(36 * 3600))
        #expect(bench.advance(.seconds(36 * 3600)).started == ["a:*"])
    }

    @Test func `clients that a server sends away together do not return together`() throws {
        let waits = try (1...20).map { seed in
            var bench = ScheduleBench(seed: UInt64(seed))
            try bench.add("a:*")
            return try #require(waitAfter(bench.fail("a:*", .ofServer(retryAfter: 600))))
        }
        #expect(Set(waits).count == 20 && waits.allSatisfy { $0 >= .seconds(600) })
        // A manual request does not wait for longer than the server requested.
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.fail("a:*", .ofServer(retryAfter: 600))
        bench.advance(.seconds(600))
        #expect(bench.trigger(.manual(nil)).started == ["a:*"])
    }

    @Test func `a network that returns ends the waits, but not the server's`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        try bench.add("b:*")
        for _ in 1...8 {
            bench.fail("a:*", .transport(.noConnection(reason: "")))
            bench.trigger(.manual(ResourceFilter("a:*")))
        }
        bench.fail("a:*", .transport(.noConnection(reason: "")))
        bench.fail("b:*", .ofServer(retryAfter: 600))
        bench.send(.network(.offline))
        #expect(bench.send(.network(.online)).started == ["a:*"])
        // And the count begins anew.
        let wait = try #require(waitAfter(bench.fail("a:*")))
        #expect(wait <= .seconds(1))
        #expect(bench.violations == [])
    }

    @Test(arguments: [
        SyncError.ofRequest, .endlessResync, .outsideFilter(ResourceKey("a", 1)),
        .unauthorized(ServerProblem(status: 401, code: nil, message: "")),
    ])
    func `a failure that needs a correction is tried again after an hour, then hours`(_ error: SyncError) throws {
        var bench = ScheduleBench { $0.refusedRetry.jitter = 0 }
        try bench.add("a:*")
        for hours in [1, 2, 4, 8, 16, 24, 24] {
            #expect(waitAfter(bench.fail("a:*", error)) == .seconds(hours * 3600))
            bench.advance(.seconds(hours * 3600))
        }
        #expect(bench.violations == [])
    }

    @Test func `the filter stores the reason, the count and the time of the next try`() throws {
        var bench = ScheduleBench { $0.retry.jitter = 0 }
        let began = bench.now
        try bench.add("a:*")
        bench.advance(.seconds(3))
        let first = try #require(bench.fail("a:*").runRecords.first)
        #expect(first.lastRunAt == began && first.failures == 1)
        #expect(first.lastError == SyncError.ofServer().description && first.nextRunAt == began + 4000)
        bench.advance(.seconds(1))
        let second = try #require(bench.fail("a:*").runRecords.first)
        #expect(second.failures == 2 && second.nextRunAt == began + 4000 + 2000)
        bench.advance(.seconds(2))
        #expect(bench.finish("a:*", .bootstrap).runRecords == [])
    }

    @Test func `a run ended by the stop, by the host or with its filter is no failure`() throws {
        for end in [CoordinatorEvent.stop, .forcedOffline(true), .removed("a:*")] {
            var bench = ScheduleBench()
            try bench.add("a:*")
            #expect(bench.send(end).cancelled == ["a:*"])
            let effects = bench.fail("a:*", .cancelled)
            #expect(effects.runRecords == [] && effects.reported == [])
            #expect(bench.running == [])
            #expect(bench.violations == [])
        }
    }

    @Test func `a stop waits for the runs, and begins none`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        try bench.add("b:*")
        try bench.add("c:*")
        #expect(!bench.send(.stop).isStopped)
        #expect(!bench.fail("a:*", .cancelled).isStopped)
        #expect(bench.trigger(.launch).started == [])
        // One that was at its last commit finishes.
        #expect(bench.finish("b:*", .bootstrap).isStopped)
        #expect(bench.alarm == nil)
        #expect(bench.violations == [])
    }

    @Test func `a filter that is removed and added again while its run ends is run again`() throws {
        var bench = ScheduleBench()
        try bench.add("a:*")
        bench.send(.removed("a:*"))
        try bench.add("a:*")
        #expect(bench.fail("a:*", .cancelled).started == ["a:*"])
        bench.finish("a:*", .bootstrap)
        bench.send(.removed("a:*"))
        #expect(bench.advance(.seconds(365 * 24 * 3600)).isEmpty)
        #expect(bench.violations == [])
    }
}

// Proves when the coordinator listens to the server's events, how long it waits, and which runs an event requests.

import LarderFormat
import LarderTransport
import Testing

@testable import LarderSync

@Suite("Listening for changes")
struct ListeningTests {
    private let listens: (inout SyncPolicy) -> Void = {
        $0.listensForChanges = true
        $0.refreshInterval = nil
    }

    private func bench(
        _ filters: String..., network: NetworkState = .online, seed: UInt64 = 1
    ) throws -> ScheduleBench {
        var bench = ScheduleBench(seed: seed, network: network, policy: listens)
        let now = bench.now
        for filter in filters {
            try bench.add(filter) {
                $0.hasToken = true
                $0.sequence = 10
                $0.syncedAt = now
            }
            bench.finish(filter, until: 10)
        }
        return bench
    }

    @Test func `begins within the first wait, for all filters that have a run`() throws {
        var bench = try bench("a:*", "b:1")
        try bench.add("c:*")
        let request = try #require(bench.advance(.seconds(5)).listened.first)
        #expect(request.path.text.contains("after=10") && request.filters == ["a:*", "b:1"])
        // The first bootstrap makes another filter one that can be listened to.
        let effects = bench.finish("c:*", .bootstrap, until: 12)
        #expect(effects.stoppedListening == 1)
        #expect(bench.advance(.seconds(5)).listened.map(\.filters) == [["a:*", "b:1", "c:*"]])
        #expect(bench.send(.removed("b:1")).stoppedListening == 1)
        #expect(bench.advance(.seconds(5)).listened.map(\.filters) == [["a:*", "c:*"]])
        #expect(bench.violations == [])
    }

    @Test func `does not begin where it was not requested, without filters, or where traffic should be low`() throws {
        var quiet = ScheduleBench(policy: { $0.refreshInterval = nil })
        try quiet.addSynced("a:*")
        #expect(quiet.advance(.seconds(3600)).listened.isEmpty)
        var empty = ScheduleBench(policy: listens)
        #expect(empty.advance(.seconds(3600)).listened.isEmpty)
        var careful = try bench("a:*")
        careful.send(.network(.constrained))
        #expect(careful.advance(.seconds(3600)).listened.isEmpty)
        #expect(careful.violations + quiet.violations + empty.violations == [])
    }

    @Test func `ends while network or power are short, and with the coordinator`() throws {
        var bench = try bench("a:*")
        bench.advance(.seconds(5))
        #expect(bench.send(.power(.critical)).stoppedListening == 1)
        bench.send(.listeningEnded(1, .cancelled))
        bench.send(.power(.normal))
        #expect(bench.advance(.seconds(5)).listened.count == 1)
        #expect(bench.send(.network(.offline)).stoppedListening == 1)
        bench.send(.network(.online))
        #expect(bench.advance(.seconds(5)).listened.count == 1)
        #expect(bench.send(.stop).stoppedListening == 1)
        #expect(bench.violations == [])
    }

    @Test func `waits longer after each failure, and from the beginning once something has arrived`() throws {
        var bench = try bench("a:*")
        bench.advance(.seconds(5))
        var longest = Duration.zero
        for number in 1...12 {
            bench.send(.listeningEnded(number, .transport(.connectionRefused)))
            let wait = try #require(bench.alarm) - bench.elapsed
            #expect(wait <= .seconds(300) && wait <= .seconds(5 << (number - 1)))
            longest = max(longest, wait)
            #expect(bench.advance(.seconds(300)).listened.count == 1)
        }
        #expect(longest > .seconds(30))
        // A proxy that ends each connection soon: something arrives, and it is no success yet.
        bench.send(.listeningEnded(13, .transport(.connectionRefused)))
        let next = try #require(bench.alarm)
        #expect(bench.advance(next - bench.elapsed).listened.count == 1)
        bench.send(.listening(14))
        bench.send(.listeningEnded(14, nil))
        let again = try #require(bench.alarm)
        #expect(again - bench.elapsed > .seconds(5))
        #expect(bench.advance(again - bench.elapsed).listened.count == 1)
        bench.send(.listening(15))
        bench.advance(.seconds(60))
        bench.send(.listeningEnded(15, nil))
        #expect(bench.advance(.seconds(5)).listened.count == 1)
        #expect(bench.violations == [])
    }

    @Test func `a network that comes and goes does not end the wait of a refusal`() throws {
        var bench = try bench("a:*")
        bench.advance(.seconds(5))
        bench.send(.listeningEnded(1, .ofRequest))
        bench.send(.network(.offline))
        bench.send(.network(.online))
        #expect(bench.advance(.seconds(1700)).listened.isEmpty)
        #expect(bench.advance(.seconds(1900)).listened.count == 1)
    }

    @Test func `a server that has no place says when to return, and clients return one after another`() throws {
        var times: Set<Duration> = []
        for seed in 1...20 {
            var bench = try bench("a:*", seed: UInt64(seed))
            bench.advance(.seconds(5))
            bench.send(.listeningEnded(1, .ofServer(retryAfter: 60)))
            let wait = try #require(bench.alarm) - bench.elapsed
            #expect(wait >= .seconds(60) && wait <= .seconds(65))
            times.insert(wait)
        }
        #expect(times.count == 20)
    }

    @Test func `a server without events is left alone, until new credentials`() throws {
        var bench = try bench("a:*")
        bench.advance(.seconds(5))
        bench.send(.listeningEnded(1, .ofRequest))
        #expect(bench.advance(.seconds(1700)).listened.isEmpty)
        #expect(bench.trigger(.signedIn).listened.count == 1)
        #expect(bench.violations == [])
    }

    @Test func `an event requests a run of its filter, unless that has the change already`() throws {
        var bench = try bench("a:*", "b:1")
        bench.advance(.seconds(5))
        #expect(bench.send(.changed("a:*", sequence: 10)).started == [])
        #expect(bench.send(.changed("c:*", sequence: 11)).started == [])
        #expect(bench.send(.changed("b:1", sequence: 11)).started == ["b:1"])
        #expect(bench.finish("b:1", until: 11).started == [])
        #expect(bench.send(.changed("b:1", sequence: nil)).started == ["b:1"])
        #expect(bench.violations == [])
    }

    @Test func `a run that did not bring the change is followed by another, ever later`() throws {
        var bench = try bench("a:*")
        bench.send(.changed("a:*", sequence: 12))
        var wait = Duration.zero
        for attempt in 1...10 {
            #expect(bench.finish("a:*", until: 11).started == [])
            wait = try #require(bench.alarm) - bench.elapsed
            #expect(wait <= .seconds(min(300, 1 << (attempt - 1))))
            bench.advance(.seconds(300))
            #expect(bench.running == ["a:*"])
        }
        #expect(wait > .seconds(100))
        bench.finish("a:*", until: 12)
        bench.advance(.seconds(3600))
        #expect(bench.running == [])
        #expect(bench.violations == [])
    }
}

extension ListeningTests {
    @Test func `a change that is reported during a run is brought by the next one, at once`() throws {
        var bench = try bench("a:*")
        bench.send(.changed("a:*", sequence: 11))
        for sequence in Int64(12)...40 {
            bench.send(.changed("a:*", sequence: sequence))
            #expect(bench.finish("a:*", until: sequence - 1).started == ["a:*"])
        }
        #expect(bench.finish("a:*", until: 40).started == [])
        #expect(bench.violations == [])
    }

    @Test func `a replica that is always a little behind costs little time, and readers no time`() throws {
        var bench = try bench("a:*")
        for sequence in Int64(12)...40 {
            bench.send(.changed("a:*", sequence: sequence))
            bench.advance(.seconds(1))
            #expect(bench.running == ["a:*"])
            bench.finish("a:*", until: sequence - 1)
        }
        // Nothing new arrives: the waits grow, but a resource that is opened does not wait.
        for _ in 1...6 {
            bench.advance(.seconds(300))
            bench.finish("a:*", until: 39)
        }
        bench.advance(.milliseconds(1))
        bench.now += 3_600_000
        #expect(bench.trigger(.opened(ResourceKey("a", 1))).started == ["a:*"])
    }

    @Test func `a server whose numbers count anew is not waited for`() throws {
        var bench = try bench("a:*")
        bench.send(.changed("a:*", sequence: .max))
        #expect(bench.finish("a:*", until: 5).started == [])
        #expect(bench.advance(.seconds(3600)).started == [])
        bench.send(.changed("a:*", sequence: .max))
        #expect(bench.finish("a:*", .bootstrap, until: 6).started == [])
        #expect(bench.violations == [])
    }
}

extension [CoordinatorEffect] {
    fileprivate var listened: [EventsRequest] {
        compactMap { if case .listen(_, let request) = $0 { request } else { nil } }
    }

    fileprivate var stoppedListening: Int {
        count { if case .stopListening = $0 { true } else { false } }
    }
}

extension ScheduleBench {
    @discardableResult
    fileprivate mutating func finish(
        _ text: String, _ kind: SyncReport.Kind = .incremental, until sequence: Int64
    ) -> [CoordinatorEffect] {
        var report = SyncReport(filter: text, kind: kind)
        report.untilSequence = sequence
        return send(.ended(text, .success(report)))
    }
}

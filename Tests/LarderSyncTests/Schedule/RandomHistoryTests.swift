// Proves that random sequences of events never lose a due run and never begin a forbidden one.

import LarderFormat
import LarderSync
import LarderTesting
import LarderTransport
import Testing

/// Histories drawn from a seed: whatever happens, in whatever order, what must always hold does.
@Suite("A random history")
struct RandomHistoryTests {
    private static let filters = ["a:*", "a:1", "b:*", "c:7", "d:1,2"]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `loses no due run, and begins no forbidden one`(_ family: UInt64) throws {
        for number in 0..<600 as Range<UInt64> {
            let seed = family << 32 | number
            var random = SeededGenerator(seed: seed)
            var bench = ScheduleBench(hasProbe: Bool.random(using: &random), seed: seed) {
                $0.concurrentRuns = Int.random(in: 1...3, using: &random)
                if Int.random(in: 0..<4, using: &random) == 0 { $0.refreshInterval = nil }
            }
            for step in 1...60 {
                bench.sendAny(&random, Self.filters)
                if let violation = bench.violations.first {
                    Issue.record("seed \(seed), step \(step): \(violation)")
                    return
                }
            }
            let left = bench.runUntilIdle()
            #expect(left == [], "seed \(seed): never run though nothing stood in the way")
            #expect(bench.violations == [], "seed \(seed)")
            if bench.violations != [] || left != [] { return }
        }
    }

    @Test func `is reproducible from its seed`() throws {
        func history() -> [String] {
            var random = SeededGenerator(seed: 99)
            var bench = ScheduleBench(seed: 99)
            return (1...200).map { _ in "\(bench.sendAny(&random, Self.filters))" }
        }
        #expect(history() == history())
    }
}

extension ScheduleBench {
    /// Lets something happen that can happen now.
    @discardableResult
    mutating func sendAny(_ random: inout SeededGenerator, _ filters: [String]) -> [CoordinatorEffect] {
        let text = filters.randomElement(using: &random) ?? ""
        guard let filter = try? ResourceFilter(text) else { return [] }
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: return send(.added(filter, .allCases.randomElement(using: &random) ?? .low, .any(&random, now)))
        case 2: return send(.removed(text))
        case 3: return trigger(.any(&random, filter))
        case 4:
            let states: [NetworkState] = [.online, .online, .metered, .constrained, .offline]
            return send(.network(states.randomElement(using: &random) ?? .online))
        case 5: return send(.power(PowerState.allCases.randomElement(using: &random) ?? .normal))
        case 6: return send(.forcedOffline(Int.random(in: 0..<3, using: &random) == 0))
        case 7:
            now &+= Int64.random(in: -400_000_000_000...400_000_000_000, using: &random)
            return send(.timer)
        case 8 where !probes.isEmpty: return answerProbe(Bool.random(using: &random))
        case 9: return send(.rejected(running.sorted().randomElement(using: &random) ?? text))
        case 10...13:
            guard let text = running.sorted().randomElement(using: &random) else { return [] }
            return send(.ended(text, .any(&random, text)))
        default:
            let waits: [Duration] = [.milliseconds(3), .seconds(1), .seconds(70), .seconds(4000), .seconds(700_000)]
            return advance(waits.randomElement(using: &random) ?? .zero)
        }
    }

    /// Takes away everything that stands in the way; gives the filters that are not run for all that.
    mutating func runUntilIdle() -> [String] {
        send(.forcedOffline(false))
        send(.power(.normal))
        send(.network(.offline))
        send(.network(.online))
        while !probes.isEmpty { answerProbe(true) }
        trigger(.launch)
        let wanted = filters
        var done: Set<String> = []
        // Two days, as the longest wait is one, and runs that take as long as it takes until the next is due.
        for _ in 0..<200 where !wanted.isSubset(of: done) {
            for text in running.sorted() {
                finish(text)
                done.insert(text)
            }
            advance(.seconds(900))
        }
        return wanted.subtracting(done).sorted()
    }
}

extension KnownFilter {
    fileprivate static func any(_ random: inout SeededGenerator, _ now: Int64) -> KnownFilter {
        var known = KnownFilter()
        known.hasToken = Bool.random(using: &random)
        if known.hasToken { known.syncedAt = now &- Int64.random(in: -1000...2_000_000_000, using: &random) }
        known.resyncs = Int.random(in: 0...5, using: &random)
        if known.resyncs > 0 { known.resyncedAt = now &- Int64.random(in: -1000...90_000_000, using: &random) }
        return known
    }
}

extension SyncTrigger {
    fileprivate static func any(_ random: inout SeededGenerator, _ filter: ResourceFilter) -> SyncTrigger {
        let all: [SyncTrigger] = [
            .launch, .opened(ResourceKey("a", 1)), .push(nil), .push(filter), .manual(nil), .manual(filter), .signedIn,
        ]
        return all.randomElement(using: &random) ?? .launch
    }
}

extension Result<SyncReport, SyncError> {
    fileprivate static func any(_ random: inout SeededGenerator, _ text: String) -> Self {
        let errors: [SyncError] = [
            .cancelled, .ofRequest, .ofServer(), .ofServer(retryAfter: 30), .ofServer(retryAfter: 100_000),
            .intercepted(status: nil), .transport(.timeout(.head)), .superseded, .offline, .endlessResync,
        ]
        if Bool.random(using: &random), let error = errors.randomElement(using: &random) { return .failure(error) }
        return .success(SyncReport(filter: text, kind: Bool.random(using: &random) ? .bootstrap : .incremental))
    }
}

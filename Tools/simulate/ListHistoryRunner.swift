import ArgumentParser
import Foundation
import LarderSimulator
import LarderStore
import LarderTesting

/// Plays simulated histories of lists in this process, one after the other.
struct ListHistoryRunner {
    let directory: String
    let isVerbose: Bool

    /// Plays the seeds, all in one store.
    func run(_ seeds: Range<UInt64>) async throws {
        let path = "\(directory)/larder-simulate-lists-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = VirtualClock()
        let store = try Store.open(at: path, host: .virtual(clock))
        defer { try? store.close() }
        var requests = 0
        for seed in seeds {
            let outcome = await ListHistory.run(seed, in: store, clock: clock)
            requests += outcome.requests
            guard let violation = outcome.violation else {
                if isVerbose { for line in outcome.lines { print("    \(line)") } }
                continue
            }
            print("seed \(seed) violates an invariant: \(violation)")
            for line in outcome.lines { print("    \(line)") }
            print("again: larder-simulate --lists --seed \(seed)")
            throw ExitCode(1)
        }
        print("\(seeds.count) histories of lists, \(requests) requests, no invariant violated")
    }
}

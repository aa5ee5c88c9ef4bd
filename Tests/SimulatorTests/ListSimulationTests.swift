// Proves, by simulated histories, that no pass over a list deletes a live row, and that a complete pass has all of them.

import Foundation
import LarderSimulator
import LarderStore
import LarderTesting
import Testing

/// `LARDER_SIMULATE_SEEDS` says how many histories are played.
struct ListSimulationTests {
    private static let count =
        ProcessInfo.processInfo.environment["LARDER_SIMULATE_SEEDS"].flatMap { UInt64($0) } ?? 1000

    @Test func `no history of a list deletes a live row, and a whole pass has all that stayed`() async throws {
        try await withStore { store, clock in
            for seed in 0..<Self.count {
                let outcome = await ListHistory.run(seed, in: store, clock: clock)
                guard let violation = outcome.violation else { continue }
                Issue.record(
                    """
                    seed \(seed) breaks a promise: \(violation)
                    \(outcome.lines.joined(separator: "\n"))
                    """)
                return
            }
        }
    }

    /// 4161: a pass saw rows in its first walk, was answered nothing in the two that confirm it, and deleted those that an earlier
    /// pass had missed.
    @Test(arguments: [4161]) func `no history that broke a promise breaks it again`(_ seed: UInt64) async throws {
        try await withStore { store, clock in
            let outcome = await ListHistory.run(seed, in: store, clock: clock)
            #expect(outcome.violation == nil, "\(outcome.lines.joined(separator: "\n"))")
        }
    }

    @Test func `one seed is one history of a list`() async throws {
        try await withStore { store, clock in
            try await withStore { other, otherClock in
                for seed in 0..<UInt64(20) {
                    let outcome = await ListHistory.run(seed, in: store, clock: clock)
                    let again = await ListHistory.run(seed, in: other, clock: otherClock)
                    #expect(outcome.hash == again.hash, "seed \(seed)")
                }
            }
        }
    }

    private func withStore(_ body: (Store, VirtualClock) async throws -> Void) async throws {
        let shared = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let path = "\(shared)/larder-lists-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let clock = VirtualClock()
        let store = try Store.open(at: path, host: .virtual(clock))
        defer { try? store.close() }
        try await body(store, clock)
    }
}

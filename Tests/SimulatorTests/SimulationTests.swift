// Proves, by simulated histories, that the promises of the architecture hold at every step.

import Foundation
import LarderSimulator
import LarderTesting
import Testing

/// Simulated histories: every promise of the architecture is looked after in every step of each.
///
/// `LARDER_SIMULATE_SEEDS` says how many are played.
struct SimulationTests {
    private static let count =
        ProcessInfo.processInfo.environment["LARDER_SIMULATE_SEEDS"].flatMap { UInt64($0) } ?? 200

    private func run(_ seed: UInt64) -> History.Outcome {
        let shared = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let path = "\(shared)/larder-simulation-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        return History.run(Scenario(seed: seed), at: path, isVerified: seed % 8 == 0)
    }

    @Test func `no history breaks a promise, and in the quiet at its end the client equals the server`() {
        for seed in 0..<Self.count {
            let outcome = run(seed)
            guard let violation = outcome.violation else { continue }
            Issue.record(
                """
                seed \(seed) breaks a promise: \(violation)
                \(outcome.lines.joined(separator: "\n"))
                again, and shorter: larder-simulate --seed \(seed)
                """)
            return
        }
    }

    @Test func `one seed is one history`() {
        for seed in 0..<UInt64(50) {
            #expect(run(seed).hash == run(seed).hash, "seed \(seed)")
        }
    }
}

// Proves that a process killed at a random time leaves everything it acknowledged and nothing partial.

import CrashWorld
import Foundation
import Testing

/// How many kills to make: enough for a look. `LARDER_CRASH_KILLS` says otherwise; 500 took six minutes on two busy cores.
private let kills = ProcessInfo.processInfo.environment["LARDER_CRASH_KILLS"].flatMap { Int($0) } ?? 100
/// What the kills follow from, as far as the machine's timing allows; `LARDER_CRASH_SEED` repeats it.
private let seed =
    ProcessInfo.processInfo.environment["LARDER_CRASH_SEED"].flatMap { UInt64($0) }
    ?? SystemRandomNumberGenerator().drawn()

@Suite(.serialized) struct `CrashTests: a process killed at any time` {
    @Test func `leaves a store in which everything acknowledged is there and nothing is half`() async throws {
        print("crash tests: LARDER_CRASH_SEED=\(seed), \(kills) kills")
        let start = ContinuousClock.now
        async let first = runChildren(0)
        async let second = runChildren(1)
        let tally = try await first + second
        print(tally.table(ContinuousClock.now - start))
        let wanted = min(50, kills / 10)
        #expect(tally.insideCopies >= wanted, "too few kills hit a snapshot to be conclusive")
        #expect(tally.stagingLeft >= wanted / 2)
    }

    @concurrent private func runChildren(_ number: Int) async throws -> KillTally {
        var killLoop = RandomKills(seed: seed &+ UInt64(number), kills: kills / 2)
        return try await killLoop.run()
    }
}

extension SystemRandomNumberGenerator {
    fileprivate func drawn() -> UInt64 {
        var generator = self
        return generator.next() >> 16
    }
}

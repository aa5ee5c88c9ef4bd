// Proves that writes are applied once each and in order when both the writer and the server are killed at any time.

#if Server
import CrashWorld
import Foundation
import Testing

/// How often the writer is killed: enough for a look. `LARDER_OUTBOX_KILLS` says otherwise; the promise is 300.
private let kills = ProcessInfo.processInfo.environment["LARDER_OUTBOX_KILLS"].flatMap { Int($0) } ?? 60
/// How many writes there are; `LARDER_OUTBOX_WRITES` says otherwise; the promise is 1000.
private let writes = ProcessInfo.processInfo.environment["LARDER_OUTBOX_WRITES"].flatMap { Int($0) } ?? 300
/// What the kills follow from, as far as the machine's timing allows; `LARDER_CRASH_SEED` repeats it.
private let seed =
    ProcessInfo.processInfo.environment["LARDER_CRASH_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0..<1 << 48)

@Suite(.serialized) struct `CrashTests: writes on their way to a server, both killed at any time` {
    @Test func `are applied once each, in the order of their lanes`() async throws {
        print("outbox crash tests: LARDER_CRASH_SEED=\(seed), \(kills) kills, \(writes) writes")
        let start = ContinuousClock.now
        let tally = try await runWriters()
        print(tally.table(ContinuousClock.now - start))
        #expect(tally.writerKills == kills)
        #expect(tally.serverKills >= kills / 10, "too few servers were killed to say anything")
        #expect(tally.replays >= kills / 20, "too few answers were lost to say anything")
        #expect(Set(tally.applied.map(\.number)) == Set(0..<writes), "each write is applied")
        #expect(tally.doubled == 0, "no write is applied twice")
        #expect(tally.disordered == 0, "the order of each lane is kept")
        #expect(tally.acknowledged.isSubset(of: tally.applied.map(\.number)))
    }

    @concurrent private func runWriters() async throws -> WriterTally {
        var killLoop = try WriterKills(seed: seed, kills: kills, writes: writes)
        return try killLoop.run()
    }
}
#endif

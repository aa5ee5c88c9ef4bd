// Proves over seeded races that no response replaces what was written or removed locally after it was requested.
import LarderHTTP
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A race of answers, saves, removals and sign-outs` {
    @Test(arguments: [ObjectPersistence.memory, .persistent])
    func `shows no older value over a newer`(place: ObjectPersistence) async throws {
        for seed in 0..<UInt64(1000) {
            let race = try ObjectRace(seed: seed, place)
            let faults = try await race.run()
            try #require(faults == [], "seed \(seed), \(place): \(race.script)")
        }
    }
}

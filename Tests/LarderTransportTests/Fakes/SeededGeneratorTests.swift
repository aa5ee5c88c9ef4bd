// Proves that a seeded generator gives the published numbers of SplitMix64.

import LarderTesting
import Testing

@Suite struct `A seeded generator` {
    @Test func `gives the published numbers of SplitMix64`() {
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<5).map { _ in generator.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test func `gives the same choices for the same seed, and others for another`() {
        var (one, same, other) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1), SeededGenerator(seed: 2))
        let choices = (0..<100).map { _ in Int.random(in: 0..<1000, using: &one) }
        #expect(choices == (0..<100).map { _ in Int.random(in: 0..<1000, using: &same) })
        #expect(choices != (0..<100).map { _ in Int.random(in: 0..<1000, using: &other) })
    }

    @Test func `splits off a part that later draws do not disturb`() {
        var (one, other) = (SeededGenerator(seed: 9), SeededGenerator(seed: 9))
        var (part, samePart) = (one.split(), other.split())
        for _ in 0..<10 { _ = one.next() }
        #expect(part.next() == samePart.next())
        #expect(one != other)
    }
}

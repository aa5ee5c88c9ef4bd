import Testing

@Suite struct `Decisions of the policy` {
    /// The histories of one part of the test.
    static let histories = 1_000

    /// Each part is 1,000 histories; the message names the seed of the one that failed, with which it is drawn again.
    @Test(arguments: 0..<4)
    func `agree with a slow model written from the standards`(part: Int) {
        var found: [String: (count: Int, first: String)] = [:]
        var decisions = 0
        for history in 0..<Self.histories {
            let seed = UInt64(part * Self.histories + history)
            var world = World(seed: seed)
            world.run()
            decisions += world.decisions
            for difference in world.disagreements {
                found[difference.what, default: (0, "seed \(seed): \(difference.text)")].count += 1
            }
        }
        #expect(decisions >= 5_000)
        for (what, example) in found { Issue.record("\(what), \(example.count) times; first with \(example.first)") }
    }
}

// Proves, over random histories, that the policy's decisions agree with a slow model written from the standards.

import Foundation
import Testing

enum ModelComparison {
    /// How many exchanges the library and a model are compared over: 4,000, or what `LARDER_EXCHANGES` says.
    static let exchanges = ProcessInfo.processInfo.environment["LARDER_EXCHANGES"].flatMap { Int($0) } ?? 4_000
}

@Suite struct `Decisions of the policy` {
    /// Each part is a quarter of the histories; the message names the seed of the one that failed, with which it is drawn again.
    @Test(arguments: 0..<4)
    func `agree with a slow model written from the standards`(part: Int) {
        let histories = ModelComparison.exchanges / 4
        var found: [String: (count: Int, first: String)] = [:]
        var decisions = 0
        for history in 0..<histories {
            let seed = UInt64(part * histories + history)
            var comparison = ComparedHistory(seed: seed)
            comparison.run()
            decisions += comparison.decisions
            for difference in comparison.disagreements {
                found[difference.what, default: (0, "seed \(seed): \(difference.text)")].count += 1
            }
        }
        #expect(decisions >= 5 * histories)
        for (what, example) in found { Issue.record("\(what), \(example.count) times; first with \(example.first)") }
    }
}

// Proves that the picture of the latest runs stays within its area, whatever times a damaged clock has stored.

import LarderFormat
import Testing

@testable import cachetool

@Suite struct `A timeline of runs` {
    private static let now: Int64 = 1_767_225_700_000

    private func html(_ runs: [RecordedRuns]) -> String {
        var state = FilterState(filter: "notes:1")
        state.runs = runs
        return RunTimeline.html([state, FilterState(filter: "notes:2")], now: Self.now).text
    }

    @Test func `stays within its area for any times`() throws {
        let times = [Int64.min, -1, 0, Self.now - 1000, Self.now, Self.now + 1, .max]
        for began in times {
            for ended in times {
                let text = html([
                    RecordedRuns(beganAt: Self.now - 5000, endedAt: Self.now - 4000, rowsWritten: .max),
                    RecordedRuns(beganAt: began, endedAt: ended, count: .max),
                ])
                let bars = text.matches(of: /<rect class="\w+" x="(-?\d+)" y="\d+" width="(-?\d+)"/)
                #expect(bars.count == 2, "\(began) to \(ended)")
                for bar in bars {
                    let (x, width) = (try #require(Int(bar.1)), try #require(Int(bar.2)))
                    #expect(x >= 240 && width >= 5 && x + width <= 1200, "\(began) to \(ended): \(x), \(width)")
                }
            }
        }
    }

    @Test func `is nothing before a run has ended`() {
        #expect(html([]).isEmpty)
        #expect(html([RecordedRuns(beganAt: Self.now + 5, endedAt: Self.now + 9)]).isEmpty)
    }
}

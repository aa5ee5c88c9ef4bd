// Proves that HTTP dates and Retry-After fields are parsed safely and measured by the right clock.

import LarderTesting
import LarderTransport
import Testing

@Suite struct `An HTTP date` {
    /// 1994-11-06T08:49:37Z, the example of RFC 9110 §5.6.7.
    private static let example: Int64 = 784_111_777_000
    /// 2026-01-01T00:00:00Z.
    private static let now: Int64 = 1_767_225_600_000

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `is read in each of its three forms`(text: String) {
        #expect(HTTPDate.milliseconds(of: text, now: Self.now) == Self.example)
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu Jan  1 00:00:00 1970", 0), ("Wed Dec 31 23:59:59 1969", -1000),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000_000), ("Fri, 31 Dec 2016 23:59:60 GMT", 1_483_228_800_000),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799_000),
        ] as [(String, Int64)])
    func `reaches over all years`(text: String, milliseconds: Int64) {
        #expect(HTTPDate.milliseconds(of: text, now: Self.now) == milliseconds)
    }

    @Test(
        arguments: [
            ("Thursday, 01-Jan-26 00:00:00 GMT", 1_767_225_600_000),
            ("Thursday, 01-Jan-76 00:00:00 GMT", 3_345_062_400_000),
            ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800_000),
            ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800_000),
        ] as [(String, Int64)])
    func `of two digits for the year is at most fifty years ahead`(text: String, milliseconds: Int64) {
        #expect(HTTPDate.milliseconds(of: text, now: Self.now) == milliseconds)
    }

    @Test(arguments: [
        "", ",", " ", "Sun", "Sun, ", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2023 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  66 08:49:37 1994", "Sun Nov  6 08:49:37 94",
        "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun,  06 Nov 1994 08:49:37 GMT", "Sún, 06 Nov 1994 08:49:37 GMT",
    ])
    func `of another form is none`(text: String) {
        #expect(HTTPDate.milliseconds(of: text, now: Self.now) == nil)
    }

    @Test func `never traps, whatever it contains and whatever the time is`() {
        let seed: UInt64 = 20_260_101
        var generator = SeededGenerator(seed: seed)
        let forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        for _ in 0..<3000 {
            var bytes = Array((forms.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                bytes[place] = UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            let times: [Int64] = [.min, .max, 0, Self.now]
            let now = times.randomElement(using: &generator) ?? 0
            let text = String(decoding: bytes, as: UTF8.self)
            let seconds = RetryAfter.seconds(text, date: forms[0], now: now)
            #expect(seconds.map { (0...RetryAfter.longest).contains($0) } ?? true, "seed \(seed): \(text) at \(now)")
        }
    }
}

@Suite struct `A Retry-After field` {
    /// 2026-01-01T00:00:00Z.
    private static let now: Int64 = 1_767_225_600_000

    @Test(
        arguments: [
            ("0", 0), ("30", 30), (" 30\t", 30), ("007", 7), ("-5", 0), ("86400", 86_400), ("86401", 86_400),
            ("99999999999999999999999999", 86_400), ("", nil), ("soon", nil), ("1.5", nil), ("+3", nil), ("-", nil),
            ("3 s", nil), ("٣", nil), ("0x10", nil),
        ] as [(String, Int?)])
    func `in seconds is read up to a day`(field: String, seconds: Int?) {
        #expect(RetryAfter.seconds(field, date: nil, now: Self.now) == seconds)
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:02:00 GMT", 120), ("Thursday, 01-Jan-26 00:02:00 GMT", 120),
            ("Thu Jan  1 00:02:00 2026", 120), ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("Thu, 01 Jan 2026 00:02:00 CET", nil),
        ] as [(String, Int?)])
    func `that names a date is measured by the local clock`(field: String, seconds: Int?) {
        #expect(RetryAfter.seconds(field, date: nil, now: Self.now) == seconds)
        #expect(RetryAfter.seconds(field, date: "yesterday", now: Self.now) == seconds)
        let secondsBefore = seconds.map { $0 == 0 ? 0 : min($0 + 1, 86_400) }
        #expect(RetryAfter.seconds(field, date: nil, now: Self.now - 1) == secondsBefore)
    }

    @Test func `that names a date is measured by the server's clock where the answer says it`() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let times: [Int64] = [Self.now, 0, .min, .max]
        for now in times {
            #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:50:07 GMT", date: date, now: now) == 30)
            #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:36 GMT", date: date, now: now) == 0)
        }
    }
}

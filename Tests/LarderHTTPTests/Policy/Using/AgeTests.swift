// Proves that the age of a response is computed as RFC 9111 §4.2.3 says, whatever the clocks show.

import HTTPTypes
import LarderTesting
import Testing

@testable import LarderHTTP

@Suite struct `The age of a response` {
    private typealias Case = PolicyCase

    private func age(_ stored: StoredResponse, at now: Int64) -> Int64 {
        Case.policy.freshness(of: stored, at: now).age
    }

    @Test func `is what Age said, plus the time of transfer and the time since`() {
        var stored = Case.stored(("Age", "10"), ("Date", Case.date))
        stored.requestedAt -= 2000
        #expect(age(stored, at: Case.then + 3000) == 15_000)
    }

    @Test func `is the time since its Date, when that is more`() {
        let stored = Case.stored(("Age", "10"), ("Date", "Sun, 06 Nov 1994 08:49:07 GMT"))
        #expect(age(stored, at: Case.then + 1000) == 31_000)
    }

    @Test func `is not less for a Date in the future`() {
        #expect(age(Case.stored(("Age", "10"), ("Date", "Sun, 06 Nov 2044 08:49:37 GMT")), at: Case.then) == 10_000)
    }

    @Test(arguments: [
        ("7200, 0", 7200), ("0, 7200", 0), ("abc", 0), ("-7200", 0), ("7200.0", 0), ("", 0),
        ("99999999999", 2_147_483_648),
    ])
    func `goes by the first number of Age`(value: String, seconds: Int64) {
        #expect(age(Case.stored(("Age", value)), at: Case.then) == seconds * 1000)
    }

    @Test func `goes by the first line of Age`() {
        #expect(age(Case.stored(("Age", "5"), ("Age", "7")), at: Case.then) == 5000)
    }

    @Test func `is never less than at first when the clock jumps back`() {
        let stored = Case.stored(("Age", "10"))
        #expect(age(stored, at: Case.then - 86_400_000) == 10_000)
        #expect(age(stored, at: .min) == 10_000)
    }

    @Test func `is never negative, whatever the clocks say`() {
        var generator = SeededGenerator(seed: 423)
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max, Case.then]
        for _ in 0..<500 {
            func any() -> Int64 { extremes[Int.random(in: 0..<extremes.count, using: &generator)] }
            var stored = Case.stored(("Date", Case.date), ("Age", "99999999999"), ("Expires", Case.date))
            stored.requestedAt = any()
            stored.receivedAt = any()
            let reading = Case.policy.freshness(of: stored, at: any())
            #expect(reading.age >= 0)
            #expect(reading.lifetime >= 0)
        }
    }
}

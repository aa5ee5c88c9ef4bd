// Proves that dates are parsed in all three forms of RFC 9110 and written so that they parse again.

import LarderTesting
import LarderTransport
import Testing

@testable import LarderHTTP

@Suite struct `A date in a field` {
    private func read(_ text: String, now: Int64 = PolicyCase.then) -> Int64? {
        HTTPDate.milliseconds(of: Array(text.utf8), now: now)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        " Sun, 06 Nov 1994 08:49:37 GMT\t", "SUN, 06 nov 1994 08:49:37 gMT",
    ])
    func `is read in three forms and in any case`(text: String) {
        #expect(read(text) == PolicyCase.then)
    }

    @Test(arguments: [
        "", "0", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
        "Sun, 06  Nov  1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1995 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT, x",
    ])
    func `is none in any other form`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `reads a leap second as the first of the next minute`() {
        #expect(read("Sat, 31 Dec 2016 23:59:60 GMT") == read("Sun, 01 Jan 2017 00:00:00 GMT"))
    }

    @Test func `with two digits is at most 50 years ahead`() {
        #expect(read("Sunday, 06-Nov-44 08:49:37 GMT") == read("Sun, 06 Nov 2044 08:49:37 GMT"))
        #expect(read("Sunday, 06-Nov-45 08:49:37 GMT") == read("Sun, 06 Nov 1945 08:49:37 GMT"))
        #expect(read("Sunday, 06-Nov-05 08:49:37 GMT") == read("Sun, 06 Nov 2005 08:49:37 GMT"))
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `is read whatever the clock says`(now: Int64) {
        _ = read("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        #expect(read(PolicyCase.date, now: now) == PolicyCase.then)
    }

    @Test func `is written so that it is read again`() {
        #expect(HTTPDate.text(of: PolicyCase.then) == PolicyCase.date)
        #expect(HTTPDate.text(of: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(of: .min) == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(HTTPDate.text(of: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        var generator = SeededGenerator(seed: 1994)
        for _ in 0..<2000 {
            let second = Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let text = HTTPDate.text(of: second * 1000)
            #expect(read(text) == second * 1000, "\(text), \(second)")
        }
    }
}

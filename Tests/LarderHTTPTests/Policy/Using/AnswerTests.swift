// Proves that responses from the cache evaluate conditions and ranges as RFC 9110 says.

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `An answer from the cache` {
    private typealias Case = PolicyCase
    private let changed = "Sun, 06 Nov 1994 08:00:00 GMT"

    private func answer(
        _ request: HTTPRequest, _ stored: StoredResponse, length: Int64 = 10, age: Int64 = 1999,
        isValidated: Bool = false
    ) -> (head: HTTPResponse, bytes: Range<Int64>) {
        Case.policy.answer(with: stored, to: request, length: length, age: age, isValidated: isValidated)
    }

    @Test func `is what is stored, with its age`() {
        let stored = Case.stored(("Date", Case.date), ("Age", "77"), ("X", "1"), ("X", "2"), status: 404)
        let (head, bytes) = answer(Case.request(), stored)
        #expect(head.status == .notFound)
        #expect(head.headerFields[values: .age] == ["1"])
        #expect(head.headerFields[.date] == Case.date)
        #expect(head.headerFields[values: HTTPField.Name("X")!] == ["1", "2"])
        #expect(!head.headerFields.has("warning"))
        #expect(bytes == 0..<10)
        #expect(answer(Case.request(), stored, age: .max).head.headerFields[.age] == "2147483648")
        #expect(answer(Case.request(), stored, age: -5).head.headerFields[.age] == "0")
    }

    @Test func `to HEAD has no body`() {
        #expect(answer(Case.request(.head, ("Range", "bytes=0-1")), Case.stored(("X", "1"))).bytes.isEmpty)
        #expect(answer(Case.request(.head, ("Range", "bytes=0-1")), Case.stored(("X", "1"))).head.status == .ok)
    }

    @Test func `leaves out what no-cache names, unless it was validated`() {
        let stored = Case.stored(("Cache-Control", "no-cache=\"a, B\", max-age=9"), ("a", "1"), ("b", "2"), ("c", "3"))
        let fields = answer(Case.request(), stored).head.headerFields
        #expect(!fields.has("a"))
        #expect(!fields.has("b"))
        #expect(fields.has("c"))
        #expect(answer(Case.request(), stored, isValidated: true).head.headerFields.has("a"))
    }

    @Test(arguments: ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*"])
    func `is 304 for who has it by tag`(tags: String) {
        let stored = Case.stored(
            ("ETag", "\"a\""), ("Last-Modified", changed), ("Content-Type", "x/y"), ("Content-Length", "10"),
            ("Vary", "Foo"))
        let (head, bytes) = answer(Case.request(.get, ("If-None-Match", tags)), stored)
        #expect(head.status == .notModified)
        #expect(bytes.isEmpty)
        #expect(head.headerFields[.eTag] == "\"a\"")
        #expect(head.headerFields[.vary] == "Foo")
        for name in ["content-type", "content-length", "last-modified"] { #expect(!head.headerFields.has(name)) }
    }

    @Test func `goes by the tag before the date`() {
        let stored = Case.stored(("ETag", "\"a\""), ("Last-Modified", changed))
        let request = Case.request(.get, ("If-None-Match", "\"b\""), ("If-Modified-Since", changed))
        #expect(answer(request, stored).head.status == .ok)
    }

    @Test(arguments: ["Sun, 06 Nov 1994 08:00:00 GMT", "Sunday, 06-Nov-94 08:00:00 GMT", "Sun Nov  6 08:30:00 1994"])
    func `is 304 for who has it by date`(since: String) {
        let stored = Case.stored(("Last-Modified", changed), ("Date", Case.date))
        #expect(answer(Case.request(.get, ("If-Modified-Since", since)), stored).head.status == .notModified)
        #expect(answer(Case.request(.get, ("If-Since-Modified", since)), stored).head.status == .notModified)
    }

    @Test func `is whole for a client with an older one, or with an unreadable condition`() {
        let stored = Case.stored(("Last-Modified", changed), ("Date", Case.date))
        for since in ["Sun, 06 Nov 1994 07:59:59 GMT", "yesterday"] {
            #expect(answer(Case.request(.get, ("If-Modified-Since", since)), stored).head.status == .ok)
        }
        let missing = Case.stored(("ETag", "\"a\""), status: 404)
        #expect(answer(Case.request(.get, ("If-None-Match", "\"a\"")), missing).head.status == .notFound)
    }

    @Test func `goes by Date, or when it came, without Last-Modified`() {
        let request = Case.request(.get, ("If-Modified-Since", Case.date))
        #expect(answer(request, Case.stored(("Date", Case.date))).head.status == .notModified)
        #expect(answer(request, Case.stored(("X", "1"))).head.status == .notModified)
        #expect(answer(request, Case.stored(("X", "1"), at: Case.then + 1000)).head.status == .ok)
    }

    @Test(arguments: [("bytes=0-1", 0, 2), ("bytes=1-", 1, 10), ("bytes=-1", 9, 10), ("bytes=5-99", 5, 10)])
    func `is 206 for a range`(range: String, lower: Int64, upper: Int64) {
        let (head, bytes) = answer(Case.request(.get, ("Range", range)), Case.stored(("Content-Length", "10")))
        #expect(head.status == .partialContent)
        #expect(bytes == lower..<upper)
        #expect(head.headerFields[.contentRange] == "bytes \(lower)-\(upper - 1)/10")
        #expect(head.headerFields[.contentLength] == "\(upper - lower)")
    }

    @Test func `is 416 for a range beyond it`() {
        let (head, bytes) = answer(Case.request(.get, ("Range", "bytes=10-")), Case.stored(("ETag", "\"a\"")))
        #expect(head.status == .rangeNotSatisfiable)
        #expect(bytes.isEmpty)
        #expect(head.headerFields[.contentRange] == "bytes */10")
    }

    @Test func `is whole for a range of another status, of other units, or of another version`() {
        let ranged = Case.request(.get, ("Range", "bytes=0-1"))
        #expect(answer(ranged, Case.stored(status: 404)).head.status == .notFound)
        #expect(answer(Case.request(.get, ("Range", "rows=0-1")), Case.stored()).head.status == .ok)
        let stored = Case.stored(("ETag", "\"a\""), ("Last-Modified", changed), ("Date", Case.date))
        for (value, status) in [("\"a\"", 206), ("\"b\"", 200), ("W/\"a\"", 200), (changed, 206), (Case.date, 200)] {
            let request = Case.request(.get, ("Range", "bytes=0-1"), ("If-Range", value))
            #expect(answer(request, stored).head.status.code == status, "\(value)")
        }
    }

    @Test func `out of a part counts from where the part begins`() {
        let part = Case.stored(status: 206, coverage: .part(4..<10, total: 10))
        let (head, bytes) = answer(Case.request(.get, ("Range", "bytes=6-8")), part, length: 6)
        #expect(bytes == 2..<5)
        #expect(head.headerFields[.contentRange] == "bytes 6-8/10")
        let short = answer(Case.request(.get, ("Range", "bytes=6-")), part, length: 5)
        #expect(short.bytes == 2..<5)
        #expect(short.head.headerFields[.contentRange] == "bytes 6-8/10")
    }
}

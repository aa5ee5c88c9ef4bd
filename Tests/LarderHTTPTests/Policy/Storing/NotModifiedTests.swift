// Proves that a 304 confirms and updates the right stored responses (RFC 9111 §4.3.4).

import HTTPTypes
import LarderFormat
import Testing

@testable import LarderHTTP

@Suite struct `A 304` {
    private typealias Case = PolicyCase
    private let asking = PolicyCase.request(.get, ("If-None-Match", "\"a\""))

    @Test func `confirms what has the same strong tag, and nothing else`() {
        let one = Case.stored(("ETag", "\"a\""))
        let other = Case.stored(("ETag", "\"b\""))
        let weak = Case.stored(("ETag", "W/\"a\""))
        let answer = Case.response(304, ("ETag", "\"a\""))
        #expect(Case.update(by: answer, to: asking, other, one, weak, one).summary == "refresh confirmed [1, 3]")
        #expect(Case.update(by: answer, to: asking, weak).summary == "repeat unconfirmed")
    }

    @Test func `with a weak tag confirms the most recent that has it`() {
        let older = Case.stored(("ETag", "W/\"a\""), ("Date", "Sun, 06 Nov 1994 08:49:30 GMT"))
        let newer = Case.stored(("ETag", "\"a\""), ("Date", "Sun, 06 Nov 1994 08:49:35 GMT"))
        let answer = Case.response(304, ("ETag", "W/\"a\""))
        #expect(Case.update(by: answer, to: asking, older, newer, older).summary == "refresh confirmed [1]")
    }

    @Test func `with a Last-Modified confirms what has the same`() {
        let date = "Sun, 06 Nov 1994 08:00:00 GMT"
        let asking = Case.request(.get, ("If-Modified-Since", date))
        let strong = Case.response(304, ("Last-Modified", date), ("Date", Case.date))
        let weak = Case.response(304, ("Last-Modified", date), ("Date", date))
        for answer in [strong, weak] {
            #expect(
                Case.update(by: answer, to: asking, Case.stored(("Last-Modified", date))).summary
                    == "refresh confirmed [0]")
            let other = Case.stored(("Last-Modified", "Sun, 06 Nov 1994 08:00:01 GMT"))
            #expect(Case.update(by: answer, to: asking, other).summary == "none unrelated")
        }
    }

    @Test func `without a validator confirms the only one there is, if that has none either`() {
        let bare = Case.stored(("X", "1"))
        let asking = Case.request(.get, ("If-Modified-Since", Case.date))
        #expect(Case.update(by: Case.response(304), to: asking, bare).summary == "refresh confirmed [0]")
        #expect(Case.update(by: Case.response(304), to: asking, bare, bare).summary == "none unrelated")
        let tagged = Case.stored(("ETag", "\"a\""))
        #expect(Case.update(by: Case.response(304), to: asking, tagged).summary == "none unrelated")
    }

    @Test func `without a validator confirms the only one that the request named`() {
        let tagged = Case.stored(("ETag", "\"a\""))
        #expect(Case.update(by: Case.response(304), to: asking, tagged).summary == "refresh confirmed [0]")
        let both = Case.request(.get, ("If-None-Match", "\"a\", \"b\""))
        let other = Case.stored(("ETag", "\"b\""))
        #expect(Case.update(by: Case.response(304), to: both, tagged, other).summary == "repeat unconfirmed")
    }

    @Test func `for a tag of the host's own is the host's`() {
        let request = Case.request(.get, ("If-None-Match", "\"host\", \"a\""))
        let answer = Case.response(304, ("ETag", "\"host\""))
        #expect(Case.update(by: answer, to: request, Case.stored(("ETag", "\"a\""))).summary == "none unrelated")
    }

    @Test func `says nothing of what other request fields select`() {
        let stored = Case.stored(("ETag", "\"a\""), ("Vary", "Foo"), selecting: [.init(name: "foo", value: "1")])
        let answer = Case.response(304, ("ETag", "\"a\""))
        #expect(Case.update(by: answer, to: asking, stored).summary == "repeat unconfirmed")
    }

    @Test func `brings new fields, and leaves those about the body`() throws {
        let stored = Case.stored(
            ("ETag", "\"a\""), ("Date", Case.date), ("Age", "100"), ("Content-Length", "5"), ("X", "1"), ("X", "2"),
            ("Y", "1"), ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"), isInvalidated: true)
        let answer = Case.response(
            304, ("ETag", "\"a\""), ("X", "3"), ("Content-Length", "9"), ("Content-Encoding", "br"),
            ("Content-Range", "bytes 0-1/2"), ("Content-Type", "text/html"), ("Set-Cookie", "s"), ("Connection", "z"),
            ("Z", "1"))
        let new = try #require(Case.update(by: answer, to: asking, stored).responses.first)
        #expect(new.fields[values: HTTPField.Name("X")!] == ["3"])
        #expect(new.fields[HTTPField.Name("Y")!] == "1")
        #expect(new.fields[.contentLength] == "5")
        #expect(new.fields[.contentEncoding] == "gzip")
        #expect(new.fields[.contentType] == "text/html")
        #expect(new.fields[.date] == "Sun, 06 Nov 1994 08:49:47 GMT")
        for name in ["age", "content-range", "set-cookie", "connection", "z"] { #expect(!new.fields.has(name)) }
        #expect(new.requestedAt == Case.then + 9_000)
        #expect(new.receivedAt == Case.then + 10_000)
        #expect(!new.isInvalidated)
    }

    @Test func `with another Vary selects by that`() throws {
        let request = Case.request(.get, ("If-None-Match", "\"a\""), ("Foo", "1"))
        let answer = Case.response(304, ("ETag", "\"a\""), ("Vary", "Foo"))
        let new = Case.update(by: answer, to: request, Case.stored(("ETag", "\"a\"")))
        #expect(new.responses.first?.selecting == [.init(name: "foo", value: "1")])
    }

    @Test func `that lets nothing select the response again still confirms it this once`() throws {
        let answer = Case.response(304, ("ETag", "\"a\""), ("Vary", "*"), ("Cache-Control", "max-age=60"))
        let new = Case.update(by: answer, to: asking, Case.stored(("ETag", "\"a\"")))
        #expect(new.summary == "refresh confirmed [0]")
        let stored = try #require(new.responses.first)
        #expect(Case.reuse(Case.request(), stored, after: 11).summary == "forward vary-mismatch")
    }

    @Test func `with fields beyond any measure brings none of them`() throws {
        var answer = Case.response(304, ("ETag", "\"a\""))
        for number in 0...StoredFields.limit {
            answer.headerFields.append(HTTPField(name: .init("x-\(number)")!, value: ""))
        }
        let new = try #require(Case.update(by: answer, to: asking, Case.stored(("ETag", "\"a\""))).responses.first)
        #expect(new.fields.count <= 2)
        #expect(new.isInvalidated)
    }

    @Test func `makes a response that must not be stored be validated each time`() throws {
        let answer = Case.response(304, ("ETag", "\"a\""), ("Cache-Control", "no-store, max-age=60"))
        let new = try #require(Case.update(by: answer, to: asking, Case.stored(("ETag", "\"a\""))).responses.first)
        #expect(Case.reuse(Case.request(), new, after: 11).summary == "validate needs-validation 0")
    }
}

// Proves that partial responses are combined, renewed or refused as RFC 9111 §3.3 and §3.4 say.

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `Partial content` {
    private typealias Case = PolicyCase

    private func part(_ range: Range<Int64>, of total: Int64?, tag: String = "\"a\"") -> StoredResponse {
        Case.stored(
            ("ETag", tag), ("Content-Length", "\(range.count)"), ("X", "1"), status: 206,
            coverage: .part(range, total: total))
    }

    private func answer(_ range: String, tag: String = "\"a\"") -> HTTPResponse {
        Case.response(206, ("ETag", tag), ("Content-Range", range), ("X", "2"))
    }

    @Test func `that continues a part becomes one with it`() throws {
        let update = Case.update(by: answer("bytes 5-7/10"), part(0..<5, of: 10))
        #expect(update.summary == "combine combined [0]")
        let new = try #require(update.responses.first)
        #expect(new.coverage == .part(0..<8, total: 10))
        #expect(new.status == .partialContent)
        #expect(new.fields[.contentRange] == "bytes 0-7/10")
        #expect(new.fields[.contentLength] == "8")
        #expect(new.fields[HTTPField.Name("X")!] == "2")
    }

    @Test func `that completes a part makes a whole 200 of it`() throws {
        let new = try #require(Case.update(by: answer("bytes 5-9/10"), part(0..<5, of: nil)).responses.first)
        #expect(new.coverage == .whole)
        #expect(new.status == .ok)
        #expect(!new.fields.has("content-range"))
        #expect(new.fields[.contentLength] == "10")
    }

    @Test func `of something else is not joined`() {
        #expect(Case.update(by: answer("bytes 5-9/10", tag: "\"b\""), part(0..<5, of: 10)).summary == "none unrelated")
        #expect(
            Case.update(by: answer("bytes 5-9/10", tag: "W/\"a\""), part(0..<5, of: 10, tag: "W/\"a\"")).summary
                == "none unrelated")
        #expect(Case.update(by: answer("bytes 5-9/11"), part(0..<5, of: 10)).summary == "none unrelated")
        #expect(Case.update(by: answer("bytes 6-9/10"), part(0..<5, of: 10)).summary == "none unrelated")
        #expect(Case.update(by: answer("x"), part(0..<5, of: 10)).summary == "none bad-range")
    }

    @Test func `of what is stored renews its fields`() throws {
        let whole = Case.stored(("ETag", "\"a\""), ("Content-Length", "10"), ("X", "1"))
        let update = Case.update(by: answer("bytes 5-9/10"), whole)
        #expect(update.summary == "refresh same-part [0]")
        #expect(update.responses.first?.coverage == .whole)
        #expect(update.responses.first?.fields[.contentLength] == "10")
        #expect(Case.update(by: answer("bytes 1-3/10"), part(0..<5, of: 10)).summary == "refresh same-part [0]")
    }

    @Test func `that the cache did not request is fetched again`() throws {
        let stored = part(0..<5, of: 10)
        let request = try #require(Case.reuse(Case.request(), stored).request)
        #expect(
            Case.update(by: answer("bytes 5-9/10", tag: "\"b\""), to: request, stored).summary == "repeat unconfirmed")
    }

    @Test func `is completed by requesting the rest`() throws {
        let decision = Case.reuse(Case.request(), part(0..<5, of: 10))
        #expect(decision.summary == "forward completing")
        #expect(decision.request?.headerFields[.range] == "bytes=5-")
        #expect(decision.request?.headerFields[.ifRange] == "\"a\"")
    }

    @Test func `that nothing proves to be the same is fetched again`() {
        let decision = Case.reuse(Case.request(), part(0..<5, of: 10, tag: "W/\"a\""))
        #expect(decision.summary == "forward partial")
        #expect(decision.request?.headerFields.has("range") == false)
        #expect(Case.reuse(Case.request(), part(2..<5, of: 10)).summary == "forward partial")
    }
}

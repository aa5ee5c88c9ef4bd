// Proves which conditions a validating request sends (RFC 9111 §4.3.1).

import HTTPTypes
import LarderFormat
import Testing

@testable import LarderHTTP

@Suite struct `A request that validates` {
    private typealias Case = PolicyCase
    private let changed = "Sun, 06 Nov 1994 08:00:00 GMT"

    private func sent(_ request: HTTPRequest, _ candidates: StoredResponse..., terms: RequestTerms = RequestTerms())
        -> HTTPFields
    {
        let decision = Case.policy.reuse(
            request, url: Case.url, among: candidates, terms: terms, at: Case.then + 86_400_000)
        return decision.request?.headerFields ?? HTTPFields()
    }

    /// §2.1.23.
    @Test func `validates by tag and by date, each as it came`() {
        let fields = sent(Case.request(.get, ("X", "1")), Case.stored(("ETag", "W/\"a\""), ("Last-Modified", changed)))
        #expect(fields[.ifNoneMatch] == "W/\"a\"")
        #expect(fields[.ifModifiedSince] == changed)
        #expect(fields[HTTPField.Name("X")!] == "1")
        #expect(!fields.has("cache-control"))
        #expect(sent(Case.request(), Case.stored(("ETag", "bare")))[.ifNoneMatch] == "bare")
    }

    @Test func `validates by nothing that is no validator`() {
        let fields = sent(
            Case.request(), Case.stored(("ETag", ""), ("Last-Modified", "yesterday"), ("Date", Case.date)))
        #expect(fields.isEmpty)
    }

    @Test func `sends all tags it would accept`() {
        let fields = sent(
            Case.request(), Case.stored(("ETag", "\"a\""), ("Last-Modified", changed)), Case.stored(("ETag", "\"b\"")),
            Case.stored(("ETag", "\"a\"")),
            Case.stored(("ETag", "\"c\""), ("Vary", "Foo"), selecting: [.init(name: "foo", value: "1")]))
        #expect(fields[.ifNoneMatch] == "\"a\", \"b\"")
        #expect(!fields.has("if-modified-since"))
    }

    @Test func `sends tags of parts only for ranges within them`() {
        let part = Case.stored(("ETag", "\"p\""), status: 206, coverage: .part(0..<5, total: 10))
        let whole = Case.stored(("ETag", "\"w\""), ("Date", Case.date))
        #expect(sent(Case.request(), part, whole)[.ifNoneMatch] == "\"w\"")
        #expect(sent(Case.request(.get, ("Range", "bytes=0-1")), part)[.ifNoneMatch] == "\"p\"")
    }

    @Test func `keeps the host's own conditions`() {
        let stored = Case.stored(("ETag", "\"a\""), ("Last-Modified", changed))
        #expect(sent(Case.request(.get, ("If-None-Match", "\"h\"")), stored)[.ifNoneMatch] == "\"h\", \"a\"")
        #expect(sent(Case.request(.get, ("If-None-Match", "\"a\"")), stored)[.ifNoneMatch] == "\"a\"")
        #expect(sent(Case.request(.get, ("If-None-Match", "*")), stored)[.ifNoneMatch] == "*")
        let since = sent(Case.request(.get, ("If-Modified-Since", Case.date)), stored)
        #expect(since[.ifModifiedSince] == Case.date)
        #expect(!since.has("if-none-match"))
    }

    @Test func `goes past other caches when the host forces it`() {
        let stored = Case.stored(("Cache-Control", "max-age=99999"), ("ETag", "\"a\""))
        let terms = RequestTerms(forcesValidation: true)
        #expect(sent(Case.request(), stored, terms: terms)[.cacheControl] == "max-age=0")
        #expect(sent(Case.request(.get, ("Cache-Control", "x")), stored, terms: terms)[.cacheControl] == "x")
    }

    /// §2.1.23.
    @Test func `never has spellings that no standard knows`() {
        let since = sent(Case.request(.get, ("If-Since-Modified", changed)), Case.stored(("X", "1")))
        #expect(since[.ifModifiedSince] == changed)
        #expect(!since.has("if-since-modified"))
        let both = sent(Case.request(.get, ("If-Since-Modified", changed), ("If-Modified-Since", Case.date)))
        #expect(both[values: .ifModifiedSince] == [Case.date])
        let none = sent(Case.request(.get, ("Cache-Control", "None, x=\"a, b\"")))
        #expect(none[.cacheControl] == "no-store, x=\"a, b\"")
        let plain = CachePolicy(understandsSourceSpellings: false)
        let request = Case.request(.get, ("If-Since-Modified", changed), ("Cache-Control", "none"))
        #expect(plain.reuse(request, url: Case.url, among: [], at: 0).request == request)
    }
}

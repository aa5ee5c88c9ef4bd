// Proves when a stored response is reused, validated or not used (RFC 9111 §4, RFC 5861).

import HTTPTypes
import LarderFormat
import Testing

@testable import LarderHTTP

@Suite struct `Using what is stored` {
    private typealias Case = PolicyCase
    private let stored = PolicyCase.stored(("Cache-Control", "max-age=60"))

    private func reuse(_ value: String, _ stored: StoredResponse, after seconds: Int64 = 0) -> String {
        Case.reuse(Case.request(.get, ("Cache-Control", value)), stored, after: seconds).summary
    }

    @Test func `is right while it is fresh`() {
        #expect(Case.reuse(Case.request(), stored).summary == "reuse fresh 0")
        #expect(Case.reuse(Case.request(.head), stored).summary == "reuse fresh 0")
        #expect(Case.reuse(Case.request(), stored, after: 60).summary == "validate stale 0")
        #expect(Case.reuse().summary == "forward miss")
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .options, .patch])
    func `is not for other methods`(method: HTTPRequest.Method) {
        #expect(Case.reuse(Case.request(method), stored).summary == "forward method")
    }

    @Test func `waits for validation where the response demands it`() {
        #expect(
            Case.reuse(Case.request(), Case.stored(("Cache-Control", "max-age=60, no-cache"))).summary
                == "validate needs-validation 0")
        let invalidated = Case.stored(("Cache-Control", "max-age=60"), isInvalidated: true)
        #expect(Case.reuse(Case.request(), invalidated).summary == "validate needs-validation 0")
        #expect(reuse("max-stale", invalidated) == "validate needs-validation 0")
    }

    @Test func `obeys no-cache and no-store of the request`() {
        #expect(reuse("no-cache", stored) == "validate request-no-cache 0")
        #expect(reuse("no-store", stored) == "forward request-no-store")
        #expect(Case.reuse(Case.request(.get, ("Pragma", "no-cache")), stored).summary == "validate request-no-cache 0")
        #expect(Case.reuse(Case.request(.get, ("Pragma", "x")), stored).summary == "reuse fresh 0")
        let both = Case.request(.get, ("Pragma", "no-cache"), ("Cache-Control", "max-age=60"))
        #expect(Case.reuse(both, stored).summary == "reuse fresh 0")
    }

    @Test func `obeys max-age of the request`() {
        #expect(reuse("max-age=0", stored, after: 1) == "validate request-max-age 0")
        #expect(reuse("max-age=10", stored, after: 10) == "reuse fresh 0")
        #expect(reuse("max-age=10", stored, after: 11) == "validate request-max-age 0")
        #expect(
            reuse("max-age=600", Case.stored(("Cache-Control", "max-age=3600"), ("Age", "1800")))
                == "validate request-max-age 0")
    }

    @Test func `obeys min-fresh`() {
        #expect(reuse("min-fresh=50", stored, after: 10) == "reuse fresh 0")
        #expect(reuse("min-fresh=51", stored, after: 10) == "validate min-fresh 0")
        #expect(reuse("min-fresh=x", stored) == "validate min-fresh 0")
    }

    @Test func `reads max-stale as permission to be stale`() {
        #expect(reuse("max-stale", stored, after: 9000) == "reuse max-stale 0")
        #expect(reuse("max-stale=40", stored, after: 100) == "reuse max-stale 0")
        #expect(reuse("max-stale=40", stored, after: 101) == "validate stale 0")
        #expect(
            reuse("max-stale", Case.stored(("Cache-Control", "max-age=1, must-revalidate")), after: 2)
                == "validate must-revalidate 0")
        #expect(
            reuse("max-stale", Case.stored(("Cache-Control", "max-age=1, no-cache")), after: 2)
                == "validate needs-validation 0")
        #expect(reuse("max-stale, max-age=10", stored, after: 100) == "validate request-max-age 0")
    }

    @Test func `or nothing is what only-if-cached requests`() {
        #expect(Case.reuse(Case.request(.get, ("Cache-Control", "only-if-cached"))).summary == "unsatisfiable miss")
        #expect(reuse("only-if-cached", stored) == "reuse fresh 0")
        #expect(reuse("only-if-cached", stored, after: 60) == "unsatisfiable stale")
        #expect(reuse("only-if-cached, max-stale", stored, after: 60) == "reuse max-stale 0")
        let terms = RequestTerms(softLifetime: .seconds(1))
        let request = Case.request(.get, ("Cache-Control", "only-if-cached"))
        #expect(Case.reuse(request, stored, terms: terms, after: 5).summary == "reuse soft-expired 0")
        #expect(reuse("only-if-cached, no-store", stored) == "unsatisfiable request-no-store")
        let conditional = Case.request(.get, ("Cache-Control", "only-if-cached"), ("If-Match", "\"a\""))
        #expect(Case.reuse(conditional, stored).summary == "unsatisfiable condition")
    }

    @Test func `and then validating it is right when its soft lifetime is over`() {
        let terms = RequestTerms(softLifetime: .seconds(10))
        #expect(Case.reuse(Case.request(), stored, terms: terms, after: 9).summary == "reuse fresh 0")
        #expect(
            Case.reuse(Case.request(), stored, terms: terms, after: 10).summary == "reuseThenValidate soft-expired 0")
        #expect(Case.reuse(Case.request(), stored, terms: terms, after: 60).summary == "validate stale 0")
    }

    @Test func `and then validating it is right as stale-while-revalidate lets it`() {
        let lenient = Case.stored(("Cache-Control", "max-age=600, stale-while-revalidate=30"))
        #expect(Case.reuse(Case.request(), lenient, after: 629).summary == "reuseThenValidate stale-while-revalidate 0")
        #expect(Case.reuse(Case.request(), lenient, after: 630).summary == "validate stale 0")
        let strict = Case.stored(("Cache-Control", "max-age=600, stale-while-revalidate=30, must-revalidate"))
        #expect(Case.reuse(Case.request(), strict, after: 610).summary == "validate must-revalidate 0")
    }

    @Test func `waits for validation when the host forces it, but not while it is immutable`() {
        let terms = RequestTerms(forcesValidation: true)
        #expect(Case.reuse(Case.request(), stored, terms: terms).summary == "validate forced 0")
        let immutable = Case.stored(("Cache-Control", "max-age=60, immutable"))
        #expect(Case.reuse(Case.request(), immutable, terms: terms).summary == "reuse fresh 0")
        #expect(Case.reuse(Case.request(), immutable, terms: terms, after: 60).summary == "validate forced 0")
        #expect(reuse("no-cache", immutable) == "validate request-no-cache 0")
    }

    /// RFC 8246 §2. A browser sends a forced validation as `max-age=0`.
    @Test func `is right for a forced validation spelled max-age=0 while it is immutable`() {
        let terms = RequestTerms(forcesValidation: true)
        let reload = Case.request(.get, ("Cache-Control", "max-age=0"))
        let immutable = Case.stored(("Cache-Control", "max-age=60, immutable"))
        #expect(Case.reuse(reload, immutable, terms: terms, after: 9).summary == "reuse fresh 0")
        #expect(Case.reuse(reload, immutable, terms: terms, after: 60).summary == "validate forced 0")
        #expect(Case.reuse(reload, immutable, after: 9).summary == "validate request-max-age 0")
        let limited = Case.request(.get, ("Cache-Control", "max-age=5"))
        #expect(Case.reuse(limited, immutable, terms: terms, after: 9).summary == "validate request-max-age 0")
    }

    @Test func `is the host's to time`() {
        let terms = RequestTerms(hardLifetime: .seconds(600))
        #expect(Case.reuse(Case.request(), stored, terms: terms, after: 599).summary == "reuse fresh 0")
        let noCache = Case.stored(("Cache-Control", "no-cache"))
        #expect(Case.reuse(Case.request(), noCache, terms: terms).summary == "validate needs-validation 0")
    }

    @Test(arguments: ["If-Match", "If-Unmodified-Since"])
    func `is not for conditions of the server's`(name: String) {
        let decision = Case.reuse(Case.request(.get, (name, "\"a\"")), stored)
        #expect(decision.summary == "forward condition")
        #expect(decision.request == Case.request(.get, (name, "\"a\"")))
    }

    @Test(arguments: [
        ("bytes=4-9", true), ("bytes=6-8", true), ("bytes=-6", true), ("bytes=6-", true), ("bytes=9-99", true),
        ("bytes=3-8", false), ("bytes=-7", false), ("bytes=0-", false), ("bytes=0-1,3-4", false),
    ])
    func `that is a part is right for ranges within it`(range: String, isWithin: Bool) {
        let part = Case.stored(("Cache-Control", "max-age=60"), status: 206, coverage: .part(4..<10, total: 10))
        let decision = Case.reuse(Case.request(.get, ("Range", range)), part)
        #expect(decision.summary.hasPrefix(isWithin ? "reuse fresh" : "forward"), "\(decision.summary)")
    }

    @Test func `that is a part of unknown length is not right for its end`() {
        let part = Case.stored(("Cache-Control", "max-age=60"), status: 206, coverage: .part(4..<10, total: nil))
        #expect(Case.reuse(Case.request(.get, ("Range", "bytes=5-9")), part).summary == "reuse fresh 0")
        #expect(Case.reuse(Case.request(.get, ("Range", "bytes=5-")), part).summary == "forward partial")
        #expect(Case.reuse(Case.request(.head), part).summary == "forward partial")
    }

    @Test func `that is a part heeds If-Range`() {
        let part = Case.stored(
            ("Cache-Control", "max-age=60"), ("ETag", "\"a\""), status: 206, coverage: .part(4..<10, total: 10))
        #expect(
            Case.reuse(Case.request(.get, ("Range", "bytes=5-6"), ("If-Range", "\"a\"")), part).summary
                == "reuse fresh 0")
        #expect(
            Case.reuse(Case.request(.get, ("Range", "bytes=5-6"), ("If-Range", "\"b\"")), part).summary
                == "forward partial")
    }

    @Test func `is selected by its own Vary, whatever those beside it vary by`() {
        func varying(_ name: String, _ value: String) -> StoredResponse {
            Case.stored(
                ("Cache-Control", "max-age=60"), ("Vary", name),
                selecting: [SelectingField(name: name.lowercased(), value: value)])
        }
        let stored = [varying("Accept", "a"), varying("Accept", "b"), varying("Accept-Language", "c")]
        for (accept, language, wanted) in [("a", "x", 0), ("b", "x", 1), ("x", "c", 2)] {
            let request = Case.request(.get, ("Accept", accept), ("Accept-Language", language))
            #expect(Case.reuse(request, stored[0], stored[1], stored[2]).summary == "reuse fresh \(wanted)")
        }
        let other = Case.request(.get, ("Accept", "x"), ("Accept-Language", "x"))
        #expect(Case.reuse(other, stored[0], stored[1], stored[2]).summary == "forward vary-mismatch")
    }

    @Test func `keeps no facts of fields that it no longer has`() {
        var response = stored
        #expect(Case.reuse(Case.request(), response, after: 30).summary == "reuse fresh 0")
        response.fields = Case.fields([("Cache-Control", "max-age=10")])
        #expect(Case.reuse(Case.request(), response, after: 30).summary == "validate stale 0")
        response.fields[.cacheControl] = "max-age=60"
        #expect(Case.reuse(Case.request(), response, after: 30).summary == "reuse fresh 0")
        #expect(Case.reuse(Case.request(), stored, after: 30).summary == "reuse fresh 0")
    }

    @Test func `is parsed once, however often memory finds it`() async throws {
        let cache = MemoryResponseCache()
        _ = try await cache.write(stored, for: Case.url, options: StorageOptions()).finish(coverage: nil)
        let found = try #require(try await cache.entries(for: Case.url).first)
        let again = try #require(try await cache.entries(for: Case.url).first)
        #expect(found.response.facts === again.response.facts)
    }

    @Test func `gives every reason a word and a sentence`() {
        guard case .reuse(_, let freshness, let reason) = Case.reuse(Case.request(), stored, after: 7) else {
            return #expect(Bool(false))
        }
        #expect(reason.description == "What is stored is fresh. (RFC 9111 §4.2)")
        #expect(freshness.age == 7000)
    }
}

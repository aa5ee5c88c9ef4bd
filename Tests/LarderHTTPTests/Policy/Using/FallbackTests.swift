// Proves when a stale response may be used as fallback for an error or an unreachable server.

import HTTPTypes
import LarderFormat
import Testing

@testable import LarderHTTP

@Suite struct `A fallback for an answer` {
    private typealias Case = PolicyCase

    private func word(
        _ stored: StoredResponse, for request: HTTPRequest = PolicyCase.request(), status: Int? = nil,
        terms: RequestTerms = RequestTerms(), after seconds: Int64 = 100
    ) -> String {
        let decision = Case.policy.fallback(
            to: stored, for: request, status: status.map { .init(code: $0) }, terms: terms,
            at: Case.then + seconds * 1000)
        return switch decision {
        case .serve(let reason): "serve \(reason.word)"
        case .refuse(let reason): "refuse \(reason.word)"
        }
    }

    @Test func `is right for what is stale when nobody answers`() {
        #expect(word(Case.stored(("Cache-Control", "max-age=1"))) == "serve disconnected")
        #expect(word(Case.stored()) == "serve disconnected")
        #expect(word(Case.stored(("Cache-Control", "max-age=600"))) == "serve fresh")
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func `is wrong for what forbids it, unless the host opts in`(directive: String) {
        let stored = Case.stored(("Cache-Control", "max-age=1, \(directive)"))
        #expect(word(stored).hasPrefix("refuse"))
        #expect(word(stored, terms: RequestTerms(ignoresMustRevalidate: true)) == "serve disconnected")
    }

    @Test func `is right whatever a shared cache would do`() {
        #expect(word(Case.stored(("Cache-Control", "max-age=1, proxy-revalidate, s-maxage=2"))) == "serve disconnected")
    }

    @Test(arguments: [500, 502, 503, 504])
    func `for an error follows stale-if-error`(status: Int) {
        #expect(word(Case.stored(("Cache-Control", "max-age=1")), status: status) == "refuse server-error")
        let lenient = Case.stored(("Cache-Control", "max-age=1, stale-if-error=99"))
        #expect(word(lenient, status: status) == "serve stale-if-error")
        #expect(word(lenient, status: status, after: 101) == "refuse too-stale")
        #expect(word(Case.stored(("Cache-Control", "max-age=600")), status: status) == "serve fresh")
    }

    @Test(arguments: [400, 401, 404, 410, 501, 505])
    func `is wrong for an answer that is one`(status: Int) {
        let lenient = Case.stored(("Cache-Control", "max-age=1, stale-if-error=999"))
        #expect(word(lenient, status: status) == "refuse server-error")
    }

    @Test func `heeds the limit when nobody answers either`() {
        #expect(word(Case.stored(("Cache-Control", "max-age=1, stale-if-error=9"))) == "refuse too-stale")
    }

    @Test func `heeds the request's limit, the shorter one of two`() {
        let request = Case.request(.get, ("Cache-Control", "stale-if-error=99"))
        #expect(word(Case.stored(("Cache-Control", "max-age=1")), for: request, status: 500) == "serve stale-if-error")
        #expect(word(Case.stored(("Cache-Control", "max-age=0")), for: request, status: 500) == "refuse too-stale")
        #expect(
            word(Case.stored(("Cache-Control", "max-age=1, stale-if-error=9")), for: request, status: 500)
                == "refuse too-stale")
    }

    @Test func `is wrong for a request for validation`() {
        let stored = Case.stored(("Cache-Control", "max-age=600"))
        #expect(word(stored, for: Case.request(.get, ("Cache-Control", "no-cache"))) == "refuse request-no-cache")
        #expect(word(stored, for: Case.request(.get, ("Pragma", "no-cache"))) == "refuse request-no-cache")
        #expect(word(stored, for: Case.request(.get, ("Cache-Control", "no-store"))) == "refuse request-no-store")
        #expect(word(stored, terms: RequestTerms(forcesValidation: true)) == "refuse forced")
        #expect(word(stored, for: Case.request(.post)) == "refuse method")
    }

    @Test func `is wrong with what was not requested`() {
        let variant = Case.stored(("Vary", "Foo"), selecting: [.init(name: "foo", value: "1")])
        #expect(word(variant) == "refuse vary-mismatch")
        #expect(word(Case.stored(status: 206, coverage: .part(0..<5, total: 10))) == "refuse partial")
    }
}

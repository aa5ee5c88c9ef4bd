// Proves that successful unsafe requests invalidate their target and same-origin locations (RFC 9111 §4.4).

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `An unsafe request` {
    private typealias Case = PolicyCase

    private func found(_ method: String, _ answer: HTTPResponse) -> [String] {
        Case.policy.invalidations(by: answer, to: Case.request(.init(method)!), url: Case.url + "#z")
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "get"])
    func `invalidates its target when it succeeds`(method: String) {
        #expect(found(method, Case.response(204)) == [Case.url])
        #expect(found(method, Case.response(303)) == [Case.url])
    }

    @Test(arguments: [400, 404, 412, 500, 503])
    func `that fails invalidates nothing`(status: Int) {
        #expect(found("POST", Case.response(status, ("Location", "/x"))) == [])
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"])
    func `is not one that changes nothing`(method: String) {
        #expect(found(method, Case.response(200, ("Location", "/x"))) == [])
    }

    @Test func `invalidates where it points to, on the same origin`() {
        let answer = Case.response(201, ("Location", "new?x"), ("Content-Location", "https://EXAMPLE.test:443/q"))
        #expect(found("POST", answer) == [Case.url, "https://example.test/a/new?x", "https://example.test/q"])
        let elsewhere = Case.response(
            201, ("Location", "https://other.test/x"), ("Content-Location", "//example.test:8/"))
        #expect(found("POST", elsewhere) == [Case.url])
        #expect(found("POST", Case.response(201, ("Location", "a b"), ("Content-Location", "#z"))) == [Case.url])
    }
}

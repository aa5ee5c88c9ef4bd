// Proves that the response to a HEAD renews or invalidates stored responses as RFC 9111 §4.3.5 says.

import HTTPTypes
import Testing

@testable import LarderHTTP

@Suite struct `The answer to a HEAD` {
    private typealias Case = PolicyCase

    private func summary(_ answer: HTTPResponse, _ stored: StoredResponse...) -> String {
        Case.policy.update(stored, by: answer, to: Case.request(.head), requestedAt: 0, receivedAt: 0).summary
    }

    @Test func `renews what it agrees with`() throws {
        let stored = Case.stored(("ETag", "\"a\""), ("Content-Length", "5"), ("X", "1"))
        let answer = Case.response(
            200, ("ETag", "\"a\""), ("Content-Length", "5"), ("X", "2"), ("Cache-Control", "max-age=1000"))
        let update = Case.update(by: answer, to: Case.request(.head), stored)
        #expect(update.summary == "refresh head [0]")
        #expect(update.responses.first?.fields[HTTPField.Name("X")!] == "2")
        #expect(summary(Case.response(200, ("X", "2")), Case.stored(("Content-Length", "5"))) == "refresh head [0]")
    }

    @Test(arguments: [("ETag", "\"b\""), ("Last-Modified", PolicyCase.date), ("Content-Length", "6")])
    func `makes stale what it contradicts`(name: String, value: String) {
        let stored = Case.stored(("ETag", "\"a\""), ("Content-Length", "5"))
        #expect(summary(Case.response(200, (name, value)), stored) == "stale head-differs [0]")
    }

    @Test func `does nothing when it is not a 200`() {
        #expect(summary(Case.response(410), Case.stored(("X", "1"))) == "none unrelated")
        #expect(summary(Case.response(200)) == "none unrelated")
    }

    @Test func `does not bring a missing page back`() {
        #expect(summary(Case.response(200), Case.stored(status: 404)) == "stale head-differs [0]")
    }

    @Test(arguments: [
        [("Content-Type", "application/json")], [("ETag", "\"a\"")],
        [("ETag", "\"a\""), ("Content-Type", "text/html")],
        [("ETag", "\"a\""), ("Content-Type", "application/json"), ("Content-Type", "text/html")],
    ])
    func `renews nothing of another type, or whose validator it does not name`(fields: [(String, String)]) {
        let stored = Case.stored(("Content-Type", "application/json"), ("ETag", "\"a\""))
        var answer = Case.response(200)
        for (name, value) in fields { answer.headerFields.append(HTTPField(name: .init(name)!, value: value)) }
        #expect(summary(answer, stored) == "stale head-differs [0]")
    }
}

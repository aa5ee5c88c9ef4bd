// Proves the outcome table of docs/internals/outbox.md, line by line.

import LarderOutbox
import LarderTransport
import Testing

/// docs/internals/outbox.md, "Outcomes", line by line.
@Suite struct `The outcome table` {
    private func verdict(_ status: Int, _ method: String = "POST", tries: Int = 1) -> Verdict {
        OutcomeTable.standard.verdict(for: ResponseFacts(status: status, method: method, tries: tries))
    }

    @Test(arguments: [200, 201, 202, 204, 226, 299])
    func `2xx is accepted`(_ status: Int) {
        #expect(verdict(status) == .accepted)
    }

    @Test(arguments: [404, 410])
    func `what is gone is deleted`(_ status: Int) {
        #expect(verdict(status, "DELETE") == .accepted)
        for method in ["POST", "PUT", "PATCH"] { #expect(verdict(status, method) == .rejected) }
    }

    @Test(arguments: [100, 199, 408, 425, 429, 500, 501, 502, 503, 504, 507, 599, 600, 999, 1000])
    func `a failing server is retried`(_ status: Int) {
        #expect(verdict(status) == .retry(after: nil))
        let facts = ResponseFacts(status: status, method: "PUT", tries: 1, retryAfter: .seconds(7))
        #expect(OutcomeTable.standard.verdict(for: facts) == .retry(after: .seconds(7)))
    }

    @Test func `401 pauses`() { #expect(verdict(401) == .pause) }

    @Test(arguments: [300, 301, 302, 303, 304, 307, 308, 407, 421, 426, 511])
    func `a redirect, a proxy, another server and a network that requires a sign-in are waited out`(_ status: Int) {
        #expect(verdict(status) == .wait(after: nil))
    }

    @Test func `what is not the API's is neither success nor a refusal, whatever a host overrides`() {
        let table = OutcomeTable.replaysAsConflict.on(403, .rejected).on(201, .accepted).on(302, .accepted)
        func verdict(_ status: Int, _ method: String = "POST") -> Verdict {
            table.verdict(for: ResponseFacts(status: status, method: method, tries: 2, isForeign: true))
        }
        for status in [200, 201, 204, 302, 407, 421, 426, 511] {
            #expect(verdict(status) == .wait(after: nil), "\(status)")
        }
        for status in [100, 400, 403, 404, 409, 413, 422, 429, 500, 503, 600] {
            #expect(verdict(status) == .retry(after: nil), "\(status)")
        }
        #expect(verdict(404, "DELETE") == .retry(after: nil))
        #expect(verdict(401) == .pause)
        #expect(table.verdict(for: ResponseFacts(status: 302, method: "POST", tries: 1)) == .accepted)
    }

    @Test
    func `what broke off is neither success nor a refusal, whatever a host overrides, and waits as its head says`() {
        func verdict(_ status: Int, _ method: String = "PUT", isReplay: Bool = false) -> Verdict {
            OutcomeTable.replaysAsConflict.on(418, .rejected).on(423, .pause).verdict(
                for: ResponseFacts(
                    status: status, method: method, tries: 2, isReplay: isReplay, retryAfter: .seconds(7),
                    isWhole: false))
        }
        for status in [200, 400, 403, 404, 410, 412, 418, 422] {
            #expect(verdict(status) == .retry(after: nil), "\(status)")
        }
        #expect(verdict(404, "DELETE") == .retry(after: nil))
        #expect(verdict(409, isReplay: true) == .retry(after: nil))
        for status in [409, 429, 503] { #expect(verdict(status) == .retry(after: .seconds(7)), "\(status)") }
        #expect(verdict(401) == .pause && verdict(423) == .pause)
        #expect(verdict(302) == .wait(after: .seconds(7)))
    }

    @Test(arguments: [400, 402, 403, 405, 406, 412, 413, 415, 422, 423, 451])
    func `[§4.5] whatever else is answered is refused`(_ status: Int) {
        #expect(verdict(status) == .rejected)
    }

    @Test func `[§4.3.3] a conflict is treated as a replay only when the server says so`() {
        let plain = ResponseFacts(status: 409, method: "POST", tries: 2)
        var marked = plain
        marked.isReplay = true
        #expect(OutcomeTable.standard.verdict(for: plain) == .conflict)
        #expect(OutcomeTable.standard.verdict(for: marked) == .accepted)
        #expect(OutcomeTable.replaysAsConflict.verdict(for: plain) == .accepted)
    }

    @Test func `[§4.5] for the server that answers cached replies with 409, the first try is no replay`() {
        let first = ResponseFacts(status: 409, method: "POST", tries: 1)
        #expect(OutcomeTable.replaysAsConflict.verdict(for: first) == .conflict)
    }

    @Test func `409 of a request that is still being performed is retried`() {
        var facts = ResponseFacts(status: 409, method: "POST", tries: 2, isInProgress: true)
        #expect(OutcomeTable.standard.verdict(for: facts) == .retry(after: nil))
        facts.isInProgress = false
        facts.retryAfter = .seconds(2)
        #expect(OutcomeTable.standard.verdict(for: facts) == .retry(after: .seconds(2)))
        #expect(OutcomeTable.replaysAsConflict.verdict(for: facts) == .retry(after: .seconds(2)))
    }

    @Test func `a host overrides single lines and keeps the others`() {
        let table = OutcomeTable.standard.on(423, .retry).on(409, .accepted).on(404, .rejected)
        #expect(table.verdict(for: ResponseFacts(status: 423, method: "PUT", tries: 1)) == .retry(after: nil))
        #expect(table.verdict(for: ResponseFacts(status: 409, method: "PUT", tries: 1)) == .accepted)
        #expect(table.verdict(for: ResponseFacts(status: 404, method: "DELETE", tries: 1)) == .rejected)
        #expect(table.verdict(for: ResponseFacts(status: 200, method: "PUT", tries: 1)) == .accepted)
    }
}

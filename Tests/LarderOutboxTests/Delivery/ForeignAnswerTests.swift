// Proves that an answer which is not the API's neither accepts nor rejects a write, a batch or a point.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An answer that is not the API's` {
    struct Page: Sendable, CustomTestStringConvertible {
        var status: Int
        var type: String?
        var body = ""

        var testDescription: String { "\(status) \(type ?? "-") \(body.prefix(24)) \(body.utf8.count)" }

        var response: TransportResponse {
            var fields = HTTPFields()
            fields[.contentType] = type
            return TransportResponse(status: .init(code: status), headers: fields, body: Array(body.utf8))
        }
    }

    /// A page that is longer than the answers that are kept.
    private static let longPage = "<!DOCTYPE html><html>" + String(repeating: "x", count: 1 << 20)

    private func overTLS(_ configuration: inout OutboxConfiguration) {
        let base = BaseURL("https://api.example.test/api")
        configuration.base = base
    }

    @Test(arguments: [
        Page(status: 200, type: "text/html; charset=utf-8", body: "<html>sign in</html>"),
        Page(status: 200, type: "TEXT/HTML"), Page(status: 201, type: "application/xhtml+xml", body: "<html/>"),
        Page(status: 200, body: "\u{FEFF}\n <!DOCTYPE HTML><p>hello"), Page(status: 302), Page(status: 303),
        Page(status: 200, body: longPage), Page(status: 200, type: "text/plain", body: "<a href=\"/login\">"),
        Page(status: 511, type: "application/json", body: "{}"),
    ])
    func `is waited out over TLS: nothing is accepted or rejected, and no attempt is spent`(_ page: Page) async throws {
        let world = try OutboxWorld { _ in page.response }
        let outbox = try world.outbox(configuration: overTLS)
        let id = try await outbox.enqueue(makeNoteWrite(1)).id
        try await world.running(outbox) {
            let status = try await world.wait(outbox) { $0.waiting == 1 }
            #expect(status.pauses == [.intercepted])
            let delivery = try #require(try world.entries().first).delivery
            #expect(delivery.attempts == 0 && !delivery.isInDoubt)
            world.answer { _ in TransportResponse(status: .ok) }
            try await outbox.retry(id)
            #expect(try await outbox.outcome(of: id) == .accepted)
        }
    }

    @Test(arguments: [
        Page(status: 400, type: "text/html"), Page(status: 403, type: "text/html", body: "<h1>No</h1>"),
        Page(status: 404, type: "text/html"), Page(status: 409, type: "text/html"),
        Page(status: 413, type: "text/html"),
        Page(status: 422, type: "text/html"), Page(status: 403, body: longPage),
    ])
    func `rolls nothing back under a status of refusal: the write ends as failed, and comes back`(_ page: Page)
        async throws
    {
        let world = try OutboxWorld { _ in page.response }
        let outbox = try world.outbox(policy: { $0.mostAttempts = 1 }, configuration: overTLS)
        let id = try await outbox.enqueue(makeNoteWrite(1)).id
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.failed == 1 }
            #expect(try world.entries().first?.delivery.dueAt != nil)
            world.answer { _ in TransportResponse(status: .ok) }
            try await outbox.retry(id)
            #expect(try await outbox.outcome(of: id) == .accepted)
        }
    }

    @Test func `does not say that something was there to delete`() async throws {
        let world = try OutboxWorld { _ in Page(status: 404, type: "text/html", body: "<h1>No</h1>").response }
        let outbox = try world.outbox(configuration: overTLS)
        _ = try await outbox.enqueue(OutboxWrite("note.delete", .delete, "/notes/1"))
        try await world.running(outbox) {
            let status = try await world.wait(outbox) { $0.waiting == 1 }
            #expect(status.pauses == [.intercepted])
        }
    }

    @Test(arguments: [
        Page(status: 200), Page(status: 204), Page(status: 204, type: "text/html"), Page(status: 200, body: "{}"),
        Page(status: 200, type: "text/plain", body: "done"), Page(status: 201, type: "application/json", body: "{}"),
        Page(status: 200, body: "{" + longPage),
    ])
    func `is no answer without a page`(_ page: Page) async throws {
        let world = try OutboxWorld { _ in page.response }
        let outbox = try world.outbox(configuration: overTLS)
        let id = try await outbox.enqueue(makeNoteWrite(1)).id
        try await world.running(outbox) {
            let outcome = try await outbox.outcome(of: id)
            #expect(outcome == .accepted)
        }
    }

    @Test func `is what the host says it is`() async throws {
        let world = try OutboxWorld { _ in Page(status: 200, type: "application/json", body: "{\"portal\":1}").response
        }
        let mark = try #require(HTTPField.Name("X-Api"))
        let outbox = try world.outbox(configuration: { configuration in
            configuration.isServerResponse = { head, _ in head.headerFields[mark] == "4" }
        })
        let id = try await outbox.enqueue(makeNoteWrite(1)).id
        try await world.running(outbox) {
            try await world.wait(outbox) { $0.waiting == 1 }
            world.answer { _ in TransportResponse(status: .ok, headers: [mark: "4"]) }
            try await outbox.retry(id)
            #expect(try await outbox.outcome(of: id) == .accepted)
        }
    }

    @Test(arguments: [Page(status: 200, type: "text/html", body: "<html>"), Page(status: 200, body: longPage)])
    func `leaves a batch as it is, to be sent again whole`(_ page: Page) async throws {
        let world = try OutboxWorld { _ in page.response }
        let outbox = try world.outbox(policy: { $0.batch = BatchPolicy() }, configuration: overTLS)
        for number in 1...3 { _ = try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)")) }
        try await world.running(outbox) { try await world.wait(outbox) { $0.waiting == 3 } }
        let deliveries = try world.entries().map(\.delivery)
        #expect(deliveries.allSatisfy { $0.batch != nil && $0.attempts == 0 && !$0.isInDoubt })
    }

    @Test(arguments: [
        Page(status: 200, type: "text/html", body: "<html>"), Page(status: 200, body: longPage),
        Page(status: 200, body: String(repeating: "\r\n", count: 1 << 19) + longPage),
        Page(status: 403, type: "text/html", body: "<h1>No</h1>"), Page(status: 422, body: longPage),
        Page(status: 503, type: "text/html"),
    ])
    func `is no success of a write that may not wait, and no refusal`(_ page: Page) async throws {
        let world = try OutboxWorld { _ in page.response }
        let outbox = try world.outbox(configuration: overTLS)
        let error = await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(1)) }
        guard case .offline = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

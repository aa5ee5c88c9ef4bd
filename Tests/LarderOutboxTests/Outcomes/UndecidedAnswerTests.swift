// Proves that a response that does not clearly decide about a write neither accepts nor rejects it.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `An answer that decides nothing` {
    /// An answer whose body ends before all of it came.
    struct CutAnswer: Sendable, CustomTestStringConvertible {
        var status: Int
        var type: String?
        var text = ""
        var error = TransportError.connectionLost(reason: "cut")

        var testDescription: String { "\(status) \(type ?? "-") '\(text)' \(error)" }

        var response: TransportResponse {
            var fields = HTTPFields()
            fields[.contentType] = type
            let (chunks, error) = (Countdown(1), error)
            let bytes = Array(text.utf8)
            let body = TransportBody(next: { () throws(TransportError) in
                guard chunks.decrement(), !bytes.isEmpty else { throw error }
                return bytes
            })
            return TransportResponse(head: HTTPResponse(status: .init(code: status), headerFields: fields), body: body)
        }
    }

    /// A write whose only attempt is answered by `response` fails, is shown still, and is accepted later.
    private func expectRetried(
        _ method: HTTPRequest.Method = .put, _ response: @escaping @Sendable () -> TransportResponse
    ) async throws -> OutboxDelivery {
        let world = try OutboxWorld { _ in response() }
        try await world.putVisit(#"{"status":"open"}"#)
        let outbox = try world.outbox(policy: { $0.mostAttempts = 1 })
        let text = #"{"status":"done"}"#
        let id = try await outbox.enqueue(saveVisit(text, method: method)).id
        var failed = OutboxDelivery()
        try await world.running(outbox) {
            let outcome = Task { try await outbox.outcome(of: id) }
            try await world.waitUntil {
                try world.entries().first?.delivery.state != .sending && !world.requests.isEmpty
            }
            failed = try #require(try world.entries().first).delivery
            #expect(try world.visitShown() == (method == .delete ? nil : text))
            try #require(failed.state == .failed)
            world.answer { _ in TransportResponse(status: .ok) }
            try await outbox.retry(id)
            #expect(try await outcome.value == .accepted)
        }
        return failed
    }

    @Test(arguments: [100, 199, 600, 700, 999])
    func `has a status that HTTP does not know: it is a fault of the server's, which may have the write`(
        status: Int
    ) async throws {
        let failed = try await expectRetried { TransportResponse(status: .init(code: status)) }
        #expect(failed.dueAt != nil && failed.isInDoubt)
    }

    @Test(arguments: [
        CutAnswer(status: 403), CutAnswer(status: 403, type: "text/plain"), CutAnswer(status: 403, text: "\r\n \r\n"),
        CutAnswer(status: 403, error: .encodedBody), CutAnswer(status: 403, error: .timeout(.idle)),
        CutAnswer(status: 404, type: "application/json", text: "{"), CutAnswer(status: 409), CutAnswer(status: 410),
        CutAnswer(status: 412, type: "application/json"), CutAnswer(status: 422, type: "application/json", text: "{"),
    ])
    func `is a refusal whose body did not come whole`(answer: CutAnswer) async throws {
        let failed = try await expectRetried { answer.response }
        #expect(failed.dueAt != nil && failed.isInDoubt == (answer.status == 409))
    }

    @Test(arguments: [404, 410]) func `is a cut word that nothing is there to delete`(status: Int) async throws {
        _ = try await expectRetried(.delete) { CutAnswer(status: status).response }
    }

    @Test(arguments: [407, 421, 426], [nil, "text/html"])
    func `is about the connection and not the write`(status: Int, type: String?) async throws {
        var fields: HTTPFields = [.retryAfter: "3600"]
        fields[.contentType] = type
        let answer = TransportResponse(status: .init(code: status), headers: fields)
        let world = try OutboxWorld { _ in answer }
        let outbox = try world.outbox(policy: { $0.mostAttempts = 1 })
        let id = try await outbox.enqueue(makeNoteWrite(1)).id
        try await world.running(outbox) {
            try await world.waitUntil {
                try world.entries().first?.delivery.state != .sending && !world.requests.isEmpty
            }
            let delivery = try #require(try world.entries().first).delivery
            try #require(delivery.state == .waiting)
            #expect(delivery.attempts == 0 && !delivery.isInDoubt)
            #expect(delivery.dueAt.map { $0 <= world.clock.wallMilliseconds + 1000 } == true)
            try await world.wait(outbox) { $0.pauses == [.intercepted] }
            world.answer { _ in TransportResponse(status: .ok) }
            try await outbox.retry(id)
            #expect(try await outbox.outcome(of: id) == .accepted)
        }
    }

    @Test func `is no refusal of a write that may not wait, when it did not come whole`() async throws {
        let world = try OutboxWorld { _ in CutAnswer(status: 403).response }
        let outbox = try world.outbox()
        let error = await #expect(throws: OutboxError.self) { try await outbox.send(makeNoteWrite(1)) }
        guard case .transport(.connectionLost) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `leaves a batch as it is, when it did not come whole`() async throws {
        let world = try OutboxWorld { _ in CutAnswer(status: 404).response }
        let outbox = try world.outbox { $0.batch = BatchPolicy() }
        for number in 1...3 { _ = try await outbox.enqueue(makeNoteWrite(number, entity: "\(number)")) }
        try await world.running(outbox) { try await world.wait(outbox) { $0.waiting == 3 } }
        #expect(world.requests.map(\.path) == ["/api/sync/batch"])
        #expect(try world.entries().allSatisfy { $0.delivery.batch != nil })
    }
}

// Proves that a conflict is resolved only by the server's own state: any other response to the lookup loses no write.
import HTTPTypes
import LarderFormat
import LarderOutbox
import LarderStore
import LarderTesting
import LarderTransport
import Synchronization
import Testing

/// An answer to the GET of a conflict.
struct HeldAnswer: Sendable, CustomTestStringConvertible {
    let status: Int
    let type: String?
    let text: String
    /// Whether its body was to be longer.
    let isCut: Bool

    init(_ status: Int, _ text: String, type: String? = "application/json", isCut: Bool = false) {
        (self.status, self.type, self.text, self.isCut) = (status, type, text, isCut)
    }

    var testDescription: String { "\(status) \(type ?? "without a type") '\(text)'\(isCut ? ", cut" : "")" }

    var response: TransportResponse {
        var fields = HTTPFields()
        fields[.contentType] = type
        let whole = TransportResponse(status: .init(code: status), headers: fields, body: Array(text.utf8))
        guard isCut else { return whole }
        let chunks = whole.body.makeAsyncIterator()
        let body = TransportBody(next: { () throws(TransportError) in
            guard let chunk = try await chunks.next() else { throw .connectionLost(reason: "cut") }
            return chunk
        })
        return TransportResponse(head: whole.head, body: body)
    }
}

private let policies = [ConflictPolicy.serverWins, .threeWayMerge(), .lastWriteWins]

@Suite(.timeLimit(.minutes(5))) struct `What the server holds in a conflict` {
    private static let write = #"{"status":"done","notes":"","revision":1}"#

    /// Makes a write in conflict; the server responds to its lookup with `answer` until it is sound again.
    private func expectUnresolved(_ answer: HeldAnswer, against policy: ConflictPolicy) async throws {
        let server = VisitServer()
        let isSound = Mutex(false)
        let world = try OutboxWorld { request in
            request.method == "GET" && !isSound.withLock { $0 } ? answer.response : server.answer(request)
        }
        try await world.putVisit(#"{"status":"open","notes":"","revision":1}"#)
        let outbox = try world.outbox(
            policy: { $0.outcomes = .conditional },
            configuration: { $0.conflicts = ConflictResolver(policy) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(Self.write))
            let outcome = Task { try await outbox.outcome(of: queued.id) }
            try await world.waitUntil {
                try !world.conflicts().isEmpty || world.entries().first?.delivery.lastError != nil
            }
            #expect(try world.conflicts().isEmpty)
            #expect(try world.visitShown() == Self.write)
            let held = try world.entries().first?.delivery
            #expect(held?.state == .conflicted)
            #expect(held?.lastError?.contains("\(answer.status)") == true)
            isSound.withLock { $0 = true }
            guard held?.state == .conflicted else { return }
            await world.clock.sleepers(atLeast: 1)
            world.clock.advance(by: .seconds(60))
            let isMerged = policy.name == "three-way-merge"
            #expect(try await outcome.value == (isMerged ? .accepted : .removed("resolved")))
            #expect(try world.conflicts().count == 1)
            #expect(server.text?.contains(#""status":"done""#) == isMerged)
            #expect(try world.visitShown() == server.text)
        }
    }

    @Test(
        arguments: [
            HeldAnswer(202, #"{"status":"x"}"#), HeldAnswer(204, "", type: nil), HeldAnswer(205, "", type: nil),
            HeldAnswer(206, #"{"status":"x"}"#), HeldAnswer(206, #"{"st"#), HeldAnswer(207, #"{"status":"x"}"#),
            HeldAnswer(302, "{}"), HeldAnswer(304, "", type: nil), HeldAnswer(403, "{}"), HeldAnswer(405, "{}"),
            HeldAnswer(503, "{}"),
        ], policies)
    func `is not in an answer of another status than 200 and 203`(
        answer: HeldAnswer, policy: ConflictPolicy
    ) async throws {
        try await expectUnresolved(answer, against: policy)
    }

    @Test(
        arguments: [
            HeldAnswer(200, ""), HeldAnswer(200, "", type: nil), HeldAnswer(200, #"{"n":"#), HeldAnswer(200, "[]"),
            HeldAnswer(200, #""login""#), HeldAnswer(200, "null"), HeldAnswer(200, "<!DOCTYPE html><html></html>"),
            HeldAnswer(203, "[]"), HeldAnswer(200, "login", type: "text/plain"),
            HeldAnswer(200, "<html></html>", type: "text/html"),
            HeldAnswer(200, #"{"n":1"#, type: "application/hal+json"),
        ], policies)
    func `is not in a body that is no JSON object`(answer: HeldAnswer, policy: ConflictPolicy) async throws {
        try await expectUnresolved(answer, against: policy)
    }

    @Test(
        arguments: [
            HeldAnswer(404, "{", isCut: true), HeldAnswer(404, "", type: nil, isCut: true),
            HeldAnswer(410, "", type: nil, isCut: true),
        ], policies)
    func `is not nothing where the answer that says so breaks off`(
        answer: HeldAnswer, policy: ConflictPolicy
    ) async throws {
        try await expectUnresolved(answer, against: policy)
    }

    @Test(arguments: [HeldAnswer(200, #"{"status":"x"}"#), HeldAnswer(203, #"{"status":"x"}"#, type: nil)])
    func `is the object that it answers with`(answer: HeldAnswer) async throws {
        let world = try OutboxWorld { request in
            request.method == "GET" ? answer.response : TransportResponse(status: .conflict)
        }
        try await world.putVisit(#"{"status":"open"}"#)
        let outbox = try world.outbox(configuration: { $0.conflicts = ConflictResolver(.serverWins) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(Self.write))
            #expect(try await outbox.outcome(of: queued.id) == .removed("resolved"))
            #expect(try world.visitShown() == answer.text)
        }
    }

    @Test(arguments: [404, 410]) func `is nothing where it answers that nothing is there`(status: Int) async throws {
        let world = try OutboxWorld { request in
            request.method == "GET" ? HeldAnswer(status, "{}").response : TransportResponse(status: .conflict)
        }
        try await world.putVisit(#"{"status":"open"}"#)
        let outbox = try world.outbox(configuration: { $0.conflicts = ConflictResolver(.serverWins) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(Self.write))
            #expect(try await outbox.outcome(of: queued.id) == .removed("resolved"))
            #expect(try world.visitShown() == nil)
        }
    }

    @Test func `is reported as unknown to the host, which may discard the write`() async throws {
        let world = try OutboxWorld { request in
            request.method == "GET" ? HeldAnswer(200, "[]").response : TransportResponse(status: .conflict)
        }
        let outbox = try world.outbox(configuration: { $0.conflicts = ConflictResolver(.host) })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(Self.write))
            try await world.wait(outbox) { $0.conflicted == 1 }
            let error = await #expect(throws: OutboxError.self) { try await outbox.conflict(of: queued.id) }
            guard case .remoteUnknown(queued.id, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try await outbox.drop(queued.id)
            #expect(try world.entries().isEmpty)
        }
    }

    @Test func `may be of another format, which the content type names or the host knows`() async throws {
        func isEntity(_ answer: HeldAnswer) -> Bool {
            ConflictResolver.isEntity(answer.response.head, Array(answer.text.utf8))
        }
        #expect(isEntity(HeldAnswer(200, "a,b", type: "text/csv")))
        #expect(!isEntity(HeldAnswer(200, "", type: "text/csv")))
        #expect(!isEntity(HeldAnswer(200, "a,b", type: "text/csv, application/json")))
        let world = try OutboxWorld { request in
            request.method == "GET" ? HeldAnswer(200, "[1]").response : TransportResponse(status: .conflict)
        }
        try await world.putVisit("[]")
        var resolver = ConflictResolver(.serverWins)
        resolver.isState = { _, body in body.first == UInt8(ascii: "[") }
        let finalResolver = resolver
        let outbox = try world.outbox(configuration: { $0.conflicts = finalResolver })
        try await world.running(outbox) {
            let queued = try await outbox.enqueue(saveVisit(Self.write))
            #expect(try await outbox.outcome(of: queued.id) == .removed("resolved"))
            #expect(try world.visitShown() == "[1]")
        }
    }
}

// Proves that a batch executes each operation once under its own id, in order.

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Testing

/// A server with a batch endpoint and the same writes one by one.
private struct BatchServer {
    let executions = Counter()

    func router(_ store: TestStore, begun: Latch? = nil, go: Latch? = nil) -> Router<BasicRequestContext> {
        let router = Router()
        let executor = IdempotencyExecutor(store, now: { sampleTime })
        let write = { @Sendable [executions] (request: IdempotentRequest, transaction: TestTransaction) in
            executions.increment()
            let name = "\(request.method) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
            try transaction.set([], forKey: Array(name.utf8), in: "writes")
            return switch request.path {
            case "/app/refused": IdempotentResponse(.unprocessableContent, body: Array("no".utf8))
            case "/app/busy": IdempotentResponse(.serviceUnavailable, fields: [.retryAfter: "7"])
            case "/app/broken": throw CancellationError()
            case "/app/forbidden": throw HTTPError(.forbidden)
            default: Self.created(request, executions.value)
            }
        }
        router.idempotentBatch(
            through: executor, basePath: "/app", account: { request, _ in account(of: request) },
            effect: { request, _ in { transaction in try write(request, transaction) } })
        router.idempotent(.post, "/app/visits", through: executor, account: { request, _ in account(of: request) }) {
            request, _, transaction in try write(request, transaction)
        }
        router.idempotent(
            .post, "/app/slow", through: executor, account: { _, _ in "" },
            effect: { _, _ in
                begun?.open()
                await go?.wait()
                return { _ in IdempotentResponse(.created) }
            })
        return router
    }

    /// An answer that names the kind of write, and a sequence.
    private static func created(_ request: IdempotentRequest, _ sequence: Int) -> IdempotentResponse {
        var answer = IdempotentResponse(.created, json: #"{"type":"\#(request.type ?? "")"}"#)
        answer.fields[.syncSequence] = String(sequence)
        return answer
    }

    static func operation(_ id: String, _ resource: String, method: String = "POST", payload: String = "{}") -> String {
        #"{"id":"\#(id)","type":"T","resource":"\#(resource)","method":"\#(method)","payload":\#(payload)}"#
    }

    static func batch(_ operations: String...) -> String { #"{"operations":[\#(operations.joined(separator: ","))]}"# }
}

extension Answer {
    /// The outcomes, each as `id status body`.
    fileprivate var outcomes: [String] {
        get throws {
            let outcomes = try #require(try object["outcomes"] as? [[String: Any]])
            return outcomes.map { outcome in
                var words = ["\(outcome["id"] ?? "?")", "\(outcome["status"] ?? "?")"]
                if let body = outcome["body"] as? [String: Any] { words.append("{\(body["type"] ?? "")}") }
                if let text = outcome["body"] as? String { words.append(text) }
                if let sequence = outcome["sequence"] { words.append("#\(sequence)") }
                if outcome["replayed"] as? Bool == true { words.append("again") }
                if let seconds = outcome["retry_after"] { words.append("in \(seconds) s") }
                return words.joined(separator: " ")
            }
        }
    }
}

@Suite struct `A batch of writes` {
    private let server = BatchServer()

    @Test(arguments: KeyBackend.allCases)
    func `executes each under its own id, in order, and again answers the same`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let batch = BatchServer.batch(
            BatchServer.operation("a", "/visits"), BatchServer.operation("b", "/refused"),
            BatchServer.operation("c", "/busy"), BatchServer.operation("d", "/broken"),
            BatchServer.operation("e", "/forbidden"),
            BatchServer.operation("f", "notes/1", method: "DELETE", payload: "null"))
        let answers = try await server.router(store).serve { base in
            [
                try await send("POST", base + "/sync/batch", body: batch),
                try await send("POST", base + "/sync/batch", body: batch),
            ]
        }
        #expect(answers.map(\.status) == [200, 200])
        #expect(
            try answers[0].outcomes == [
                "a 201 {T} #1", "b 422 no", "c 503 in 7 s", "d 500", "e 403", "f 201 {T} #6",
            ])
        #expect(
            try answers[1].outcomes == [
                "a 201 {T} #1 again", "b 422 no again", "c 503 in 7 s", "d 500", "e 403", "f 201 {T} #6 again",
            ])
        #expect(try await store.writes() == ["DELETE /app/notes/1 ", "POST /app/refused {}", "POST /app/visits {}"])
        #expect(server.executions.value == 9)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `knows a write that came by itself, and the other way round`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let payload = #"{ "n" : 1.0 }"#
        let json = ["Content-Type": "application/json"]
        try await server.router(store).serve { base in
            let alone = try await send(
                "POST", base + "/app/visits", fields: json.merging(["X-Idempotency-Key": "a"]) { $1 },
                body: "\n \(payload)\t")
            #expect(alone.status == 201)
            let batch = BatchServer.batch(
                BatchServer.operation("a", "/visits", payload: payload),
                BatchServer.operation("b", "/visits", payload: payload))
            let both = try await send("POST", base + "/sync/batch", fields: json, body: batch)
            #expect(try both.outcomes == ["a 201 {} #1 again", "b 201 {T} #2"])
            let again = try await send(
                "POST", base + "/app/visits", fields: json.merging(["X-Idempotency-Key": "b"]) { $1 }, body: payload)
            #expect(again.fields["idempotency-replayed"] == "true")
            let other = try await send("POST", base + "/app/visits", fields: ["X-Idempotency-Key": "b"], body: "{}")
            #expect(other.status == 422)
        }
        #expect(server.executions.value == 2)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `is sent again as a whole while one of it is being executed`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let (begun, go) = (Latch(), Latch())
        try await server.router(store, begun: begun, go: go).serve { base in
            async let slow = send("POST", base + "/app/slow", fields: ["X-Idempotency-Key": "b"], body: "{}")
            await begun.wait()
            let batch = BatchServer.batch(
                BatchServer.operation("a", "/visits"), BatchServer.operation("b", "/slow"),
                BatchServer.operation("c", "/visits"))
            let early = try await send("POST", base + "/sync/batch", body: batch)
            #expect(early.status == 409)
            #expect(early.fields["retry-after"] == "1")
            go.open()
            #expect(try await slow.status == 201)
            let late = try await send("POST", base + "/sync/batch", body: batch)
            #expect(try late.outcomes == ["a 201 {T} #1 again", "b 201 again", "c 201 {T} #2"])
        }
        try store.close()
    }

    @Test(
        arguments: KeyBackend.allCases,
        [
            "", "[]", "{}", #"{"operations":{}}"#, #"{"operations":[1]}"#, #"{"operations":[{}]}"#,
            #"{"operations":[{"id":"a","resource":"/visits","method":"GET"}]}"#,
            #"{"operations":[{"id":"a b","resource":"/visits","method":"POST"}]}"#,
            #"{"operations":[{"id":"a","method":"POST"}]}"#,
            BatchServer.batch(BatchServer.operation("a", "/visits"), BatchServer.operation("a", "/visits")),
        ])
    func `is refused before anything is executed when it is no batch`(backend: KeyBackend, body: String) async throws {
        let store = try await KeyPlace(backend).open()
        let answer = try await server.router(store).serve { base in
            try await send("POST", base + "/sync/batch", body: body)
        }
        #expect(answer.status == 422)
        #expect(try answer.object["type"] as? String == "urn:larder:idempotency:batch-malformed")
        #expect(server.executions.value == 0)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `of no writes is answered with no outcomes`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let answer = try await server.router(store).serve { base in
            try await send("POST", base + "/sync/batch", body: #"{"operations":[]}"#)
        }
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"outcomes":[]}"#)
        try store.close()
    }
}
#endif

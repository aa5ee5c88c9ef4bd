// Proves that a write with an idempotency key is executed once and answered the same again.

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Testing

/// A server with one route that adds a row named by the body, and counts how often it did.
private struct Visits {
    let clock = TestClock()
    let executions = Counter()

    /// A router whose handler answers with `answer`, given how often it has run.
    func router(
        _ store: TestStore, policy: IdempotencyPolicy = IdempotencyPolicy(),
        method: HTTPRequest.Method = .post,
        answer: @escaping @Sendable (Int) throws -> IdempotentResponse = {
            IdempotentResponse(.created, json: #"{"run":\#($0)}"#)
        }
    ) -> Router<BasicRequestContext> {
        let router = Router()
        let executor = IdempotencyExecutor(store, policy: policy, now: { [clock] in clock.now })
        router.idempotent(method, "/visits", through: executor, account: { request, _ in account(of: request) }) {
            [executions] request, _, transaction in
            let run = executions.increment()
            try transaction.set([1], forKey: Array("\(run)".utf8) + request.body, in: "writes")
            return try answer(run)
        }
        return router
    }
}

@Suite struct `A write with a key` {
    private let visits = Visits()

    @Test(arguments: KeyBackend.allCases, [HTTPRequest.Method.post, .put, .patch, .delete])
    func `is executed once and answered the same again`(backend: KeyBackend, method: HTTPRequest.Method) async throws {
        let store = try await KeyPlace(backend).open()
        let router = visits.router(store, method: method) { run in
            var answer = IdempotentResponse(.created, json: #"{"run":\#(run)}"#)
            answer.fields[.location] = "/visits/\(run)"
            answer.fields[.cacheControl] = "no-store"
            return answer
        }
        let answers = try await router.serve { base in
            let first = try await send(method.rawValue, base + "/visits", fields: ["X-Idempotency-Key": "a"], body: "x")
            let second = try await send(
                method.rawValue, base + "/visits", fields: ["X-Idempotency-Key": "a"], body: "x")
            return [first, second]
        }
        #expect(answers.map(\.status) == [201, 201])
        #expect(answers[0].fields["idempotency-replayed"] == nil)
        #expect(answers[1].fields["idempotency-replayed"] == "true")
        #expect(answers[1].body == answers[0].body)
        #expect(answers[1].fields["location"] == "/visits/1")
        #expect(answers[1].fields["content-type"] == answers[0].fields["content-type"])
        #expect(answers[1].fields["cache-control"] == nil, "only the chosen fields are remembered")
        #expect(try await store.writes() == ["1x"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `is remembered by a server that was started anew`(backend: KeyBackend) async throws {
        let place = try await KeyPlace(backend)
        for run in 1...3 {
            let store = try await place.open()
            let answer = try await visits.router(store).serve { base in
                try await send("POST", base + "/visits", fields: ["X-Idempotency-Key": "a"], body: "x")
            }
            #expect(answer.status == 201)
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"run":1}"#)
            #expect(answer.fields["idempotency-replayed"] == (run == 1 ? nil : "true"))
            #expect(try await store.writes() == ["1x"])
            try store.close()
        }
    }

    @Test(arguments: KeyBackend.allCases)
    func `is refused when the key was used for another one`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let answers = try await visits.router(store).serve { base in
            let fields = ["X-Idempotency-Key": "a"]
            return [
                try await send("POST", base + "/visits", fields: fields, body: "x"),
                try await send("POST", base + "/visits", fields: fields, body: "y"),
                try await send("POST", base + "/visits?late=1", fields: fields, body: "x"),
            ]
        }
        #expect(answers.map(\.status) == [201, 422, 422])
        for answer in answers.dropFirst() {
            #expect(answer.fields["content-type"] == "application/problem+json")
            #expect(try answer.object["type"] as? String == "urn:larder:idempotency:key-reused")
        }
        #expect(try await store.writes() == ["1x"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `belongs to its account`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let answers = try await visits.router(store).serve { base in
            [
                try await send(
                    "POST", base + "/visits", fields: ["X-Idempotency-Key": "a", "X-Account": "1"], body: "x"),
                try await send(
                    "POST", base + "/visits", fields: ["X-Idempotency-Key": "a", "X-Account": "2"], body: "y"),
            ]
        }
        #expect(answers.map(\.status) == [201, 201])
        #expect(try await store.writes() == ["1x", "2y"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases, [200, 204, 303, 400, 403, 404, 409, 410, 412, 422])
    func `is not executed again after a final answer`(backend: KeyBackend, status: Int) async throws {
        let store = try await KeyPlace(backend).open()
        let router = visits.router(store) { _ in IdempotentResponse(.init(code: status)) }
        let answers = try await router.serve { base in
            let fields = ["X-Idempotency-Key": "a"]
            return [
                try await send("POST", base + "/visits", fields: fields, body: "x"),
                try await send("POST", base + "/visits", fields: fields, body: "x"),
            ]
        }
        #expect(answers.map(\.status) == [status, status])
        // A marked 409 would state to the client that its write was executed.
        #expect(answers[1].fields["idempotency-replayed"] == (status == 409 ? nil : "true"))
        #expect(visits.executions.value == 1)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases, [401, 408, 425, 429, 500, 502, 503])
    func `is undone and executed again after an answer that requests a retry`(backend: KeyBackend, status: Int)
        async throws
    {
        let store = try await KeyPlace(backend).open()
        let router = visits.router(store) { run in IdempotentResponse(.init(code: run == 1 ? status : 201)) }
        let answers = try await router.serve { base in
            let fields = ["X-Idempotency-Key": "a"]
            return [
                try await send("POST", base + "/visits", fields: fields, body: "x"),
                try await send("POST", base + "/visits", fields: fields, body: "x"),
                try await send("POST", base + "/visits", fields: fields, body: "x"),
            ]
        }
        #expect(answers.map(\.status) == [status, 201, 201])
        #expect(answers.map { $0.fields["idempotency-replayed"] } == [nil, nil, "true"])
        #expect(try await store.writes() == ["2x"], "what the first try did is gone")
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `is undone and executed again when its handler throws, whatever it throws`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let router = visits.router(store) { run in
            if run == 1 { throw HTTPError(.unprocessableContent) }
            if run == 2 { throw CancellationError() }
            return IdempotentResponse(.created)
        }
        let answers = try await router.serve { base in
            let fields = ["X-Idempotency-Key": "a"]
            return [
                try await send("POST", base + "/visits", fields: fields, body: "x"),
                try await send("POST", base + "/visits", fields: fields, body: "x"),
                try await send("POST", base + "/visits", fields: fields, body: "x"),
            ]
        }
        #expect(answers.map(\.status) == [422, 500, 201])
        #expect(try await store.writes() == ["3x"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `is executed again when its answer has expired, and not a millisecond before`(backend: KeyBackend) async throws
    {
        let store = try await KeyPlace(backend).open()
        let policy = IdempotencyPolicy()
        #expect(policy.lifetime == .seconds(86_400))
        let runs = try await visits.router(store, policy: policy).serve { [clock = visits.clock] base in
            var runs: [String] = []
            for wait: Int64 in [0, 86_399_999, 1] {
                clock.advance(milliseconds: wait)
                let answer = try await send("POST", base + "/visits", fields: ["X-Idempotency-Key": "a"], body: "x")
                runs.append(String(decoding: answer.body, as: UTF8.self))
            }
            return runs
        }
        #expect(runs == [#"{"run":1}"#, #"{"run":1}"#, #"{"run":2}"#])
        try store.close()
    }
}
#endif

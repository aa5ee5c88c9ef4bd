// Proves that concurrent writes with one key are executed exactly once.

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Testing

@Suite struct `Writes that race` {
    private let executions = Counter()

    /// Both a first try and all that came too early: every one of the 32 asks until it has an answer.
    @Test(arguments: KeyBackend.allCases)
    func `with one key are executed exactly once, 32 at a time`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let router = Router()
        let executor = IdempotencyExecutor(store, now: { sampleTime })
        router.idempotent(.post, "/visits", through: executor, account: { _, _ in "" }) {
            [executions] request, _, transaction in
            let run = executions.increment()
            try transaction.set([1], forKey: Array("\(run)".utf8), in: "writes")
            return IdempotentResponse(.created, json: #"{"run":\#(run)}"#)
        }
        let answers = try await router.serve { base in
            try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<32 {
                    group.addTask { try await Self.sendUntilAccepted("POST", base + "/visits", body: "x") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(answers.count == 32)
        #expect(answers.allSatisfy { $0.status == 201 })
        #expect(Set(answers.map(\.body)) == [Data(#"{"run":1}"#.utf8)])
        #expect(answers.filter { $0.fields["idempotency-replayed"] == nil }.count == 1)
        #expect(executions.value == 1)
        #expect(try await store.writes() == ["1"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `are answered to retry while the first one runs`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let (begun, go) = (Latch(), Latch())
        let router = Router()
        let executor = IdempotencyExecutor(store, now: { sampleTime })
        router.idempotent(
            .post, "/visits", through: executor, account: { _, _ in "" },
            effect: { [executions] _, _ in
                begun.open()
                await go.wait()
                return { _ in
                    executions.increment()
                    return IdempotentResponse(.created)
                }
            })
        try await router.serve { base in
            let fields = ["X-Idempotency-Key": "a"]
            async let first = send("POST", base + "/visits", fields: fields, body: "x")
            await begun.wait()
            let second = try await send("POST", base + "/visits", fields: fields, body: "x")
            let other = try await send("POST", base + "/visits", fields: fields, body: "y")
            go.open()
            let third = try await (first, send("POST", base + "/visits", fields: fields, body: "x"))
            #expect(second.status == 409)
            #expect(second.fields["retry-after"] == "1")
            #expect(second.fields["idempotency-replayed"] == nil)
            #expect(try second.object["type"] as? String == "urn:larder:idempotency:in-progress")
            #expect(other.status == 422, "another body is refused whether the first one has ended or not")
            #expect(third.0.status == 201)
            #expect(third.1.fields["idempotency-replayed"] == "true")
        }
        #expect(executions.value == 1)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `free the key when the handler gives up before its transaction`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let router = Router()
        let executor = IdempotencyExecutor(store, now: { sampleTime })
        router.idempotent(
            .post, "/visits", through: executor, account: { _, _ in "" },
            effect: { [executions] _, _ in
                if executions.increment() == 1 { throw HTTPError(.unauthorized) }
                return { _ in IdempotentResponse(.created) }
            })
        let statuses = try await router.serve { base in
            var statuses: [Int] = []
            for _ in 0..<2 {
                statuses.append(
                    try await send("POST", base + "/visits", fields: ["X-Idempotency-Key": "a"], body: "x").status)
            }
            return statuses
        }
        #expect(statuses == [401, 201])
        try store.close()
    }

    /// Sends until it is answered otherwise than with "in progress"; at most 200 times.
    @concurrent private static func sendUntilAccepted(_ method: String, _ url: String, body: String) async throws
        -> Answer
    {
        for _ in 0..<200 {
            let answer = try await send(method, url, fields: ["X-Idempotency-Key": "a"], body: body)
            if answer.status != 409 { return answer }
            #expect(answer.fields["retry-after"] != nil)
            try await Task.sleep(for: .milliseconds(5))
        }
        throw CancellationError()
    }
}
#endif

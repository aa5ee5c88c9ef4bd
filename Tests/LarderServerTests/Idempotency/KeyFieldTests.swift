// Proves that the Idempotency-Key field is required, validated and configurable.

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Testing

/// A server that executes whatever it is sent, under the given rules.
private func answers(
    _ policy: IdempotencyPolicy, _ requests: [(fields: [String: String], body: String)]
) async throws -> (answers: [Answer], executions: Int) {
    let folder = IdempotencyFolder()
    let store = try folder.open()
    let executions = Counter()
    let router = Router()
    let executor = IdempotencyExecutor(store, policy: policy, now: { sampleTime })
    router.idempotent(.post, "/visits", through: executor, account: { _, _ in "" }) { _, _, _ in
        executions.increment()
        return IdempotentResponse(.created)
    }
    let answers = try await router.serve { base in
        var answers: [Answer] = []
        for request in requests {
            answers.append(try await send("POST", base + "/visits", fields: request.fields, body: request.body))
        }
        return answers
    }
    try store.close()
    return (answers, executions.value)
}

@Suite struct `The field with the key` {
    @Test func `is required unless the route says otherwise`() async throws {
        let required = try await answers(IdempotencyPolicy(), [([:], "x")])
        #expect(required.answers.map(\.status) == [400])
        #expect(try required.answers[0].object["type"] as? String == "urn:larder:idempotency:key-missing")
        #expect(required.executions == 0)
        let optional = try await answers(IdempotencyPolicy(isRequired: false), [([:], "x"), ([:], "x")])
        #expect(optional.answers.map(\.status) == [201, 201])
        #expect(optional.executions == 2)
    }

    @Test func `can have another name`() async throws {
        let draft = try await answers(
            .draft,
            [(["Idempotency-Key": #""a""#], "x"), (["Idempotency-Key": "a"], "x"), (["X-Idempotency-Key": "a"], "x")])
        #expect(draft.answers.map(\.status) == [201, 201, 400])
        #expect(draft.executions == 1, "a key is the same in quotes and without")
    }

    @Test(arguments: [
        "two words", "a,b", #"a"b"#, #"a\b"#, "\"", "\"\"", "caf\u{E9}", String(repeating: "k", count: 129),
    ])
    func `is refused when it holds no key`(value: String) async throws {
        let (answers, executions) = try await answers(IdempotencyPolicy(), [(["X-Idempotency-Key": value], "x")])
        #expect(answers.map(\.status) == [400])
        #expect(try answers[0].object["type"] as? String == "urn:larder:idempotency:key-malformed")
        #expect(executions == 0)
    }

    @Test func `may hold any 128 visible characters`() {
        let longest = String(repeating: "k", count: 128)
        #expect(IdempotencyKey.text(ofField: longest) == longest)
        #expect(IdempotencyKey.text(ofField: "0f7d3c5e-21aa-4b0e-9c3d-6e6f0a4b1c2d") != nil)
        #expect(IdempotencyKey.text(ofField: "") == nil)
    }

    @Test func `does not help a body that is too long`() async throws {
        let policy = IdempotencyPolicy(longestBody: 8)
        let fields = ["X-Idempotency-Key": "a"]
        let (answers, executions) = try await answers(policy, [(fields, "123456789"), (fields, "12345678")])
        #expect(answers.map(\.status) == [413, 201], "the refused body has left nothing under the key")
        #expect(executions == 1)
    }
}
#endif

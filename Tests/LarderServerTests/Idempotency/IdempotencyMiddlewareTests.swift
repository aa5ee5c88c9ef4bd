// Proves that the idempotency middleware runs handlers in the transaction that stores their response.

#if Server
import Foundation
import HTTPTypes
import Hummingbird
import LarderServer
import Testing

private struct KeyedContext: IdempotentRequestContext {
    var coreContext: CoreRequestContextStorage
    var idempotency: IdempotencyPermit<TestStore>?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}

@Suite struct `The middleware for keys` {
    private let executions = Counter()

    private func router(_ store: TestStore) -> Router<KeyedContext> {
        let router = Router(context: KeyedContext.self)
        router.add(
            middleware: IdempotencyMiddleware<KeyedContext>(
                IdempotencyExecutor(store, now: { sampleTime }), account: { _, _ in "" }))
        router.get("/visits") { _, context in context.idempotency == nil ? "untouched" : "keyed" }
        router.post("/visits") { [executions] request, context -> Response in
            let body = Array(try await request.body.collect(upTo: 100).readableBytesView)
            if executions.increment() == 1 { throw HTTPError(.unauthorized) }
            return try await context.perform { transaction in
                try transaction.set([], forKey: body, in: "writes")
                return IdempotentResponse(.created)
            }
        }
        return router
    }

    @Test(arguments: KeyBackend.allCases)
    func `gives handlers the transaction that their answer is remembered in`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let answers = try await router(store).serve { base in
            var answers: [Answer] = []
            for _ in 0..<3 {
                answers.append(try await send("POST", base + "/visits", fields: ["X-Idempotency-Key": "a"], body: "x"))
            }
            return answers
        }
        #expect(answers.map(\.status) == [401, 201, 201])
        #expect(answers.map { $0.fields["idempotency-replayed"] } == [nil, nil, "true"])
        #expect(executions.value == 2)
        #expect(try await store.writes() == ["x"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `leaves other methods alone`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let answer = try await router(store).serve { base in try await send("GET", base + "/visits") }
        #expect(String(decoding: answer.body, as: UTF8.self) == "untouched")
        try store.close()
    }
}
#endif

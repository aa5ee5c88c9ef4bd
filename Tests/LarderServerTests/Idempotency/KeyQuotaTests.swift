// Proves that no account has more keys than it may have, and that expired keys count no more.

import HTTPTypes
import LarderEngine
import LarderFormat
import Testing

@testable import LarderServer

@Suite struct `The number of keys of an account` {
    private let folder = IdempotencyFolder()
    private let fingerprint = RequestFingerprint(method: "POST", path: "/visits", body: [1])
    private let retention = ResponseRetention(
        milliseconds: 1000, fields: [], longestBody: 64, keysPerAccount: 3)
    private let full = IdempotencyOutcome.full(retryAfter: 60)
    private let created = IdempotencyOutcome.executed(IdempotentResponse(.created))

    private func execute(
        _ text: String, _ account: String, in store: TestStore, at now: Int64
    ) async throws -> IdempotencyOutcome {
        let key = try IdempotencyKey(account: account, text: text)
        let claim = try await store.claim(key, for: fingerprint, at: now, leaseEnd: now + 10)
        guard case .run(let lease) = claim else {
            Issue.record("no lease but \(claim)")
            throw CancellationError()
        }
        return try await store.perform(
            { transaction in
                try transaction.set([], forKey: Array("\(account)/\(text)".utf8), in: "writes")
                return IdempotentResponse(.created)
            }, under: lease, at: now, keeping: retention)
    }

    @Test(arguments: KeyBackend.allCases)
    func `is limited, for each account by itself and over restarts`(backend: KeyBackend) async throws {
        let place = try await KeyPlace(backend)
        let first = try await place.open()
        for text in ["a", "b", "c"] { #expect(try await execute(text, "ada", in: first, at: 0) == created) }
        #expect(try await execute("d", "ada", in: first, at: 1) == full)
        try first.close()
        let store = try await place.open()
        #expect(try await execute("d", "ada", in: store, at: 999) == full)
        #expect(try await execute("d", "adam", in: store, at: 999) == created)
        #expect(try await execute("d", "ad", in: store, at: 999) == created)
        #expect(try await store.writes() == ["ad/d", "ada/a", "ada/b", "ada/c", "adam/d"])
        #expect(try await store.leaseCount() == 0)
        // What was executed is still answered.
        let known = try await store.claim(
            IdempotencyKey(account: "ada", text: "a"), for: fingerprint, at: 999, leaseEnd: 1009)
        #expect(known == .replay(IdempotentResponse(.created)))
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `falls when keys expire, also one that is used again`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        for text in ["a", "b", "c"] { #expect(try await execute(text, "ada", in: store, at: 0) == created) }
        #expect(try await execute("a", "ada", in: store, at: 1000) == created)
        for text in ["d", "e"] { #expect(try await execute(text, "ada", in: store, at: 1000) == created) }
        #expect(try await execute("f", "ada", in: store, at: 1001) == full)
        #expect(try await execute("f", "ada", in: store, at: 2000) == created)
        try store.close()
    }

    @Test(arguments: [true, false]) func `is counted where its record is missing or damaged`(isMissing: Bool)
        async throws
    {
        let embedded = try folder.open()
        let store = TestStore(embedded)
        for text in ["a", "b", "c"] { #expect(try await execute(text, "ada", in: store, at: 0) == created) }
        #expect(try await execute("a", "b", in: store, at: 0) == created)
        let key = KeyTables.countKey("ada")
        try embedded.environment.writeBlocking { transaction in
            if isMissing {
                try transaction.remove(key.rawSpan, in: embedded.tables.meta)
            } else {
                try transaction.set([1, 2, 3].rawSpan, forKey: key.rawSpan, in: embedded.tables.meta)
            }
        }
        #expect(try await execute("d", "ada", in: store, at: 1) == full)
        #expect(try await execute("d", "ada", in: store, at: 1000) == created)
        #expect(try await execute("e", "ada", in: store, at: 1000) == created)
        try store.close()
    }

    @Test func `is refused to a client with 429 and a time to wait`() async throws {
        let store = try folder.open()
        var policy = IdempotencyPolicy()
        #expect(policy.keysPerAccount == 100_000)
        policy.keysPerAccount = 1
        let executor = IdempotencyExecutor(store, policy: policy, now: { 0 })
        func request(_ key: String) -> IdempotentRequest {
            IdempotentRequest(account: "ada", key: key, method: .post, path: "/visits")
        }
        let effect: LMDBIdempotencyStore.Effect = { _ in IdempotentResponse(.created) }
        _ = try await executor.response(to: request("a")) { _ in effect }
        let problem = await #expect(throws: IdempotencyProblem.self) {
            _ = try await executor.response(to: request("b")) { _ in effect }
        }
        let response = try #require(problem).response
        #expect(response.status == .tooManyRequests)
        #expect(response.fields[.retryAfter] == "60")
        #expect(String(decoding: response.body, as: UTF8.self).contains("urn:larder:idempotency:too-many-keys"))
        try store.close()
    }
}

// Proves that leases of idempotency keys expire and exclude each other, and that a key is executed once, in every store.

import HTTPTypes
import LarderServer
import Testing

@Suite struct `A store of keys`: KeyedWriteSuite {
    @Test(arguments: KeyBackend.allCases)
    func `lets an expired lease run again, and only one of both commits`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let first = try lease(try await store.claim(key("a"), for: fingerprint, at: 0, leaseEnd: 10))
        #expect(try await store.claim(key("a"), for: fingerprint, at: 9, leaseEnd: 19) == .running(retryAfter: 1))
        let second = try lease(try await store.claim(key("a"), for: fingerprint, at: 10, leaseEnd: 20))
        #expect(first.number != second.number)
        let executions = Counter()
        let effect: TestStore.Effect = { _ in IdempotentResponse(.created, json: "\(executions.increment())")
        }
        let late = try await store.perform(effect, under: first, at: 11, keeping: retention)
        #expect(late == .executed(IdempotentResponse(.created, json: "1")))
        #expect(
            try await store.perform(effect, under: second, at: 12, keeping: retention)
                == .replay(IdempotentResponse(.created, json: "1")))
        #expect(executions.value == 1)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `leaves the lease of the new owner when the first one gives up`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        let first = try lease(try await store.claim(key("a"), for: fingerprint, at: 0, leaseEnd: 10))
        let second = try lease(try await store.claim(key("a"), for: fingerprint, at: 10, leaseEnd: 20))
        await store.release(first)
        #expect(try await store.claim(key("a"), for: fingerprint, at: 11, leaseEnd: 21) == .running(retryAfter: 1))
        await store.release(second)
        #expect(try await store.leaseCount() == 0)
        _ = try lease(try await store.claim(key("a"), for: fingerprint, at: 12, leaseEnd: 22))
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases, [401, 408, 425, 429, 500, 503])
    func `stores nothing of a write whose answer requests a retry`(backend: KeyBackend, status: Int) async throws {
        let store = try await KeyPlace(backend).open()
        let answer = IdempotentResponse(.init(code: status))
        #expect(try await execute("a", in: store, at: 0, answer: answer) == .executed(answer))
        #expect(try await store.writes() == [])
        #expect(try await execute("a", in: store, at: 1) == .executed(IdempotentResponse(.created)))
        #expect(try await store.writes() == ["a"])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `grants a key to one of 32 that race, and the commit decides when all have a lease`(backend: KeyBackend)
        async throws
    {
        let store = try await KeyPlace(backend).open()
        let executions = Counter()
        var leases: [IdempotencyLease] = []
        for number in 0..<32 {
            // Each finds the lease before it expired.
            let now = Int64(number) * 10
            leases.append(try lease(try await store.claim(key("a"), for: fingerprint, at: now, leaseEnd: now + 10)))
        }
        let outcomes = try await withThrowingTaskGroup(of: IdempotencyOutcome.self) { group in
            for lease in leases {
                group.addTask { [retention] in
                    try await store.perform(
                        { _ in IdempotentResponse(.created, json: "\(executions.increment())") }, under: lease, at: 400,
                        keeping: retention)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(executions.value == 1)
        #expect(outcomes.count { $0 == .executed(IdempotentResponse(.created, json: "1")) } == 1)
        #expect(outcomes.count { $0 == .replay(IdempotentResponse(.created, json: "1")) } == 31)
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `commits nothing when the answer is too long to be remembered`(backend: KeyBackend) async throws {
        let store = try await KeyPlace(backend).open()
        await #expect(throws: IdempotencyError.responseTooLong(actual: 65, limit: 64)) {
            let long = IdempotentResponse(.created, body: [UInt8](repeating: 0, count: 65))
            try await execute("a", in: store, at: 0, answer: long)
        }
        #expect(try await store.writes() == [])
        try store.close()
    }

    @Test(arguments: KeyBackend.allCases)
    func `is shared by two that opened it`(backend: KeyBackend) async throws {
        let place = try await KeyPlace(backend)
        let (first, second) = (try await place.open(), try await place.open())
        try await execute("a", in: first, at: 0)
        let claim = try await second.claim(key("a"), for: fingerprint, at: 1, leaseEnd: 2)
        #expect(claim == .replay(IdempotentResponse(.created)))
        try first.close()
        try second.close()
    }
}

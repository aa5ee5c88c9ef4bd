// KeyedWriteSuite: executes writes with keys, for suites about stores of them.

import HTTPTypes
import LarderServer
import Testing

/// A suite whose writes have one fingerprint, and leases of 10 ms.
protocol KeyedWriteSuite {}

extension KeyedWriteSuite {
    var fingerprint: RequestFingerprint { RequestFingerprint(method: "POST", path: "/visits", body: [1]) }

    var retention: ResponseRetention {
        ResponseRetention(milliseconds: 1000, fields: ["content-type"], longestBody: 64)
    }

    func key(_ text: String) throws -> IdempotencyKey { try IdempotencyKey(account: "", text: text) }

    func lease(_ claim: IdempotencyClaim) throws -> IdempotencyLease {
        guard case .run(let lease) = claim else {
            Issue.record("no lease but \(claim)")
            throw CancellationError()
        }
        return lease
    }

    /// Executes a write that leaves its key in `writes`.
    @discardableResult
    func execute(
        _ text: String, in store: TestStore, at now: Int64,
        answer: IdempotentResponse = IdempotentResponse(.created)
    ) async throws -> IdempotencyOutcome {
        let lease = try lease(try await store.claim(key(text), for: fingerprint, at: now, leaseEnd: now + 10))
        return try await store.perform(
            { transaction in
                try transaction.set([], forKey: Array(text.utf8), in: "writes")
                return answer
            }, under: lease, at: now, keeping: retention)
    }
}

// Proves that leases of idempotency keys expire, exclude each other and survive damage and restarts.

import Foundation
import HTTPTypes
import LarderEngine
import LarderFormat
import Testing

@testable import LarderServer

@Suite struct `A store of keys` {
    private let folder = IdempotencyFolder()
    private let fingerprint = RequestFingerprint(method: "POST", path: "/visits", body: [1])
    private let retention = ResponseRetention(milliseconds: 1000, fields: ["content-type"], longestBody: 64)

    private func key(_ text: String) throws -> IdempotencyKey { try IdempotencyKey(account: "", text: text) }

    private func lease(_ claim: IdempotencyClaim) throws -> IdempotencyLease {
        guard case .run(let lease) = claim else {
            Issue.record("no lease but \(claim)")
            throw CancellationError()
        }
        return lease
    }

    /// Executes a write that leaves its key in `writes`.
    @discardableResult
    private func execute(
        _ text: String, in store: LMDBIdempotencyStore, at now: Int64,
        answer: IdempotentResponse = IdempotentResponse(.created)
    ) async throws -> IdempotencyOutcome {
        let lease = try lease(try await store.claim(key(text), for: fingerprint, at: now, leaseEnd: now + 10))
        return try await store.perform(
            { transaction in
                try transaction.set([], forKey: Array(text.utf8), in: "writes")
                return answer
            }, under: lease, at: now, keeping: retention)
    }

    @Test func `lets an expired lease run again, and only one of both commits`() async throws {
        let store = try folder.open()
        let first = try lease(try await store.claim(key("a"), for: fingerprint, at: 0, leaseEnd: 10))
        #expect(try await store.claim(key("a"), for: fingerprint, at: 9, leaseEnd: 19) == .running(retryAfter: 1))
        let second = try lease(try await store.claim(key("a"), for: fingerprint, at: 10, leaseEnd: 20))
        #expect(first.number != second.number)
        let executions = Counter()
        let effect: LMDBIdempotencyStore.Effect = { _ in IdempotentResponse(.created, json: "\(executions.increment())")
        }
        let late = try await store.perform(effect, under: first, at: 11, keeping: retention)
        #expect(late == .executed(IdempotentResponse(.created, json: "1")))
        #expect(
            try await store.perform(effect, under: second, at: 12, keeping: retention)
                == .replay(IdempotentResponse(.created, json: "1")))
        #expect(executions.value == 1)
        try store.close()
    }

    @Test func `leaves the lease of the new owner when the first one gives up`() async throws {
        let store = try folder.open()
        let first = try lease(try await store.claim(key("a"), for: fingerprint, at: 0, leaseEnd: 10))
        let second = try lease(try await store.claim(key("a"), for: fingerprint, at: 10, leaseEnd: 20))
        await store.release(first)
        #expect(try await store.claim(key("a"), for: fingerprint, at: 11, leaseEnd: 21) == .running(retryAfter: 1))
        await store.release(second)
        #expect(store.leases.count == 0)
        _ = try lease(try await store.claim(key("a"), for: fingerprint, at: 12, leaseEnd: 22))
        try store.close()
    }

    @Test func `forgets expired answers a few at a time, with every execution`() async throws {
        let store = try folder.open()
        for number in 0..<100 { try await execute("a\(number)", in: store, at: 0) }
        #expect(try store.responseCount() == 100)
        try await execute("b", in: store, at: 999)
        #expect(try store.responseCount() == 101, "nothing has expired yet")
        for number in 0..<20 {
            let before = try store.responseCount()
            try await execute("c\(number)", in: store, at: 1000)
            let removed = before + 1 - (try store.responseCount())
            #expect(removed <= LMDBIdempotencyStore.evictedAtOnce)
        }
        #expect(try store.responseCount() == 21)
        #expect(try store.writes().count == 121, "what the writes did stays")
        try store.close()
    }

    @Test(arguments: [401, 408, 425, 429, 500, 503])
    func `stores nothing of a write whose answer requests a retry`(status: Int) async throws {
        let store = try folder.open()
        let answer = IdempotentResponse(.init(code: status))
        #expect(try await execute("a", in: store, at: 0, answer: answer) == .executed(answer))
        #expect(try store.writes() == [])
        #expect(try store.responseCount() == 0)
        #expect(try await execute("a", in: store, at: 1) == .executed(IdempotentResponse(.created)))
        #expect(try store.writes() == ["a"])
        try store.close()
    }

    @Test func `grants a key to one of 32 that race, and the commit decides when all have a lease`() async throws {
        let store = try folder.open()
        let executions = Counter()
        let outcomes = try await withThrowingTaskGroup(of: IdempotencyOutcome.self) { group in
            for number in 0..<32 {
                // Each finds the lease before it expired.
                let now = Int64(number) * 10
                let lease = try lease(try await store.claim(key("a"), for: fingerprint, at: now, leaseEnd: now + 10))
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

    @Test func `commits nothing when the answer is too long to be remembered`() async throws {
        let store = try folder.open()
        await #expect(throws: IdempotencyError.responseTooLong(actual: 65, limit: 64)) {
            let long = IdempotentResponse(.created, body: [UInt8](repeating: 0, count: 65))
            try await execute("a", in: store, at: 0, answer: long)
        }
        #expect(try store.writes() == [])
        #expect(try store.responseCount() == 0)
        try store.close()
    }

    @Test func `does not execute a write whose record is damaged`() async throws {
        let store = try folder.open()
        try await execute("a", in: store, at: 0)
        let stored = KeyTables.responseKey(try key("a"))
        try store.environment.writeBlocking { transaction in
            var value: [UInt8] = []
            if let found = try transaction.reader.value(forKey: stored.rawSpan, in: store.tables.keys) {
                value = [UInt8](copying: found)
            }
            value[20] ^= 1
            try transaction.set(value.rawSpan, forKey: stored.rawSpan, in: store.tables.keys)
        }
        await #expect(throws: IdempotencyError.damaged(.checksumMismatch)) {
            try await store.claim(key("a"), for: fingerprint, at: 1, leaseEnd: 2)
        }
        // Neither does it go when it would have expired.
        for number in 0..<3 { try await execute("b\(number)", in: store, at: 2000) }
        await #expect(throws: IdempotencyError.damaged(.checksumMismatch)) {
            try await store.claim(key("a"), for: fingerprint, at: 2000, leaseEnd: 2001)
        }
        try store.close()
    }

    @Test func `is shared by two that opened it`() async throws {
        let (first, second) = (try folder.open(), try folder.open())
        try await execute("a", in: first, at: 0)
        let claim = try await second.claim(key("a"), for: fingerprint, at: 1, leaseEnd: 2)
        #expect(claim == .replay(IdempotentResponse(.created)))
        try first.close()
        try second.close()
    }

    @Test func `refuses a directory with something else`() throws {
        let other = try Environment.open(
            path: folder.url.path, options: EnvironmentOptions(tables: ["meta"], mapSize: 1 << 20, mapSizeCap: 1 << 20))
        try other.close()
        #expect(throws: IdempotencyError.notAKeyStore) { try folder.open() }
    }

    @Test func `iterates its tables in the order of their keys`() async throws {
        let store = try folder.open()
        for name in ["b", "a", "c"] { try await execute(name, in: store, at: 0) }
        let seen = try await store.perform(
            { transaction in
                var names: [String] = []
                try transaction.forEach(from: [UInt8(ascii: "b")], in: "writes") { key, _ in
                    names.append(String(decoding: key, as: UTF8.self))
                    return true
                }
                #expect(try transaction.count(of: "writes") == 3)
                #expect(try transaction.value(forKey: [UInt8(ascii: "a")], in: "writes") == [])
                #expect(try transaction.remove([UInt8(ascii: "a")], in: "writes"))
                #expect(throws: IdempotencyError.unknownTable("visits")) { try transaction.count(of: "visits") }
                return IdempotentResponse(.ok, json: names.joined())
            }, under: nil, at: 0, keeping: retention)
        #expect(seen == .executed(IdempotentResponse(.ok, json: "bc")))
        #expect(try store.writes() == ["b", "c"])
        try store.close()
    }
}

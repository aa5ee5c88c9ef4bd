// Proves that servers with one database hand keys over to each other, and say when it cannot be used.

#if Postgres
import Foundation
import HTTPTypes
import LarderPostgres
import LarderServer
import PostgresCluster
import Synchronization
import Testing

@Suite(.serialized) struct `Servers with one database` {
    /// A server of its own, which a crash test may kill without harm to the other suites.
    private let cluster: PostgresCluster
    private let database: String

    init() async throws {
        cluster = try await PostgresCluster.start()
        database = try await cluster.makeDatabase()
        try await cluster.psql("CREATE TABLE visits (key text NOT NULL, run text NOT NULL)", database: database)
    }

    /// Three servers; each has connections of its own.
    private func nodes(_ isolation: PostgresIsolation) async throws -> [IdempotencyExecutor<PostgresIdempotencyStore>] {
        var nodes: [IdempotencyExecutor<PostgresIdempotencyStore>] = []
        for _ in 0..<3 {
            let pool = PostgresPool(
                PostgresConfiguration(cluster.connection(database), connections: 8, patience: .seconds(30)))
            var policy = IdempotencyPolicy()
            policy.lease = .milliseconds(200)
            let store = try await PostgresIdempotencyStore.open(pool, isolation: isolation)
            nodes.append(IdempotencyExecutor(store, policy: policy) { Int64(Date().timeIntervalSince1970 * 1000) })
        }
        return nodes
    }

    @Test func `hand a key over when the lease of a server that has died ends`() async throws {
        let nodes = try await nodes(.readCommitted)
        let key = try IdempotencyKey(account: "ada", text: "a")
        let fingerprint = RequestFingerprint(1, 2)
        guard case .run = try await nodes[0].store.claim(key, for: fingerprint, at: 1000, leaseEnd: 31_000) else {
            Issue.record("the key is new")
            return
        }
        #expect(
            try await nodes[1].store.claim(key, for: fingerprint, at: 30_999, leaseEnd: 60_999)
                == .running(retryAfter: 1))
        #expect(
            try await nodes[1].store.claim(key, for: RequestFingerprint(1, 3), at: 2000, leaseEnd: 32_000) == .mismatch)
        guard case .run(let lease) = try await nodes[2].store.claim(key, for: fingerprint, at: 31_000, leaseEnd: 61_000)
        else {
            Issue.record("the lease has ended")
            return
        }
        await nodes[2].store.release(lease)
    }

    @Test(arguments: PostgresIsolation.allCases)
    func `find a key whose response expires on another day`(isolation: PostgresIsolation) async throws {
        let nodes = try await nodes(isolation)
        let day: Int64 = 86_400_000
        let key = try IdempotencyKey(account: "ada", text: "a")
        let retention = ResponseRetention(milliseconds: day, fields: [], longestBody: 64)
        // Both have leased it, with clocks on both sides of midnight.
        var leases: [IdempotencyLease] = []
        for (node, now) in [(0, day - 1), (1, day + 100)] {
            let claim = try await nodes[node].store.claim(
                key, for: RequestFingerprint(1, 2), at: now, leaseEnd: now + 50)
            guard case .run(let lease) = claim else {
                Issue.record("\(claim)")
                return
            }
            leases.append(lease)
        }
        let effect: PostgresIdempotencyStore.Effect = { transaction in
            try transaction.execute("INSERT INTO visits VALUES ('a', 'x')")
            try transaction.query("SELECT pg_sleep(0.2)")
            return IdempotentResponse(.created)
        }
        async let first = nodes[0].store.perform(effect, under: leases[0], at: day - 1, keeping: retention)
        async let second = nodes[1].store.perform(effect, under: leases[1], at: day + 100, keeping: retention)
        let outcomes = try await [first, second]
        #expect(outcomes.contains(.executed(IdempotentResponse(.created))))
        #expect(outcomes.contains(.replay(IdempotentResponse(.created))))
        #expect(try await cluster.psql("SELECT count(*) FROM visits", database: database) == "1\n")
    }

    @Test func `drop the partition of a day an hour after its end`() async throws {
        let node = try await nodes(.readCommitted)[0]
        let day: Int64 = 86_400_000
        let retention = ResponseRetention(milliseconds: day, fields: [], longestBody: 64)
        func execute(_ text: String, at now: Int64) async throws -> IdempotencyOutcome {
            let key = try IdempotencyKey(account: "ada", text: text)
            guard
                case .run(let lease) = try await node.store.claim(
                    key, for: RequestFingerprint(1, 2), at: now, leaseEnd: now + 1)
            else { return .mismatch }
            return try await node.store.perform(
                { _ in IdempotentResponse(.created) }, under: lease, at: now, keeping: retention)
        }
        for (text, now) in [("a", 0), ("b", day), ("c", 2 * day + 3_599_999)] {
            #expect(try await execute(text, at: now) == .executed(IdempotentResponse(.created)))
        }
        try await waitForPartitions("keys_1\nkeys_2\nkeys_3\n")
        #expect(try await execute("d", at: 3 * day + 3_600_000) == .executed(IdempotentResponse(.created)))
        try await waitForPartitions("keys_3\nkeys_4\n")
        #expect(try await cluster.psql("SELECT count(*) FROM larder.keys", database: database) == "2\n")
        // One that was lost is made again.
        try await cluster.psql("DROP TABLE larder.keys_4", database: database)
        #expect(try await execute("e", at: 3 * day + 3_600_001) == .executed(IdempotentResponse(.created)))
        try await waitForPartitions("keys_3\nkeys_4\n")
    }

    /// Waits until the cleanup beside requests has left these partitions.
    private func waitForPartitions(_ expected: String) async throws {
        let names = "SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE relkind = 'r' ORDER BY 1"
        try await wait(until: names, returns: expected)
    }

    @Test func `find the commit whose confirmation was lost while it waited for a standby`() async throws {
        let node = try await nodes(.readCommitted)[0]
        let retention = ResponseRetention(milliseconds: 1000, fields: [], longestBody: 64)
        func lease(_ text: String) async throws -> IdempotencyLease {
            let key = try IdempotencyKey(account: "ada", text: text)
            let claim = try await node.store.claim(key, for: RequestFingerprint(1, 2), at: 0, leaseEnd: 9)
            guard case .run(let lease) = claim else { throw CancellationError() }
            return lease
        }
        // The partition exists then, and the first cleanup has begun.
        _ = try await node.store.perform(
            { _ in IdempotentResponse(.created) }, under: lease("first"), at: 0, keeping: retention)
        let second = try await lease("second")
        try await setStandby("nosuch")
        let execution = Task {
            try await node.store.perform(
                { transaction in
                    try transaction.execute("INSERT INTO visits VALUES ('a', 'x')")
                    return IdempotentResponse(.created)
                }, under: second, at: 1, keeping: retention)
        }
        // The commit waits for a standby that does not exist; then its connection is ended.
        let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'"
        try await wait(until: "SELECT count(*) \(waiting)", returns: "1\n")
        #expect(
            try await cluster.psql("SELECT pg_terminate_backend(pid, 5000) \(waiting)", database: database) == "t\n")
        // It is committed here, and is not confirmed while no standby has it.
        #expect(try await cluster.psql("SELECT count(*) FROM visits", database: database) == "1\n")
        let confirming = "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%emit_message%'"
        try await wait(until: "SELECT count(*) \(confirming)", returns: "1\n")
        try await setStandby("")
        #expect(try await execution.value == .executed(IdempotentResponse(.created)))
        #expect(try await cluster.psql("SELECT count(*) FROM visits", database: database) == "1\n")
    }

    /// Has commits wait for a standby of that name; for none with an empty one.
    private func setStandby(_ name: String) async throws {
        try await cluster.psql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'", database: database)
        try await cluster.psql("SELECT pg_reload_conf()", database: database)
        try await wait(until: "SHOW synchronous_standby_names", returns: "\(name)\n")
    }

    /// Waits until a statement has an answer, at most 10 seconds.
    private func wait(until sql: String, returns expected: String) async throws {
        for _ in 0..<400 {
            if try await cluster.psql(sql, database: database) == expected { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        #expect(try await cluster.psql(sql, database: database) == expected)
    }

    @Test func `store no key for a handler that has ended its transaction`() async throws {
        let node = try await nodes(.readCommitted)[0]
        let request = IdempotentRequest(account: "ada", key: "a", method: .post, path: "/visits")
        await #expect(throws: PostgresError.self) {
            try await node.response(to: request) { _ in
                { transaction in
                    try transaction.execute("INSERT INTO visits VALUES ('a', 'x')")
                    try transaction.execute("ROLLBACK")
                    return IdempotentResponse(.created)
                }
            }
        }
        #expect(try await cluster.psql("SELECT count(*) FROM larder.keys", database: database) == "0\n")
        #expect(try await node.response(to: request) { _ in { _ in IdempotentResponse(.ok) } }.status == .ok)
    }

    @Test func `refuse tables of a newer version, and a user who may not create them`() async throws {
        _ = try await nodes(.readCommitted)
        try await cluster.psql("UPDATE larder.version SET number = 99", database: database)
        await #expect(throws: PostgresError.unsupportedSchema(found: 99, supported: 2)) {
            try await nodes(.readCommitted)
        }
        let other = try await cluster.makeDatabase()
        try await cluster.psql("CREATE ROLE guest LOGIN", database: other)
        let settings = cluster.connection(other) + " user=guest"
        let error = await #expect(throws: PostgresError.self) {
            try await PostgresIdempotencyStore.open(PostgresPool(PostgresConfiguration(settings)))
        }
        guard case .statement(state: "42501", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            try await cluster.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'larder'", database: other)
                == "0\n")
    }

    @Test func `create the tables once when all start at the same time`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await nodes(.readCommitted) } }
            try await group.waitForAll()
        }
        #expect(try await cluster.psql("SELECT number FROM larder.version", database: database) == "2\n")
    }

    @Test func `say that the database is away, and go on when it is back`() async throws {
        let away = IdempotencyExecutor(
            try await PostgresIdempotencyStore.open(
                PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 1))), now: { 0 })
        let request = IdempotentRequest(account: "ada", key: "a", method: .post, path: "/visits")
        try cluster.stop()
        let problem = await #expect(throws: IdempotencyProblem.self) {
            try await away.response(to: request) { _ in { _ in IdempotentResponse(.created) } }
        }
        #expect(problem?.kind == .unavailable)
        #expect(problem?.response.status == .serviceUnavailable)
        #expect(problem?.response.fields[.retryAfter] == "1")
        try cluster.start()
        try await cluster.waitUntilReady()
        #expect(try await away.response(to: request) { _ in { _ in IdempotentResponse(.created) } }.status == .created)
    }
}
#endif

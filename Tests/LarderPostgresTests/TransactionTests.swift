// Proves that a transaction is reported as committed only where it is, whatever happens to it and to its connection.

#if Postgres
import Foundation
import LarderPostgres
import PostgresCluster
import Synchronization
import Testing

@Suite struct `A transaction` {
    private let cluster: PostgresCluster
    private let database: String

    init() async throws {
        cluster = try await PostgresCluster.shared
        database = try await cluster.makeDatabase()
        try await cluster.psql("CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL DEFAULT 0)", database: database)
    }

    private func pool(_ connections: Int = 4, patience: Duration = .seconds(20)) -> PostgresPool {
        PostgresPool(PostgresConfiguration(cluster.connection(database), connections: connections, patience: patience))
    }

    private func rows() async throws -> String {
        try await cluster.psql("SELECT a, b FROM t ORDER BY a", database: database)
    }

    @Test func `commits what its closure did, and nothing when it throws`() async throws {
        let pool = pool(1)
        try await pool.transaction { transaction in _ = try transaction.execute("INSERT INTO t VALUES (1)") }
        await #expect(throws: CancellationError.self) {
            try await pool.transaction { transaction in
                try transaction.execute("INSERT INTO t VALUES (2)")
                throw CancellationError()
            }
        }
        try await pool.transaction { transaction in _ = try transaction.execute("INSERT INTO t VALUES (3)") }
        #expect(try await rows() == "1|0\n3|0\n")
    }

    @Test func `fails when the closure ignored the error of a statement`() async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await pool().transaction { transaction in
                try transaction.execute("INSERT INTO t VALUES (1)")
                _ = try? transaction.execute("INSERT INTO t VALUES (1)")
            }
        }
        guard case .statement(state: "25P02", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await rows() == "")
    }

    @Test func `fails when the closure has ended it`() async throws {
        let pool = pool(1)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                try transaction.execute("INSERT INTO t VALUES (1)")
                try transaction.execute("ROLLBACK")
            }
        }
        guard case .statement(state: "25P01", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await pool.transaction { transaction in _ = try transaction.execute("INSERT INTO t VALUES (2)") }
        #expect(try await rows() == "2|0\n")
    }

    @Test(arguments: [false, true])
    func `whose conflict the closure has hidden is run again`(throwsAnother: Bool) async throws {
        let pool = pool(1)
        let runs = Runs()
        try await pool.transaction { transaction in
            runs.add()
            try transaction.execute("INSERT INTO t VALUES ($1)", [.integer(Int64(runs.count))])
            guard runs.count < 3 else { return }
            let conflict = "DO $$BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END$$"
            if (try? transaction.execute(conflict)) == nil, throwsAnother { throw CancellationError() }
        }
        #expect(runs.count == 3)
        #expect(try await rows() == "3|0\n")
    }

    @Test func `that deadlocks with another one is run again`() async throws {
        let pool = pool()
        try await cluster.psql("INSERT INTO t VALUES (1), (2)", database: database)
        let runs = Runs()
        // Both have a row before either wants the other one.
        let holders = [Holder(), Holder()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in [[1, 2], [2, 1]] {
                group.addTask {
                    try await pool.transaction { transaction in
                        runs.add()
                        let update = "UPDATE t SET b = b + 1 WHERE a = $1"
                        try transaction.execute(update, [.integer(Int64(order[0]))])
                        if runs.count <= 2 {
                            holders[order[1] - 1].release()
                            holders[order[0] - 1].hold()
                        }
                        try transaction.execute(update, [.integer(Int64(order[1]))])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await rows() == "1|2\n2|2\n")
        #expect(runs.count == 3)
    }

    @Test(arguments: [PostgresIsolation.repeatableRead, .serializable])
    func `that cannot be serialized is run again`(isolation: PostgresIsolation) async throws {
        let pool = pool()
        try await cluster.psql("INSERT INTO t VALUES (1)", database: database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await pool.transaction(isolation) { transaction in
                        let count = try transaction.query("SELECT b FROM t WHERE a = 1")[0].integer(0) ?? 0
                        try transaction.query("SELECT pg_sleep(0.02)")
                        try transaction.execute("UPDATE t SET b = $1 WHERE a = 1", [.integer(count + 1)])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await rows() == "1|4\n")
    }

    @Test func `whose connection is ended by the server fails, and the next one has a new connection`() async throws {
        let pool = pool(1)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                try transaction.execute("INSERT INTO t VALUES (1)")
                try transaction.query("SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        #expect(error?.isTemporary == true)
        try await pool.transaction { transaction in _ = try transaction.execute("INSERT INTO t VALUES (2)") }
        // One that was ended while nobody used it is noticed before the first statement.
        try await cluster.psql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'larder' AND datname = '\(database)'",
            database: database)
        try await pool.transaction { transaction in _ = try transaction.execute("INSERT INTO t VALUES (3)") }
        #expect(try await rows() == "2|0\n3|0\n")
    }

    @Test func `that is refused by a server that only reads leaves no connection to it`() async throws {
        let pool = pool(1)
        let insert: @Sendable (inout PostgresTransaction) throws -> Void = { transaction in
            _ = try transaction.execute("INSERT INTO t VALUES (1)")
        }
        // As a standby, for sessions that begin now.
        try await cluster.psql(
            "ALTER DATABASE \(database) SET default_transaction_read_only = on", database: "postgres")
        let error = await #expect(throws: PostgresError.self) { try await pool.transaction(.readCommitted, insert) }
        guard case .statement(state: "25006", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.isTemporary == true)
        try await cluster.psql("ALTER DATABASE \(database) RESET default_transaction_read_only", database: "postgres")
        try await pool.transaction(.readCommitted, insert)
        #expect(try await rows() == "1|0\n")
    }

    @Test func `whose connection is lost during the commit is of unknown outcome`() async throws {
        // A deferred trigger runs within COMMIT.
        try await cluster.psql(
            """
            CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
                $$BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END$$;
            CREATE CONSTRAINT TRIGGER stop AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stop();
            """, database: database)
        let error = await #expect(throws: PostgresError.self) {
            try await pool().transaction { transaction in _ = try transaction.execute("INSERT INTO t VALUES (1)") }
        }
        guard case .commitUnknown = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await rows() == "")
    }

    @Test func `fails when it waits for a connection for too long`() async throws {
        let pool = pool(2, patience: .milliseconds(300))
        let busy = [Holder(), Holder()]
        let holding = busy.map { holder in Task { try await pool.transaction { _ in holder.hold() } } }
        for holder in busy { await holder.waitUntilHeld() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await #expect(throws: PostgresError.poolExhausted) {
                        try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") }
                    }
                }
            }
        }
        for holder in busy { holder.release() }
        for task in holding { try await task.value }
        try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") }
    }

    @Test func `that waits for a connection ends when it is cancelled, or the pool is closed`() async throws {
        let pool = pool(1)
        let holder = Holder()
        let holding = Task { try await pool.transaction { _ in holder.hold() } }
        await holder.waitUntilHeld()
        let cancelled = Task { try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") } }
        let waiting = Task { try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        pool.close()
        await #expect(throws: PostgresError.closed) { try await waiting.value }
        await #expect(throws: PostgresError.closed) {
            try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") }
        }
        // What has begun goes on.
        holder.release()
        try await holding.value
    }
}

/// Holds a connection until it is released.
private final class Holder: Sendable {
    private let held = AsyncStream<Void>.makeStream()
    private let end = DispatchSemaphore(value: 0)

    /// Blocks the thread of a connection, which is its own.
    func hold() {
        held.continuation.finish()
        end.wait()
    }

    func waitUntilHeld() async { for await _ in held.stream {} }

    func release() { end.signal() }
}

/// Counts, from any thread.
private final class Runs: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .relaxed) }

    func add() { number.wrappingAdd(1, ordering: .relaxed) }
}
#endif

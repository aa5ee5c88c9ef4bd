// Proves that an operator sees what the pool does: metrics, spans and a log, without content of rows or passwords.

#if Postgres
import Dispatch
import InMemoryTracing
import LarderPostgres
import LarderServer
import Logging
import MetricsTestKit
import PostgresCluster
import Synchronization
import Testing

@Suite struct `What an operator sees of a pool` {
    private let cluster: PostgresCluster
    private let database: String

    init() async throws {
        cluster = try await PostgresCluster.shared
        database = try await cluster.makeDatabase()
        try await cluster.psql("CREATE TABLE t (a int PRIMARY KEY, b text)", database: database)
    }

    @Test func `counts lost connections, conflicts and callers that waited for too long`() async throws {
        let metrics = TestMetrics()
        let pool = PostgresPool(
            PostgresConfiguration(cluster.connection(database), connections: 1, patience: .milliseconds(50)),
            metrics: metrics)
        await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                try transaction.query("SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        #expect(try metrics.expectCounter("larder_postgres_connections_lost_total").totalValue == 1)
        let attempts = Mutex(0)
        try await pool.transaction { transaction in
            if attempts.withLock({
                $0 += 1; return $0
            }) == 1 {
                try transaction.query("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$")
            }
        }
        #expect(try metrics.expectCounter("larder_postgres_conflicts_total").totalValue == 1)
        // One has the connection until the other has given up.
        let (started, hasStarted) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let holder = Task {
            try await pool.transaction { _ in
                hasStarted.yield()
                gate.wait()
            }
        }
        for await _ in started { break }
        await #expect(throws: PostgresError.poolExhausted) {
            try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") }
        }
        gate.signal()
        try await holder.value
        #expect(try metrics.expectCounter("larder_postgres_exhausted_total").totalValue == 1)
        #expect(try metrics.expectGauge("larder_postgres_waiting").values.contains(1))
        pool.close()
    }

    @Test func `traces each transaction, with the reason where it failed`() async throws {
        let tracer = InMemoryTracer()
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 1), tracer: tracer)
        try await pool.transaction { transaction in _ = try transaction.query("SELECT 1") }
        await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in _ = try transaction.query("SELECT nothing") }
        }
        #expect(tracer.finishedSpans.map(\.operationName) == Array(repeating: "larder.postgres.transaction", count: 2))
        #expect(tracer.finishedSpans.map { $0.errors.count } == [0, 1])
        pool.close()
    }

    @Test func `logs lost connections and a replica that cannot be used, and nothing of rows`() async throws {
        let lines = LogLines()
        let logger = Logger(label: "test") { _ in lines }
        let pool = PostgresPool(
            PostgresConfiguration(cluster.connection(database) + " password=hunter2", connections: 1), logger: logger)
        await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                try transaction.execute("INSERT INTO t VALUES (1, $1)", ["private text"])
                try transaction.query("SELECT pg_terminate_backend(pg_backend_pid())")
            }
        }
        let nowhere = PostgresPool(PostgresConfiguration("host=127.0.0.1 port=1 password=hunter2", connections: 1))
        let origin = try await PostgresOrigin.open(pool, replica: nowhere, now: { 0 })
        try await origin.createResource(Origin.ResourceID("notes", 1), rows: [])
        _ = try await origin.page(OriginQuery(parsing: "resources=notes:*&bootstrap=true"))
        let log = lines.text
        #expect(log.contains("lost a connection to PostgreSQL") && log.contains("reads from the primary for 5 s"))
        #expect(!log.contains("private text") && !log.contains("hunter2"))
        for pool in [pool, nowhere] { pool.close() }
    }
}

/// Keeps what is logged.
private final class LogLines: LogHandler {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
    }
}
#endif

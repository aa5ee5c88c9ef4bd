// Proves that values pass to a real PostgreSQL and back unchanged, and that errors say what failed without secrets.

#if Postgres
import LarderPostgres
import PostgresCluster
import Testing

@Suite struct `A statement` {
    private let cluster: PostgresCluster
    private let pool: PostgresPool
    private let database: String

    init() async throws {
        cluster = try await PostgresCluster.shared
        database = try await cluster.makeDatabase()
        pool = PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 2, statementLimit: 1000))
    }

    private func first(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRow {
        let rows = try await pool.transaction { transaction in try transaction.query(sql, parameters) }
        return try #require(rows.first)
    }

    @Test(arguments: ["", "a", "é\u{10FFFF}", "it's \"quoted\" \\ $1", String(repeating: "long ", count: 100_000)])
    func `returns a text as it was given`(text: String) async throws {
        #expect(try await first("SELECT $1::text", [.text(text)]).text(0) == text)
    }

    @Test(arguments: [[], [0], [0, 1, 0x5C, 0x78, 0xFF], [UInt8](repeating: 0, count: 1 << 20)] as [[UInt8]])
    func `returns bytes as they were given`(bytes: [UInt8]) async throws {
        #expect(try await first("SELECT $1::bytea", [.bytes(bytes)]).bytes(0) == bytes)
    }

    @Test func `returns numbers, truth values and NULL as they were given`() async throws {
        let row = try await first(
            "SELECT $1::bigint, $2::bigint, $3::bool, $4::bool, $5::bigint, $6::text",
            [.integer(.min), .integer(.max), true, false, nil, nil])
        #expect(row.count == 6)
        #expect(try [row.integer(0), row.integer(1), row.integer(4)] == [.min, .max, nil])
        #expect(try [row.bool(2), row.bool(3)] == [true, false])
        #expect([row.isNull(4), row.isNull(5), row.isNull(0)] == [true, true, false])
        #expect(throws: PostgresError.unexpectedValue(column: 2)) { try row.integer(2) }
        #expect(throws: PostgresError.unexpectedValue(column: 0)) { try row.bool(0) }
        #expect(throws: PostgresError.unexpectedValue(column: 0)) { try row.bytes(0) }
    }

    @Test func `refuses a text that would be cut off`() async throws {
        let error = await #expect(throws: PostgresError.self) { try await first("SELECT $1::text", ["a\0b"]) }
        guard case .statement(state: "22021", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // Nothing was sent, so that the connection can be used.
        #expect(try await first("SELECT 1").integer(0) == 1)
    }

    @Test func `is refused before it is sent where the server would get another one`() async throws {
        let cases: [(sql: String, parameters: [PostgresValue], state: String)] = [
            ("SELECT 1\0 WHERE false", [], "42601"),
            ("SELECT 1", [PostgresValue](repeating: 1, count: 65_536), "54023"),
        ]
        for (sql, parameters, state) in cases {
            let error = await #expect(throws: PostgresError.self) { try await first(sql, parameters) }
            guard case .statement(state, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let none = try await pool.transaction { transaction in try transaction.query(" -- nothing") }
        #expect(none.isEmpty)
    }

    @Test(arguments: ["COPY t FROM STDIN", "COPY t TO STDOUT"])
    func `that copies to or from the client is refused, and blocks nobody`(sql: String) async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                try transaction.execute("CREATE TABLE t (a int)")
                try transaction.execute(sql)
            }
        }
        guard case .statement(state: "0A000", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await first("SELECT 1").integer(0) == 1)
    }

    @Test func `returns bytes whatever form the database prefers, and without a limit of time`() async throws {
        try await cluster.psql("ALTER DATABASE \(database) SET bytea_output = escape", database: "postgres")
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(database), statementLimit: .max))
        let rows = try await pool.transaction { transaction in
            try transaction.query("SELECT $1::bytea", [.bytes([0, 0x5C, 0xFF])])
        }
        #expect(try rows[0].bytes(0) == [0, 0x5C, 0xFF])
    }

    @Test func `counts the rows that it changed`() async throws {
        let counts = try await pool.transaction { transaction in
            try transaction.execute("CREATE TABLE t (a int)")
            return try [
                transaction.execute("INSERT INTO t SELECT generate_series(1, 5)"),
                transaction.execute("UPDATE t SET a = 0 WHERE a > 2"), transaction.execute("DELETE FROM t"),
            ]
        }
        #expect(counts == [5, 3, 5])
    }

    @Test func `that is refused has its state, and no content in its description`() async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                try transaction.execute("CREATE TABLE t (a text PRIMARY KEY)")
                for _ in 0..<2 { try transaction.execute("INSERT INTO t VALUES ($1)", ["secret"]) }
            }
        }
        guard case .statement(state: "23505", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description == "The database refused a statement (SQLSTATE 23505).")
        #expect(error?.isTemporary == false)
    }

    @Test func `that takes too long is ended by the server`() async throws {
        await #expect(
            throws: PostgresError.statement(state: "57014", message: "canceling statement due to statement timeout")
        ) {
            try await first("SELECT pg_sleep(30)")
        }
        #expect(try await first("SELECT 1").integer(0) == 1)
    }

    @Test(arguments: ["port=1", "host=127.0.0.2 port=1", "sslmode=require", "dbname=nowhere"])
    func `says why there is no connection, without the password`(setting: String) async throws {
        let settings = cluster.connection(database) + " password=hunter2 " + setting
        let pool = PostgresPool(PostgresConfiguration(settings))
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in try transaction.query("SELECT 1") }
        }
        guard case .unavailable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.contains("hunter2") && !reason.contains("\n") && reason.count > 20, "\(reason)")
        #expect(error?.isTemporary == true)
    }
}
#endif

// Proves that statements which cannot or must not run are refused with an error.

import LarderFormat
import LarderQuery
import LarderStore
import Testing

@Suite struct `A query that cannot run` {
    private let fixture: QueryStore
    private let query: StoreQuery

    init() throws {
        fixture = try QueryStore()
        try fixture.put((0..<100).map { ("\($0)", #"{"price": \#($0)}"#) })
        query = try StoreQuery(
            fixture.store, tables: [itemTable(), itemTable("drafts", isPersistent: { false })],
            options: QueryOptions(stepLimit: 1_000_000))
    }

    @Test(
        arguments: [
            "DELETE FROM items", "INSERT INTO items(key) VALUES (1)", "UPDATE items SET price = 1",
            "CREATE TABLE t(a)", "CREATE TEMP TABLE t AS SELECT * FROM items", "DROP TABLE items",
            "ATTACH '/tmp/other' AS other", "PRAGMA user_version", "SELECT * FROM pragma_table_info('items')",
            "BEGIN", "VACUUM INTO '/tmp/x'", "SAVEPOINT a", "ANALYZE", "REINDEX",
            "SELECT load_extension('x')", "CREATE VIRTUAL TABLE f USING fts5(a)",
        ])
    func `is no SELECT statement`(sql: String) {
        do {
            _ = try query.rows(sql)
            Issue.record("\(sql) ran")
        } catch let error as QueryError {
            switch error {
            case .notAllowed, .syntax, .unknownTable: break
            default: Issue.record("\(sql): \(error)")
            }
        } catch {
            Issue.record("\(sql): \(error)")
        }
    }

    @Test func `has a syntax error, and reports where`() {
        #expect(throws: QueryError.syntax(message: "near \"FORM\": syntax error", offset: 9)) {
            try query.rows("SELECT * FORM items")
        }
        #expect(throws: QueryError.unknownTable("nowhere", offset: nil)) { try query.rows("SELECT * FROM nowhere") }
        #expect(throws: QueryError.unknownColumn("cost", offset: 26)) {
            try query.rows("SELECT * FROM items WHERE cost > 1")
        }
    }

    @Test(arguments: ["", "  -- nothing", "SELECT 1; SELECT 2", "SELECT 1; nonsense", ";"])
    func `is not one statement`(sql: String) {
        #expect(throws: QueryError.notOneStatement) { try query.rows(sql) }
    }

    @Test(arguments: ["SELECT 1;", "SELECT 1 ; -- done", "SELECT 1 /* done */"])
    func `may end in a semicolon and a comment`(sql: String) throws {
        #expect(try query.column(sql) == [1])
    }

    /// §5.4.5.
    @Test func `is about objects kept in memory only`() {
        #expect(throws: QueryError.memoryOnly(table: "drafts")) { try query.rows("SELECT count(*) FROM drafts") }
        #expect(throws: QueryError.memoryOnly(table: "drafts")) {
            try query.rows("SELECT * FROM items WHERE key IN (SELECT key FROM drafts)")
        }
    }

    @Test func `takes too many steps`() throws {
        let endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        #expect(throws: QueryError.interrupted(.stepLimit(1_000_000))) { try query.rows(endless) }
        // A limit for all queries, and for each by itself: the next one runs.
        #expect(try query.column("SELECT count(*) FROM items") == [100])
    }

    @Test func `has a limit of steps unless the host turns it off`() throws {
        #expect(QueryOptions().stepLimit == 1_000_000_000)
        let query = try StoreQuery(fixture.store, tables: [itemTable()], options: QueryOptions(stepLimit: nil))
        let long = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT max(i) FROM n"
        #expect(try query.column(long) == [200_000])
        #expect(throws: QueryError.interrupted(.stepLimit(1_000_000))) { try self.query.rows(long) }
    }

    @Test func `is cancelled`() async throws {
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        let endless = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let running = Task { try query.rows(endless).rows.count }
        running.cancel()
        await #expect(throws: QueryError.interrupted(.cancelled)) { try await running.value }
    }

    @Test func `has a value that cannot be computed`() throws {
        try fixture.put([("broken", "no JSON")])
        #expect(throws: QueryError.evaluation(message: "malformed JSON")) {
            try query.rows("SELECT json_extract(payload, '$.price') FROM items")
        }
        // The column of the same path has nothing there, and does not fail.
        #expect(try query.column("SELECT price FROM items WHERE key = 'broken'") == [.null])
    }

    @Test func `would need too much memory`() {
        #expect {
            try query.rows("SELECT zeroblob(1000000000)")
        } throws: { error in
            if case .tooLarge = error as? QueryError { true } else { false }
        }
    }

    @Test func `leaves the connection usable for the next one`() throws {
        for _ in 0..<20 {
            _ = try? query.rows("SELECT nonsense FROM items")
            #expect(try query.column("SELECT count(*) FROM items") == [100])
        }
    }

    @Test func `runs on a closed store`() throws {
        let other = try QueryStore()
        let query = try StoreQuery(other.store, tables: [itemTable()])
        try other.store.close()
        #expect(throws: (any Error).self) { try query.rows("SELECT count(*) FROM items") }
    }
}

@Suite struct `The definition of a table` {
    @Test func `needs unique names`() throws {
        func declare(_ name: String, _ columns: [String]) throws {
            _ = try TableDefinition(
                name, of: .resource(items), type: "item", columns: columns.map { try ColumnDefinition($0, path: "$.a") }
            )
        }
        try declare("my table", ["a \"quoted\" column", "select", "é"])
        for (name, columns) in [
            ("", ["a"]), ("sqlite_things", ["a"]), ("t", ["a", "A"]), ("t", ["key"]), ("t", ["Payload"]), ("t", [""]),
        ] {
            #expect(throws: QueryError.self) { try declare(name, columns) }
        }
        let fixture = try QueryStore()
        #expect(throws: QueryError.self) { try StoreQuery(fixture.store, tables: [itemTable("t"), itemTable("T")]) }
    }

    @Test func `needs a path that can be followed`() {
        #expect(throws: QueryError.self) { try ColumnDefinition("a", path: "a.b") }
        #expect(throws: QueryError.self) { try ColumnDefinition("a", path: "$.") }
    }

    @Test func `works with names that have to be quoted`() throws {
        let fixture = try QueryStore()
        try fixture.put([("1", #"{"a b": 5, "or": 6}"#)])
        let table = try TableDefinition(
            "my \"own\" table", of: .resource(items), type: "item",
            columns: [ColumnDefinition("a b"), ColumnDefinition("select", path: "$.or")])
        let query = try StoreQuery(fixture.store, tables: [table])
        let answer = try query.rows(#"SELECT "a b", "select" FROM "my ""own"" table""#)
        #expect(answer.rows.map(\.values) == [[5, 6]])
    }
}

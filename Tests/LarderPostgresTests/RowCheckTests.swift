// Proves that the database refuses, of any program, the same rows as this library does.

#if Postgres
import LarderPostgres
import LarderServer
import PostgresCluster
import Testing

@Suite struct `A row that a program writes` {
    private static let groups: GroupTable = .standard

    /// Groups, types, keys and bodies; each is accepted by both, or by neither.
    private static let rows: [(group: String, type: String, key: String, body: String)] = [
        ("translations", "translation", "7", #"{"id":7}"#), ("translations", "translation", "8", #"{"id":7}"#),
        ("translations", "footnote", "7", #"{"id":7}"#), ("translations", "translation", "a", #"{"id":"a"}"#),
        ("articles", "article_localization", "7-en", #"{"article_id":7,"lang":"en"}"#),
        ("things", "thing", "1", "{}"), ("things", "thing", "1", "[]"), ("things", "thing", "1", "null"),
        ("things", "thing", "1", #"{"record_type":"other"}"#), ("things", "thing", "1", #"{"record_key":"2"}"#),
        ("things", "thing", "1", #"{"a":1,"a":2}"#), ("things", "thing", "1", #"{"a":"\ud800"}"#),
        ("things", "thing", "1", #"{"a":"\u0000"}"#), ("things", "", "1", "{}"), ("things", "thing", "", "{}"),
        ("things", name(100), "1", "{}"), ("things", name(101), "1", "{}"),
        ("things", "thing", name(255), "{}"), ("things", "thing", name(256), "{}"),
        ("things", "thing", "1", nested(120)), ("things", "thing", "1", nested(121)),
        ("things", "thing", "1", "{\"\(name(65_536))\":1}"), ("things", "thing", "1", "{\"\(name(65_537))\":1}"),
        ("things", "thing", "1", sized(8 << 20)), ("things", "thing", "1", sized((8 << 20) + 1)),
    ]

    private static func name(_ length: Int) -> String { String(repeating: "n", count: length) }
    private static func nested(_ depth: Int) -> String {
        "{\"a\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }
    private static func sized(_ length: Int) -> String { "{\"a\":\"\(name(length - 8))\"}" }

    @Test func `is accepted or refused as by this library`() async throws {
        let cluster = try await PostgresCluster.shared
        let pool = PostgresPool(
            PostgresConfiguration(cluster.connection(try await cluster.makeDatabase()), connections: 1))
        _ = try await PostgresOrigin.open(pool, groups: Self.groups, now: { 0 })
        var refused = 0
        for (index, row) in Self.rows.enumerated() {
            let expected = Result {
                let wire = Origin.Row(type: row.type, key: row.key, row.body)
                return try (Self.groups[row.group] ?? GroupTable.openRules).wireBody(of: wire)
            }
            let found = try await insert(row, pool)
            if found == nil { refused += 1 }
            #expect(found == (try? expected.get()), "row \(index) of \(row.group), body \(row.body.prefix(60))")
        }
        #expect(refused == 15)
        pool.close()
    }

    /// Returns the stored body; `nil` where the database refuses the row by a rule of its own.
    private func insert(
        _ row: (group: String, type: String, key: String, body: String), _ pool: PostgresPool
    ) async throws -> [UInt8]? {
        do {
            return try await pool.transaction { transaction in
                try transaction.execute(
                    "INSERT INTO larder.resources (resource_group, resource_id) VALUES ($1, 1) ON CONFLICT DO NOTHING",
                    [.text(row.group)])
                try transaction.execute("DELETE FROM larder.rows")
                try transaction.execute(
                    """
                    INSERT INTO larder.rows (resource_group, resource_id, record_type, record_key, body)
                    VALUES ($1, 1, $2, $3, $4::json)
                    """, [.text(row.group), .text(row.type), .text(row.key), .text(row.body)])
                return try transaction.query("SELECT body::text FROM larder.rows").first?.text(0).map { Array($0.utf8) }
            }
        } catch PostgresError.statement(let state, _) where state.hasPrefix("LR") {
            return nil
        }
    }
}
#endif

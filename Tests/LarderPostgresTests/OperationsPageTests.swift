// Proves that the SQL of docs/operations.md makes an origin of an app's own table.

#if Postgres
import Foundation
import LarderPostgres
import LarderServer
import PostgresCluster
import Testing

@Suite struct `The page about operation` {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/operations.md")

    /// The blocks of SQL, in their order.
    private func blocks() throws -> [String] {
        try String(contentsOf: Self.page, encoding: .utf8).split(separator: "```sql\n").dropFirst().map { part in
            String(part.prefix(upTo: part.firstRange(of: "```")?.lowerBound ?? part.endIndex))
        }
    }

    @Test func `has statements that feed the sync from a table of an app`() async throws {
        let cluster = try await PostgresCluster.shared
        let database = try await cluster.makeDatabase()
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 2))
        let origin = try await PostgresOrigin.open(pool, now: { 0 })
        let blocks = try blocks()
        try #require(blocks.count == 3)
        let (first, second) = (blocks[0], blocks[1])
        // The table has rows before it has a trigger.
        let table = try #require(first.firstRange(of: "\n\n"))
        try await cluster.psql(String(first[..<table.lowerBound]), database: database)
        let old = "INSERT INTO verses SELECT n, 19, '1:' || n, 'old' FROM generate_series(1, 3) n"
        try await cluster.psql(old, database: database)
        try await cluster.psql(String(first[table.upperBound...]), database: database)
        try await cluster.psql(second, database: database)
        #expect(try await origin.changes.map(\.kind) == [.resourceCreate])
        #expect(try await origin.snapshot(of: .init("translations", 19)).count == 3)
        try await cluster.psql("INSERT INTO verses VALUES (4, 20, '1:4', 'new')", database: database)
        try await cluster.psql("UPDATE verses SET text = 'other' WHERE id = 1", database: database)
        try await cluster.psql("UPDATE verses SET translation = 20 WHERE id = 2", database: database)
        try await cluster.psql("DELETE FROM verses WHERE id = 3", database: database)
        let names = try await origin.changes.dropFirst().map { "\($0.kind.name) \($0.resource)" }
        #expect(
            names == [
                "RESOURCE_CREATE translations/20", "ROW_UPDATE translations/19", "ROW_DELETE translations/19",
                "ROW_CREATE translations/20", "ROW_DELETE translations/19",
            ])
        #expect(try await origin.rows(of: .init("translations", 19))?.map(\.key.key) == ["1"])
        pool.close()
    }

    @Test func `has the statement that finds the changes to keep`() async throws {
        let cluster = try await PostgresCluster.shared
        let database = try await cluster.makeDatabase()
        let pool = PostgresPool(PostgresConfiguration(cluster.connection(database), connections: 2))
        let origin = try await PostgresOrigin.open(pool, now: { 0 })
        let resource = Origin.ResourceID("notes", 1)
        try await origin.createResource(resource, rows: [])
        for number in 1...4 {
            try await origin.putRow(Origin.Row(type: "note", key: "\(number)", #"{"text":"a"}"#), in: resource)
        }
        // The creation and two rows are older than 30 days.
        let age = "UPDATE larder.changes SET changed_at = changed_at - 31::bigint * 86400000 WHERE commit IN"
        try await cluster.psql(
            "\(age) (SELECT commit FROM larder.commits WHERE first <= 3)", database: database)
        let oldest = try await cluster.psql(try blocks()[2], database: database)
        #expect(oldest.trimmingCharacters(in: .whitespacesAndNewlines) == "4")
        try await origin.removeChanges(before: 4)
        #expect(try await origin.changes.map(\.sequence) == [4, 5])
        pool.close()
    }
}
#endif

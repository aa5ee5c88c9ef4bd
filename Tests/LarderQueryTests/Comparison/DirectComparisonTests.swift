// Proves that a comparison which an index decides alone finds what SQLite finds, and reads nothing else of the rows.

import Foundation
import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import LarderTesting
import Testing

@Suite struct `A column that is only compared` {
    private let fixture: QueryStore
    private let query: StoreQuery
    private let plain = PlainSQLite()
    private static let columns = ["price", "name", "v", "ref"]

    init() async throws {
        let fixture = try QueryStore()
        self.fixture = fixture
        var random = SeededGenerator(seed: 7)
        let rows = (0..<120).map { SampleRows.row($0, &random) }
        try fixture.put(rows)
        try plain.rows("CREATE TABLE items(key NUMERIC, price, name, v, ref)")
        for row in rows { try Self.insert(row, into: plain) }
        let table = try TableDefinition(
            "items", of: .resource(items), type: "item", columns: Self.columns.map { try ColumnDefinition($0) })
        for column in Self.columns { try await fixture.store.declareIndex(table.index(on: column)) }
        query = try StoreQuery(fixture.store, tables: [table])
    }

    private static func insert(_ row: (key: String, payload: String), into plain: PlainSQLite) throws {
        let values = columns.map { "json_extract(?2, '$.\($0)')" }.joined(separator: ", ")
        try plain.rows("INSERT INTO items SELECT ?1, \(values)", [.text(row.key), .text(row.payload)])
    }

    /// Conditions on one column, each named once, with literals and parameters.
    private static func conditions(_ column: String) -> [(sql: String, arguments: [SQLValue])] {
        var found: [(String, [SQLValue])] = []
        for literal in SampleRows.literals + SampleRows.likely(column) {
            for comparison in ["=", "==", "<", "<=", ">", ">="] {
                found.append(("\(column) \(comparison) \(literal)", []))
                found.append(("\"\(column)\" \(comparison) \(literal) + 0", []))
                guard let argument = SampleRows.argument(literal) else { continue }
                found.append(("\(column) \(comparison) ?", [argument]))
                found.append(("items.\(column) \(comparison) ?1 AND key > ''", [argument]))
                found.append(("\(column) BETWEEN ? AND 10", [argument]))
            }
        }
        return found
    }

    private func checkAll() throws -> (byEntries: Int, checked: Int) {
        var (byEntries, checked) = (0, 0)
        for column in Self.columns {
            for condition in Self.conditions(column) {
                for selected in ["count(*)", "key || ''"] {
                    let sql = "SELECT \(selected) FROM items WHERE \(condition.sql)"
                    let expected = try plain.rows(sql, condition.arguments).map { $0[0] }
                    let found = try query.rows(sql, condition.arguments)
                    let same = Set(found.rows.map { $0[0] }) == Set(expected) && found.rows.count == expected.count
                    #expect(same, "\(sql) \(condition.arguments): \(expected.count) rows, found \(found.rows.count)")
                    checked += 1
                    if found.facts.usesIndex, found.facts.rowsVisited == 0 { byEntries += 1 }
                }
            }
        }
        return (byEntries, checked)
    }

    @Test func `finds what SQLite finds`() throws {
        let (byEntries, checked) = try checkAll()
        #expect(byEntries * 2 > checked, "only \(byEntries) of \(checked) by entries alone")
    }

    @Test func `finds what SQLite finds where local writes change rows`() throws {
        var random = SeededGenerator(seed: 8)
        for index in stride(from: 0, to: 140, by: 7) {
            let row = SampleRows.row(index, &random)
            try fixture.store.writeBlocking { transaction in
                let change = index.isMultiple(of: 2) ? OverlayChange.removal : .replacement(Array(row.payload.utf8))
                let key = RowKey(resource: items, type: "item", key: row.key)
                try transaction.applyOverlay(change, at: key, updatedAt: 3)
            }
            try plain.rows("DELETE FROM items WHERE key = ?1 AND key || '' = ?1", [.text(row.key)])
            if !index.isMultiple(of: 2) { try Self.insert(row, into: plain) }
        }
        _ = try checkAll()
    }

    // SQLite reads these columns, or keys, by another way than their plain names.
    @Test(arguments: [
        "SELECT name, (price = 1) AS p FROM items WHERE p", "SELECT (price = 1) AS p FROM items WHERE p",
        "SELECT (price > 5) AS p, count(*) FROM items WHERE p GROUP BY p",
        "SELECT items.'price', name FROM items WHERE price = 1",
        "SELECT name FROM items WHERE price > 1 ORDER BY items.'price', name",
        "SELECT \u{FEFF}price, name FROM items WHERE price = 1",
        "SELECT name FROM items WHERE price = 1 \u{FEFF}OR name = 'a'",
        "SELECT count(*) FROM items a FULL JOIN items b ON 1", "SELECT a.v FROM items a FULL JOIN items b ON 1",
        "SELECT a.v, b.v FROM items a RIGHT JOIN items b ON a.v = b.price",
        "SELECT a.v, b.v FROM items a FULL JOIN items b ON a.price = b.v",
        "SELECT a.v FROM items a RIGHT JOIN items b ON a.v || '' = b.v || '' AND b.price = 1",
        "SELECT count(*) FROM items WHERE price = 1 OR v = 2",
    ])
    func `is found where it is read by another name`(sql: String) throws {
        let texts = { (rows: [[SQLValue]]) in rows.map { "\($0)" }.sorted() }
        let expected = try plain.rows(sql)
        #expect(!expected.isEmpty)
        #expect(try texts(query.rows(sql).rows.map(\.values)) == texts(expected), "\(sql)")
    }

    @Test(arguments: [
        ("SELECT count(*) FROM items WHERE price = 1", 0), ("SELECT count(*) FROM items WHERE price >= ?", 0),
        ("SELECT key FROM items WHERE price > ?", 0), ("SELECT count(price) FROM items WHERE price > ?", 1),
        ("SELECT name FROM items WHERE price > ?", 1), ("SELECT * FROM items WHERE price > ?", 1),
    ])
    func `needs no row beside its entries`(sql: String, rowsPerEntry: Int) throws {
        let answer = try query.rows(sql, sql.contains("?") ? [0] : [])
        #expect(answer.facts.uses.map(\.access) == [.index("items.price")])
        #expect(answer.facts.entriesVisited > 0)
        if rowsPerEntry == 0 { #expect(answer.facts.rowsVisited == 0) }
        if rowsPerEntry == 1 { #expect(answer.facts.rowsVisited > 0) }
    }
}

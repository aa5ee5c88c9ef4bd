// Proves that queries use an index where it applies, and return the same without it.

import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import LarderTesting
import Logging
import Testing

@Suite struct `A query with an index` {
    private let fixture: QueryStore
    private let query: StoreQuery
    private static let count = 2000

    init() async throws {
        fixture = try QueryStore()
        let cities = ["Ávila", "Bergen", "Cádiz", "Delft"]
        try fixture.put(
            (0..<Self.count).map { index in
                let name = index.isMultiple(of: 2) ? "item \(index)" : "Item \(index)"
                return (
                    "\(index)",
                    #"{"price": \#(index / 10), "name": "\#(name)", "address": {"city": "\#(cities[index % 4])"}}"#
                )
            })
        query = try StoreQuery(fixture.store, tables: [itemTable()])
        try await declare("by price", "$.price")
        try await declare("by name", "$.name", .nocase)
    }

    private func declare(_ name: String, _ path: String, _ collation: IndexCollation = .binary) async throws {
        try await fixture.store.declareIndex(
            IndexDefinition(
                name: name, group: items.group, type: "item", path: #require(JSONPath(path)), collation: collation))
    }

    @Test(
        arguments: [
            ("price = 77", 10), ("price = 77.0", 10), ("price = 77.5", 0), ("price BETWEEN 10 AND 11", 20),
            ("price > 197", 20), ("price IN (5, 6, 7)", 30), ("price IS NULL", 0), ("title = 'ITEM 6'", 1),
            ("title LIKE 'item 199%'", 11), ("price < 0", 0), ("price = 3 AND city = 'Delft'", 3), ("key = '77'", 1),
            ("key = 77", 1), ("key IN ('1', '2', 'x')", 2), ("price = 5 OR price = 9", 20),
        ])
    func `reads the rows that match and no others`(condition: String, matches: Int) throws {
        let answer = try query.rows("SELECT key FROM items WHERE \(condition)")
        #expect(answer.facts.usesIndex)
        let most = condition.contains("Delft") ? 10 : matches
        // Where the column is only compared, its entries decide, and have the keys.
        let isDecided = answer.facts.rowsVisited == 0 && answer.facts.entriesVisited == matches
        #expect(answer.facts.rowsVisited == most || isDecided, "\(answer.facts)")
        #expect(condition.contains("Delft") ? answer.rows.count <= 3 : answer.rows.count == matches)
    }

    @Test(arguments: [
        "price IN (5, 6, 7) AND title IN (SELECT name FROM items)",
        "title IN (SELECT name FROM items) AND items.price IN (5, 6, 7)",
        "price IN (5, 6, 7) AND title NOT IN (SELECT 'x') AND Title IN (SELECT name FROM items)",
    ])
    func `is used for a list beside a subquery about another column`(condition: String) throws {
        let answer = try query.rows("SELECT key FROM items WHERE \(condition)")
        #expect(answer.facts.uses.contains { $0.access == .index("by price") }, "\(answer.facts.uses)")
        #expect(answer.rows.count == 30)
    }

    @Test(arguments: [
        "SELECT key FROM items WHERE price IN (5, 6, 7) AND price IN (SELECT price FROM items)",
        "SELECT cost FROM (SELECT price AS cost FROM items) WHERE cost IN (SELECT 5)",
        "SELECT title FROM (SELECT price AS title FROM items) WHERE title IN (SELECT 5)",
        "WITH c(title) AS (SELECT price FROM items) SELECT title FROM c WHERE title IN (SELECT 5)",
        "SELECT key FROM items WHERE price COLLATE NOCASE IN (SELECT 5)",
        "SELECT key FROM items WHERE (price) IN (SELECT 5)", "SELECT key FROM items WHERE \"price\" IN (SELECT 5)",
    ])
    func `is not used where the subquery may be about its column`(sql: String) throws {
        let answer = try query.rows(sql)
        #expect(!answer.facts.uses.contains { $0.access == .index("by price") }, "\(answer.facts.uses)")
        #expect(answer.rows.count >= 10)
    }

    @Test func `needs no sorting in its order`() throws {
        let cheapest = try query.rows("SELECT key, price FROM items ORDER BY price LIMIT 3")
        #expect(cheapest.facts.uses.map(\.isOrdered) == [true])
        #expect(cheapest.facts.rowsVisited < 10)
        #expect(cheapest.rows.map { $0[1] } == [0, 0, 0])
        let dearest = try query.rows("SELECT price FROM items ORDER BY price DESC LIMIT 3 OFFSET 9")
        #expect(dearest.rows.map { $0[0] } == [199, 198, 198])
        #expect(dearest.facts.rowsVisited < 40)
        let titles = try query.rows("SELECT name FROM items ORDER BY title LIMIT 2")
        #expect(titles.facts.uses.map(\.isOrdered) == [true])
        // The other collation is not the index's.
        let names = try query.rows("SELECT name FROM items ORDER BY name LIMIT 2")
        #expect(names.facts.uses.map(\.isOrdered) == [false])
        #expect(names.rows.map { $0[0] } == ["Item 1", "Item 1001"])
    }

    @Test func `joins by the index`() throws {
        let answer = try query.rows(
            "SELECT count(*) FROM items a JOIN items b ON b.price = a.price WHERE a.key IN ('15', '16')")
        #expect(answer.rows[0][0] == 20)
        #expect(answer.facts.rowsVisited < 30)
    }

    @Test func `follows changes of the rows`() throws {
        try fixture.put([("77", #"{"price": 1000}"#)])
        #expect(try query.column("SELECT key FROM items WHERE price = 1000") == ["77"])
        #expect(try query.rows("SELECT key FROM items WHERE price = 7").rows.count == 9)
    }

    @Test func `works without it while it is built`() async throws {
        #expect(try query.rows("SELECT key FROM items WHERE city = 'Delft'").facts.uses.map(\.access) == [.scan])
        try await fixture.store.declareIndex(itemTable().index(on: "city", name: "by city"))
        let answer = try query.rows("SELECT key FROM items WHERE city = 'Delft'")
        #expect(answer.facts.uses.map(\.access) == [.index("by city")])
        #expect(answer.rows.count == 500)
        #expect(try await fixture.store.removeIndex(named: "by city"))
        #expect(try query.rows("SELECT key FROM items WHERE city = 'Delft'").rows.count == 500)
    }

    @Test func `can be declared by the column`() throws {
        let table = try itemTable(of: .group("items"))
        let index = try table.index(on: "TITLE")
        #expect(index.name == "items.title")
        #expect(index.collation == .nocase)
        #expect(index.id == nil)
        #expect(throws: QueryError.self) { try table.index(on: "cost") }
    }

    @Test func `is explained in plain words`() throws {
        let lines = try query.explain("SELECT key FROM items WHERE price > ? ORDER BY name", [190])
        #expect(lines.contains { $0.contains("items: reads the rows that the index \"by price\" finds by price") })
        let scan = try query.explain("SELECT key FROM items WHERE city = 'Delft'")
        #expect(scan.contains { $0.contains("items: reads every row") })
        let key = try query.explain("SELECT name FROM items WHERE key = '5'")
        #expect(key.contains { $0.contains("items: looks rows up by their key") })
    }

    @Test func `logs a warning when it would help and rows are many`() throws {
        let messages = LogMessages()
        let fixture = try QueryStore { $0.logger = messages.logger }
        try fixture.put((0..<300).map { ("\($0)", "{}") })
        let query = try StoreQuery(fixture.store, tables: [itemTable()], options: QueryOptions(scanWarning: 200))
        _ = try query.rows("SELECT count(*) FROM items WHERE key < '1'")
        #expect(messages.all.isEmpty)
        _ = try query.rows("SELECT count(name) FROM items")
        #expect(messages.all == ["a query scans a table: an index would avoid reading most of its rows"])
    }
}

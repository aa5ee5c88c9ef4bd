// Proves by counting that a query over many rows reads only those that match or are within its limit.

import Foundation
import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import Testing

@Suite struct `A hundred thousand rows` {
    private static let count = 100_000

    @Test func `are queried by an indexed field, and only the rows that match are read`() async throws {
        let fixture = try QueryStore()
        try await fixture.store.declareIndex(
            IndexDefinition(
                name: "by price", group: items.group, type: "item", path: #require(JSONPath("$.price"))))
        try await fixture.store.replace(items, appliedSequence: 1) { writer in
            for index in 0..<Self.count {
                // Every price but 999 is that of 100 rows or more.
                let price = index == 77_777 ? 999 : index % 900
                try await writer.append(
                    Array(#"{"price":\#(price)}"#.utf8), type: "item", key: "\(index)", updatedAt: 1)
            }
        }
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        for (condition, matches) in [
            ("price = 999", 1), ("price = 899", 111), ("price > 898 AND price <= 1000", 112),
            ("price IN (5, 999)", 113),
            ("price = 1e9", 0),
        ] {
            let answer = try query.rows("SELECT key FROM items WHERE \(condition)")
            #expect(answer.rows.count == matches)
            // The entries have the keys; of a column that is compared alone they also decide.
            #expect([0, matches].contains(answer.facts.rowsVisited))
            #expect(answer.facts.entriesVisited == matches)
            #expect(answer.facts.uses.map(\.access) == [.index("by price")])
        }
        let dearest = try query.rows("SELECT key, price FROM items ORDER BY price DESC LIMIT 1")
        #expect(dearest.rows.map(\.values) == [["77777", 999]])
        #expect(dearest.facts.rowsVisited <= 4)
    }
}

@Suite struct `Many rows in the order of an index` {
    /// 20,000 rows; the environment's `QUERY_ROWS` asks for another number.
    private static let count = ProcessInfo.processInfo.environment["QUERY_ROWS"].flatMap { Int($0) } ?? 20_000

    @Test func `are read up to a limit and one more at most`() async throws {
        let fixture = try QueryStore()
        try await fixture.store.replace(items, appliedSequence: 1) { writer in
            for index in 0..<Self.count {
                // In no order of the keys, each price once.
                let price = index * 7919 % Self.count
                try await writer.append(
                    Array(#"{"price":\#(price),"name":"Item \#(price)"}"#.utf8), type: "item", key: "\(index)",
                    updatedAt: 1)
            }
        }
        for (name, path) in [("by price", "$.price"), ("by name", "$.name")] {
            try await fixture.store.declareIndex(
                IndexDefinition(name: name, group: items.group, type: "item", path: #require(JSONPath(path))))
        }
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        for (clauses, limit, first) in [
            ("ORDER BY price LIMIT 50", 50, 0), ("ORDER BY price DESC LIMIT 50", 50, Self.count - 1),
            ("WHERE price >= 5000 ORDER BY price LIMIT 50", 50, 5000), ("ORDER BY price LIMIT 1", 1, 0),
            ("WHERE price < 9000 ORDER BY price DESC LIMIT 10 OFFSET 40", 50, 8959),
        ] {
            let answer = try query.rows("SELECT price, payload FROM items \(clauses)")
            #expect(answer.rows.first?[0] == .integer(Int64(first)), "\(clauses)")
            #expect(answer.facts.uses.map(\.isOrdered) == [true], "\(clauses)")
            #expect(answer.facts.rowsVisited <= limit + 1, "\(clauses): \(answer.facts)")
            #expect(answer.facts.entriesVisited <= 4 * limit + 4, "\(clauses): \(answer.facts)")
            print("\(Self.count) rows, \(clauses): \(answer.facts)")
        }
        let names = try query.rows("SELECT name FROM items ORDER BY name LIMIT 50")
        #expect(names.facts.rowsVisited == 0)
        let count = try query.rows("SELECT count(*) FROM items")
        #expect(count.rows[0][0] == .integer(Int64(Self.count)))
        #expect(count.facts.rowsVisited + count.facts.entriesVisited == 0)
    }
}

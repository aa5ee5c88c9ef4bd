// Proves that keys in SQL join, compare and match ranges as SQLite's numbers and texts do.
// whichever index or order of a join finds it.

import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import Testing

@Suite struct `A key in SQL` {
    private let fixture: QueryStore
    private let query: StoreQuery

    init() throws {
        fixture = try QueryStore()
        try fixture.put((1...120).map { ("\($0)", #"{"name": "category \#($0)"}"#) } + [("x", "{}")], type: "category")
        try fixture.put(
            (0...100).map { ("item-\($0)", #"{"category": \#($0 + 1), "label": "\#($0 + 1)"}"#) } + [
                ("item-x", #"{"category": "x"}"#), ("item-none", "{}"),
            ])
        query = try StoreQuery(
            fixture.store,
            tables: [
                TableDefinition(
                    "items", of: .resource(items), type: "item",
                    columns: [ColumnDefinition("category"), ColumnDefinition("label")]),
                TableDefinition(
                    "categories", of: .resource(items), type: "category", columns: [ColumnDefinition("name")]),
            ])
    }

    @Test(
        arguments: [
            "items i JOIN categories c ON c.key = i.category", "items i JOIN categories c ON i.category = c.key",
            "items i CROSS JOIN categories c WHERE c.key = i.category",
            "categories c CROSS JOIN items i WHERE c.key = i.category",
            "items i WHERE i.category IN (SELECT key FROM categories)",
        ])
    func `joins with integers and texts that refer to it`(tables: String) async throws {
        for isIndexed in [false, true] {
            if isIndexed {
                try await fixture.store.declareIndex(
                    IndexDefinition(
                        name: "by category", group: items.group, type: "item", path: #require(JSONPath("$.category"))))
            }
            #expect(try query.column("SELECT count(*) FROM \(tables)") == [102])
        }
        #expect(try query.column("SELECT count(*) FROM items i JOIN categories c ON c.key = i.label") == [101])
    }

    @Test(
        arguments: [
            "label IN (SELECT key FROM categories)", "label IN (SELECT CAST(key AS INTEGER) FROM categories)",
            "label IN(WITH c AS (SELECT key FROM categories) SELECT key FROM c)",
            "label in /* x */ (\nselect key FROM categories)",
            "(label, 1) IN (SELECT key, 1 FROM categories)", "category IN (SELECT key FROM categories) AND label >= ''",
            "label IN (SELECT '1' UNION SELECT key FROM categories)",
        ])
    func `is found by a subquery with an index as without one`(condition: String) async throws {
        let sql = "SELECT key FROM items WHERE \(condition) ORDER BY key"
        let plain = try query.column(sql)
        #expect(plain.count > 99)
        for column in ["label", "category"] {
            try await fixture.store.declareIndex(
                IndexDefinition(
                    name: column, group: items.group, type: "item", path: #require(JSONPath("$.\(column)"))))
        }
        #expect(try query.column(sql) == plain)
        let list = try query.rows("SELECT key FROM items WHERE label IN ('7', '8') AND 'IN (SELECT' <> \"label\"")
        #expect(list.facts.usesIndex && list.rows.count == 2)
    }

    @Test func `is compared in the order of the store`() throws {
        func keys(_ condition: String) throws -> [SQLValue] {
            try query.column("SELECT key FROM categories WHERE \(condition)")
        }
        #expect(try keys("key < 3") == ["1", "2"])
        #expect(try keys("key < '3'") == ["1", "2"])
        #expect(try keys("key <= '2.5'") == ["1", "2"])
        #expect(try keys("key > 118") == ["119", "120", "x"])
        #expect(try keys("key > '118'") == ["119", "120", "x"])
        #expect(try keys("key BETWEEN 9 AND 11") == ["9", "10", "11"])
        #expect(try keys("key > 'a'") == ["x"])
        #expect(try keys("key < 'a'").count == 120)
        #expect(try keys("key GLOB '12*'") == ["12", "120"])
    }

    @Test(arguments: [9_007_199_254_740_992, 1_234_567_890_123_456_784, .max - 8, .min] as [Int64])
    func `is compared exactly beyond 2^53`(first: Int64) throws {
        let numbers = (0...8).map { first + Int64($0) }
        try fixture.put(numbers.map { ("\($0)", "{}") }, type: "large")
        let query = try StoreQuery(
            fixture.store, tables: [TableDefinition("large", of: .resource(items), type: "large", columns: [])])
        let all = numbers.map { SQLValue.text("\($0)") }
        for (place, number) in numbers.enumerated() {
            for value in [SQLValue.integer(number), .text("\(number)"), .text(" \(number) ")] {
                func keys(_ condition: String, _ values: Int) throws -> [SQLValue] {
                    try query.column(
                        "SELECT key FROM large WHERE \(condition)", [SQLValue](repeating: value, count: values))
                }
                #expect(try keys("key <= ?", 1) == Array(all[...place]), "\(value)")
                #expect(try keys("key < ?", 1) == Array(all[..<place]), "\(value)")
                #expect(try keys("key >= ?", 1) == Array(all[place...]), "\(value)")
                #expect(try keys("key > ?", 1) == Array(all[(place + 1)...]), "\(value)")
                #expect(try keys("key BETWEEN ? AND ?", 2) == [all[place]], "\(value)")
            }
        }
    }

    @Test func `is compared exactly with a real beyond 2^53`() throws {
        let first: Int64 = 9_007_199_254_740_992
        try fixture.put((0...8).map { ("\(first + Int64($0))", "{}") }, type: "large")
        let query = try StoreQuery(
            fixture.store, tables: [TableDefinition("large", of: .resource(items), type: "large", columns: [])])
        for (condition, count) in [
            ("key <= 9007199254740996.0", 5), ("key > 9007199254740996.0", 4), ("key < 9e18", 9),
        ] {
            #expect(try query.column("SELECT key FROM large WHERE \(condition)").count == count, "\(condition)")
        }
    }

    @Test func `reads no more rows than a range of keys has`() throws {
        let answer = try query.rows("SELECT key FROM categories WHERE key BETWEEN 9 AND 11")
        #expect(answer.facts.rowsVisited == 3)
    }

    @Test func `is found by its number in a list, as SQLite converts the list's texts to numbers`() throws {
        try fixture.put(["100", "1e2", "101"].map { ($0, "{}") }, type: "spelled")
        let query = try StoreQuery(
            fixture.store, tables: [TableDefinition("spelled", of: .resource(items), type: "spelled", columns: [])])
        #expect(try Set(query.column("SELECT key FROM spelled WHERE key = '1e2'")) == ["100", "1e2"])
        #expect(try query.column("SELECT key FROM spelled WHERE key IS ?1 AND key || '' = ?1", ["1e2"]) == ["1e2"])
        #expect(try Set(query.column("SELECT key FROM spelled WHERE key IN ('1e2', 'x')")) == ["100", "1e2"])
    }

    @Test(arguments: [["7", "007"], ["18446744073709551614", "18446744073709551615"], ["12e34567", "13e34567"]])
    func `equals the keys that SQLite converts to the same number`(keys: [String]) throws {
        try fixture.put(keys.map { ($0, "{}") }, type: "spelled")
        try fixture.put(keys.map { ("of \($0)", #"{"ref": "\#($0)"}"#) }, type: "reference")
        let query = try StoreQuery(
            fixture.store,
            tables: [
                TableDefinition("spelled", of: .resource(items), type: "spelled", columns: []),
                TableDefinition("refs", of: .resource(items), type: "reference", columns: [ColumnDefinition("ref")]),
            ])
        for key in keys {
            #expect(
                try Set(query.column("SELECT key FROM spelled WHERE key = ?", [.text(key)]))
                    == Set(keys.map { .text($0) }))
        }
        #expect(
            try query.column("SELECT r.key FROM refs r JOIN spelled s ON s.key = r.ref WHERE r.ref = s.key || ''").count
                == keys.count)
        #expect(try query.column("SELECT s.key FROM refs r JOIN spelled s ON s.key = r.ref").count == 4)
    }

    @Test func `equals a key of another spelling that a later commit puts`() throws {
        let sql = "SELECT key FROM categories WHERE key = ?"
        #expect(try query.column(sql, [7]) == ["7"])
        let facts = try query.rows(sql, [8]).facts
        #expect(facts.rowsVisited == 1 && facts.usedCachedStatement)
        try fixture.put([("007", "{}")], type: "category")
        #expect(try Set(query.column(sql, [7])) == ["7", "007"])
    }

    @Test func `joins with texts of any spelling, whatever the order and the index`() async throws {
        try fixture.put(["7", "007", "100", "1e2", "x"].map { ($0, "{}") }, type: "spelled")
        let texts = ["07", "7.0", " 7", "7 ", "+7", "7", "70e-1", "1e2", "100", "x", "12", "-7"]
        let others = (0..<2000).map { "\($0 % 2 == 0 ? "000" : "")\(20_000 + $0)" }
        try fixture.put(
            (texts + others).enumerated().map { ("r\($0.offset)", #"{"ref": "\#($0.element)"}"#) }, type: "reference")
        let refs = try TableDefinition(
            "refs", of: .resource(items), type: "reference", columns: [ColumnDefinition("ref")])
        let query = try StoreQuery(
            fixture.store,
            tables: [refs, TableDefinition("spelled", of: .resource(items), type: "spelled", columns: [])])
        for isIndexed in [false, true] {
            if isIndexed { try await fixture.store.declareIndex(refs.index(on: "ref")) }
            for tables in ["refs r CROSS JOIN spelled s", "spelled s CROSS JOIN refs r", "refs r JOIN spelled s"] {
                let found = try query.column("SELECT r.ref FROM \(tables) ON r.ref = s.key WHERE s.key < 8").count
                let all = try query.column("SELECT r.ref FROM \(tables) ON s.key = r.ref").count
                // Seven texts and two keys for 7, two and two for 100, one and one for x.
                #expect((found, all) == (14, 19), "\(tables), indexed: \(isIndexed)")
            }
        }
        let answer = try query.rows("SELECT ref FROM refs WHERE ref = ?", ["20777"])
        #expect(answer.rows.count == 1)
        #expect(answer.facts.entriesVisited < 150)
        #expect(answer.facts.rowsVisited == 0)
    }
}

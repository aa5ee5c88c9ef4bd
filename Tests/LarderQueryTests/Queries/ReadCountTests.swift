// Proves by counting how few rows a query reads: up to its limit over an index, none where a stored count is enough.

import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import Testing

@Suite struct `A query reads` {
    private let fixture: QueryStore
    private let query: StoreQuery
    private static let count = 2000

    init() async throws {
        fixture = try QueryStore()
        try fixture.put(
            (0..<Self.count).map { ("\($0)", #"{"price": \#($0 / 10), "name": "Item \#($0)", "v": \#($0).5}"#) })
        for (name, path) in [("by price", "$.price"), ("by name", "$.name"), ("by v", "$.v")] {
            try await fixture.store.declareIndex(
                IndexDefinition(name: name, group: items.group, type: "item", path: #require(JSONPath(path))))
        }
        query = try StoreQuery(fixture.store, tables: [itemTable()])
    }

    @Test(arguments: ["price", "price DESC", "name", "v DESC"])
    func `at most one row more than its limit in the order of an index`(order: String) throws {
        let answer = try query.rows("SELECT key, payload FROM items ORDER BY \(order) LIMIT 50")
        #expect(answer.rows.count == 50)
        #expect(answer.facts.uses.map(\.isOrdered) == [true])
        #expect(answer.facts.rowsVisited <= 51, "\(answer.facts.rowsVisited) rows")
    }

    @Test(arguments: [
        ("SELECT key FROM items ORDER BY price LIMIT 50", 50),
        ("SELECT name, key FROM items WHERE name > 'Item 5' AND name < 'Item 501'", 2),
        ("SELECT v FROM items WHERE v > 1989", 11), ("SELECT count(*) FROM items WHERE name LIKE 'Item%'", 1),
        ("SELECT key FROM items WHERE v IS NULL", 0),
    ])
    func `no row where an index has what is requested`(sql: String, count: Int) throws {
        let answer = try query.rows(sql)
        #expect(answer.rows.count == count)
        #expect(answer.facts.rowsVisited == 0)
    }

    @Test func `the row where the index has less than it`() async throws {
        try fixture.put([("whole", #"{"price": 5000.0, "name": "ZZ"}"#), ("5000", #"{"price": 5000}"#)])
        let answer = try query.rows("SELECT typeof(price), price FROM items WHERE price = 5000 ORDER BY key || ''")
        #expect(answer.rows.map(\.values) == [["integer", 5000], ["real", .real(5000)]])
        try await fixture.store.declareIndex(itemTable().index(on: "title", name: "by title"))
        #expect(try query.column("SELECT title FROM items WHERE title = 'zz'") == ["ZZ"])
    }

    @Test func `no row to count them all`() throws {
        let answer = try query.rows("SELECT count(*) FROM items")
        #expect(answer.rows.map(\.values) == [[.integer(Int64(Self.count))]])
        #expect(answer.facts.rowsVisited == 0)
        #expect(try query.explain("SELECT count(*) FROM items").contains { $0.contains("items: counts its rows") })
        let pairs = try query.rows("SELECT count(*) FROM items a JOIN items b ON a.key = 7")
        #expect(pairs.rows[0][0] == .integer(Int64(Self.count)))
        #expect(pairs.facts.rowsVisited <= 2)
    }

    @Test func `the rows that local writes change, to count`() throws {
        try fixture.store.writeBlocking { transaction in
            for (key, change) in [
                ("3", OverlayChange.removal), ("4", .replacement(Array("{}".utf8))),
                ("new", .replacement(Array("{}".utf8))),
                ("gone", .removal),
            ] {
                try transaction.applyOverlay(change, at: RowKey(resource: items, type: "item", key: key), updatedAt: 2)
            }
            let other = RowKey(resource: items, type: "other", key: "1")
            try transaction.applyOverlay(.replacement(Array("{}".utf8)), at: other, updatedAt: 2)
        }
        let answer = try query.rows("SELECT count(*) FROM items")
        #expect(answer.rows[0][0] == .integer(Int64(Self.count)))
        #expect(answer.facts.rowsVisited == 0)
        #expect(try query.rows("SELECT key FROM items").rows.count == Self.count)
    }

    @Test(arguments: [TableDefinition.Scope.resource(items), .group(items.group)])
    func `few rows in a join with a table of few rows`(scope: TableDefinition.Scope) async throws {
        let resource = ResourceKey("kinds", 1)
        try fixture.put((0..<5).map { ("\($0)", #"{"title": "Kind \#($0)"}"#) }, type: "kind", in: resource)
        try fixture.put((0..<Self.count).map { ("\($0)", #"{"name": "Item \#($0)", "kind": \#($0 % 5)}"#) })
        // The first resource of the group has no kind, and the lowest kind is rare.
        try fixture.put([("none", #"{"name": "None"}"#)], in: ResourceKey(items.group, 0))
        try fixture.put([("rare", #"{"name": "Rare", "kind": -1}"#)])
        let things = try TableDefinition(
            "things", of: scope, type: "item", columns: [ColumnDefinition("name"), ColumnDefinition("kind")])
        let kinds = try TableDefinition(
            "kinds", of: .resource(resource), type: "kind", columns: [ColumnDefinition("title")])
        try await fixture.store.declareIndex(things.index(on: "kind", name: "by kind"))
        let joined = try StoreQuery(fixture.store, tables: [things, kinds]).rows(
            "SELECT t.name, k.title FROM things t JOIN kinds k ON k.key = t.kind WHERE t.name > ? AND t.name < ?",
            ["Item 5", "Item 501"])
        #expect(joined.rows.map(\.values) == [["Item 50", "Kind 0"], ["Item 500", "Kind 0"]])
        // Each kind has a fifth of the things: a read of the things of each kind is one of them all.
        #expect(joined.facts.rowsVisited <= 4, "\(joined.facts)")
    }

    @Test func `as much as every form of it reports`() async throws {
        let objects = try query.objects(
            of: "items", where: .less("price", 5), order: [.ascending("price")], limit: 3)
        #expect(objects.facts.uses.map(\.access) == [.index("by price")])
        #expect("\(objects.facts)" == "items by the index \"by price\", in the wanted order; 3 rows, 4 entries read")
        let clauses = try query.objects(of: "items", where: "key = ?", [7])
        #expect("\(clauses.facts)" == "items by key; 1 rows, 0 entries read")
        var answers = query.answers(to: "SELECT payload FROM items WHERE key = 7").makeAsyncIterator()
        let observed = try #require(try await answers.next())
        #expect(observed.facts.uses.map(\.access) == [.key])
        #expect(observed.facts.rowsVisited == 1)
        let streamed = try query.forEachRow("SELECT payload FROM items WHERE key = 7") { _ in true }
        #expect("\(streamed)" == "items by key; 1 rows, 0 entries read; compiled before")
    }

    @Test(arguments: ["another", "z"])
    func `every row of its type where a resource has several`(type: String) throws {
        try fixture.put([("1", "{}"), ("2", "{}")], type: type)
        #expect(try query.column("SELECT count(*) FROM items") == [.integer(Int64(Self.count))])
    }
}

@Suite struct `A compiled statement` {
    private let sql = "SELECT key FROM items WHERE price = ?"

    @Test func `is used again after commits, with other values`() throws {
        let fixture = try QueryStore()
        try fixture.put([("1", #"{"price": 1}"#)])
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        #expect(try !query.rows(sql, [1]).facts.usedCachedStatement)
        try fixture.put([("2", #"{"price": 2}"#)])
        let answer = try query.rows(sql, [2])
        #expect(answer.facts.usedCachedStatement)
        #expect(answer.rows.map(\.values) == [["2"]])
        #expect(throws: QueryError.self) { try query.rows(sql, [1, 2]) }
        #expect(try query.column(sql, [1]) == ["1"])
    }

    @Test func `is compiled anew where the rows have become many`() async throws {
        let fixture = try QueryStore()
        try await fixture.store.declareIndex(itemTable().index(on: "price", name: "by price"))
        try fixture.put((0..<4).map { ("\($0)", #"{"price": 1}"#) })
        let query = try StoreQuery(fixture.store, tables: [itemTable()])
        let parameters = "SELECT name FROM items WHERE price = ?"
        #expect(try query.rows(parameters, [1]).facts.uses.map(\.access) == [.scan])
        try fixture.put((4..<1000).map { ("\($0)", #"{"price": \#($0)}"#) })
        let found = try query.rows(parameters, [7])
        #expect(found.facts.uses.map(\.access) == [.index("by price")])
        #expect(found.facts.rowsVisited == 1)
    }

    @Test func `is compiled anew where indexes or resources are others`() async throws {
        let fixture = try QueryStore()
        try fixture.put((0..<100).map { ("\($0)", #"{"price": \#($0)}"#) })
        let query = try StoreQuery(fixture.store, tables: [itemTable(of: .group(items.group))])
        #expect(try query.rows(sql, [1]).facts.uses.map(\.access) == [.scan])
        try await fixture.store.declareIndex(
            IndexDefinition(
                name: "by price", group: items.group, type: "item", path: #require(JSONPath("$.price"))))
        let found = try query.rows(sql, [1])
        #expect(!found.facts.usedCachedStatement)
        #expect(found.facts.uses.map(\.access) == [.index("by price")])
        let ordered = "SELECT price FROM items ORDER BY price LIMIT 3"
        #expect(try query.column(ordered) == [0, 1, 2])
        try fixture.put([("1", #"{"price": -1}"#)], in: ResourceKey(items.group, 2))
        #expect(try query.column(ordered) == [-1, 0, 1])
        _ = try await fixture.store.removeIndex(named: "by price")
        #expect(try query.column(sql, [-1]) == ["1"])
    }
}

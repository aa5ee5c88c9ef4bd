// Proves that objects are queried by SQL clauses and predicates, with their collections and local writes.

import LarderFormat
import LarderQuery
import LarderStore
import Testing

@Suite struct `Objects that fulfil a condition` {
    private let fixture: QueryStore
    private let query: StoreQuery

    init() throws {
        fixture = try QueryStore()
        try fixture.put(
            [
                ("1", #"{"price": 40, "name": "anchovy"}"#), ("2", #"{"price": 60, "name": "apple"}"#),
                ("3", #"{"price": 45, "name": "a*c"}"#), ("4", #"{"name": "bread"}"#), ("5", #"{"price": "a'b"}"#),
            ], updatedAt: 7)
        query = try StoreQuery(fixture.store, tables: [itemTable()])
    }

    private func keys(
        _ predicate: QueryPredicate, order: [Order] = [.ascending("key")], limit: Int? = nil
    ) throws -> [String] {
        try query.objects(of: "items", where: predicate, order: order, limit: limit).map(\.key.key)
    }

    @Test func `are queried by clauses of SQL`() throws {
        let found = try query.objects(
            of: "items", where: "Price < 50 AND name LIKE 'a%'", order: "name DESC", limit: 10)
        #expect(found.map(\.key.key) == ["1", "3"])
        #expect(found[0].key == RowKey(resource: items, type: "item", key: "1"))
        #expect(found[0].updatedAt == 7)
        #expect(String(decoding: found[0].payload, as: UTF8.self) == #"{"price": 40, "name": "anchovy"}"#)
        #expect(try query.objects(of: "items").count == 5)
        #expect(try query.objects(of: "items", where: "price < ? -- cheap", [50], limit: 1).count == 1)
        #expect(try query.objects(of: "items", limit: 0).isEmpty)
    }

    @Test func `are queried by a predicate`() throws {
        #expect(try keys(.less("price", 50)) == ["1", "3"])
        #expect(try keys(.less("price", 50) && .hasPrefix("name", "a*")) == ["3"])
        #expect(try keys(.equal("price", 60) || .isNull("price")) == ["2", "4"])
        #expect(try keys(!.equal("price", 60)) == ["1", "3", "5"])
        #expect(try keys(.notEqual("price", 60)) == ["1", "3", "5"])
        #expect(try keys(.among("key", ["2", 4, "9"])) == ["2", "4"])
        #expect(try keys(.among("key", [])) == [])
        #expect(try keys(.greaterOrEqual("price", 45) && .lessOrEqual("price", 60)) == ["2", "3"])
        #expect(try keys(.greater("price", 60)) == ["5"])
        #expect(try keys(.all, order: [.descending("price"), .ascending("key")], limit: 2) == ["5", "2"])
        #expect(try keys(.hasPrefix("name", "[")) == [])
    }

    @Test func `are never queried by the text of a value`() throws {
        #expect(try keys(.equal("price", "a'b")) == ["5"])
        #expect(try keys(.equal("name", "' OR 1=1 --")) == [])
        #expect(throws: QueryError.self) { try keys(.equal("price\" = 1 OR \"1", 1)) }
        #expect(throws: QueryError.unknownColumn("items.cost", offset: nil)) {
            do {
                _ = try keys(.equal("cost", 1), order: [])
            } catch QueryError.unknownColumn(let name, _) {
                throw QueryError.unknownColumn(name, offset: nil)
            }
        }
        #expect(throws: QueryError.unknownTable("nowhere", offset: nil)) {
            try query.objects(of: "nowhere", where: .all)
        }
        // A name in double quotes is a column, and never a text.
        #expect(throws: QueryError.self) { try query.rows(#"SELECT * FROM items WHERE name = "apple""#) }
    }

    @Test func `are joined with the collections that contain them`() throws {
        func at(_ key: String) -> RowKey { RowKey(resource: items, type: "item", key: key) }
        try fixture.store.writeBlocking { transaction in
            try transaction.putCollection(
                CollectionName(class: "item", query: "price < 50"), rows: [at("3"), at("9"), at("1")], home: items,
                fetchedAt: 1)
            try transaction.putCollection(
                CollectionName(class: "item", query: ""), rows: [at("2")], home: items, fetchedAt: 1)
            try transaction.putCollection(
                CollectionName(class: "other", query: "price < 50"), rows: [at("4")], home: items, fetchedAt: 1)
            try transaction.putCollection(
                CollectionName(class: "item", query: "none"), rows: [], home: items, fetchedAt: 1)
        }
        let members = try query.rows(
            """
            SELECT m.key, i.name FROM collection_members m LEFT JOIN items i ON i.key = m.key
            WHERE m.class = 'item' AND m.query = ? ORDER BY m.position
            """, ["price < 50"])
        #expect(members.rows.map(\.values) == [["3", "a*c"], ["9", .null], ["1", "anchovy"]])
        #expect(try query.column("SELECT count(*) FROM collection_members") == [5])
        #expect(try query.column("SELECT key FROM collection_members WHERE class = 'other'") == ["4"])
        #expect(
            try query.column("SELECT key FROM collection_members WHERE query = 'price < 50' AND class > 'k'") == ["4"])
    }

    @Test func `of a group are those of all its resources`() throws {
        for id in 2...4 {
            try fixture.put([("1", #"{"price": \#(id)}"#)], in: ResourceKey("items", Int64(id)))
        }
        try fixture.put([("1", "{}")], in: ResourceKey("item", 2))
        let query = try StoreQuery(fixture.store, tables: [itemTable(of: .group("items"))])
        #expect(try query.column("SELECT resource_id FROM items WHERE key = '1'") == [1, 2, 3, 4])
        #expect(try query.column("SELECT price FROM items WHERE resource_id = 3") == [3])
        let one = try query.rows("SELECT price FROM items WHERE resource_id = 3 AND resource_group = 'items'")
        #expect(one.facts.rowsVisited == 1)
        #expect(try query.column("SELECT count(*) FROM items WHERE resource_group = 'item'") == [0])
        #expect(try query.column("SELECT count(*) FROM items WHERE key IN ('1', '2', 'x')") == [5])
    }

    @Test func `of local writes are found before the server has them`() throws {
        let query = try StoreQuery(fixture.store, tables: [itemTable(of: .resource(ResourceKey("new", 1)))])
        #expect(try query.column("SELECT key FROM items") == [])
        try fixture.store.writeBlocking { transaction in
            try transaction.applyOverlay(
                .replacement(Array(#"{"price": 5}"#.utf8)),
                at: RowKey(resource: ResourceKey("new", 1), type: "item", key: "a"), updatedAt: 1)
        }
        #expect(try query.column("SELECT key FROM items WHERE price = 5") == ["a"])
    }
}

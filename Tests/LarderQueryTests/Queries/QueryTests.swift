// Proves that SQL queries read columns out of payloads, bind values, and see one consistent snapshot.

import LarderFormat
import LarderQuery
import LarderStore
import Testing

@Suite struct `A query in SQL` {
    private let fixture: QueryStore
    private let query: StoreQuery

    init() throws {
        fixture = try QueryStore()
        try fixture.put(
            [
                ("1", #"{"price": 40, "name": "anchovy", "address": {"city": "Vigo"}}"#),
                ("2", #"{"price": 60.5, "name": "Apple"}"#),
                ("10", #"{"price": null, "name": "bread \u00e9\n", "tags": [1, 2]}"#),
                ("x-1", #"{"price": "60.5", "name": "Zwieback"}"#),
            ], updatedAt: 77)
        query = try StoreQuery(fixture.store, tables: [itemTable()])
    }

    /// §5.4.5.
    @Test func `reads columns out of payloads`() throws {
        let answer = try query.rows("SELECT key, price, name, city FROM items WHERE price < 50")
        #expect(answer.columns == ["key", "price", "name", "city"])
        #expect(answer.rows.map(\.values) == [["1", 40, "anchovy", "Vigo"]])
        #expect(answer.rows[0]["CITY"] == "Vigo")
        #expect(answer.rows[0]["elsewhere"] == nil)
    }

    @Test func `shows key and declared columns, and the rest when requested`() throws {
        #expect(
            try query.rows("SELECT * FROM items LIMIT 1").columns == ["key", "price", "name", "title", "v", "city"])
        let hidden = try query.rows("SELECT updated_at, payload, resource_group, resource_id FROM items WHERE key = 2")
        #expect(hidden.rows.map(\.values) == [[77, #"{"price": 60.5, "name": "Apple"}"#, "items", 1]])
    }

    @Test func `distinguishes classes of values as SQLite does`() throws {
        #expect(try query.column("SELECT key FROM items WHERE price = 60.5") == ["2"])
        #expect(try query.column("SELECT key FROM items WHERE price = '60.5'") == ["x-1"])
        #expect(try query.column("SELECT key FROM items WHERE price IS NULL") == ["10"])
        #expect(try query.column("SELECT typeof(price) FROM items") == ["integer", "real", "null", "text"])
    }

    @Test func `supports SQLite's functions, including JSON's`() throws {
        let sum = try query.column("SELECT sum(json_extract(payload, '$.tags[1]')) FROM items")
        #expect(sum == [2])
        let each = try query.column("SELECT value FROM items, json_each(payload, '$.tags') ORDER BY value DESC")
        #expect(each == [2, 1])
    }

    @Test func `compares by the collation of the column`() throws {
        #expect(try query.column("SELECT name FROM items WHERE title = 'APPLE'") == ["Apple"])
        #expect(try query.column("SELECT name FROM items WHERE name = 'APPLE'") == [])
        #expect(try query.column("SELECT key FROM items ORDER BY title") == ["1", "2", "10", "x-1"])
        #expect(try query.column("SELECT key FROM items ORDER BY name") == ["2", "x-1", "1", "10"])
    }

    @Test func `binds values and never inserts them into the text`() throws {
        #expect(try query.column("SELECT ?1 || ?2", ["a'--", "b"]) == ["a'--b"])
        #expect(try query.column("SELECT ?", [.blob([0, 255])]) == [.blob([0, 255])])
        #expect(try query.column("SELECT typeof(?)", [.null]) == ["null"])
        #expect(try query.column("SELECT ?", [.text("")]) == [""])
        #expect(try query.column("SELECT typeof(?)", [.blob([])]) == ["blob"])
        #expect(throws: QueryError.argumentCount(expected: 1, given: 0)) { try query.rows("SELECT ?") }
    }

    @Test func `ends early when the reader stops`() throws {
        var seen = 0
        let facts = try query.forEachRow("SELECT * FROM items") { _ in
            seen += 1
            return seen < 2
        }
        #expect(seen == 2)
        #expect(facts.rowsVisited <= 4)
    }

    @Test func `can run while another one's results are read`() throws {
        var inner: [SQLValue] = []
        try query.forEachRow("SELECT key FROM items ORDER BY key DESC LIMIT 1") { row in
            inner = try query.column("SELECT name FROM items WHERE key = ?", [row[0]])
            return true
        }
        #expect(inner == ["Zwieback"])
    }

    @Test func `sees one state, whatever is written meanwhile`() throws {
        // The tables are read anew for every row of the outer loop, and a commit lies between.
        var counts: [SQLValue] = []
        try fixture.store.read { _ in
            counts += try query.column("SELECT count(*) FROM items")
            let writer = Writer(fixture)
            try writer.run()
            counts += try query.column("SELECT count(*) FROM items a JOIN items b ON a.key = b.key")
        }
        counts += try query.column("SELECT count(*) FROM items")
        #expect(counts == [4, 4, 5])
    }
}

/// Writes from a thread of its own: inside a read that would be a mistake.
private struct Writer {
    let fixture: QueryStore

    init(_ fixture: QueryStore) { self.fixture = fixture }

    func run() throws {
        let fixture = fixture
        let thread = OtherThread { try? fixture.put([("99", "{}")]) }
        thread.join()
    }
}

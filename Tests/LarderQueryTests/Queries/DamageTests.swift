// Proves that damage fails the query or search that reads it, and no other.

import Foundation
import LarderEngine
import LarderFormat
import LarderJSON
import LarderQuery
import LarderStore
import LarderTesting
import Testing

@Suite struct `A damaged row` {
    private let damaged: QueryCopy

    init() async throws {
        let fixture = try QueryStore()
        try fixture.put((0..<9).map { ("\($0)", #"{"price": \#($0), "name": "word \#($0)"}"#) })
        try await fixture.store.declareIndex(
            IndexDefinition(
                name: "by price", group: items.group, type: "item", path: #require(JSONPath("$.price"))))
        // The row `5` has another payload than its checksum says.
        damaged = try QueryCopy(of: fixture.store) { table, record in
            guard table == .rows, record.key.last == 5, record.value.count > 30 else { return }
            record.value[record.value.count - 3] ^= 1
        }
    }

    @Test(
        arguments: [
            "SELECT count(name) FROM items", "SELECT name FROM items WHERE key = '5'",
            "SELECT name FROM items WHERE price = 5", "SELECT name FROM items ORDER BY price",
        ])
    func `fails the query that reads it, as damage`(sql: String) throws {
        let query = try StoreQuery(damaged.store, tables: [itemTable()])
        #expect(throws: StoreError.damaged(table: "rows", reason: .checksumMismatch)) { try query.rows(sql) }
        // The next query succeeds.
        #expect(try query.column("SELECT name FROM items WHERE price = 4") == ["word 4"])
    }

    @Test func `fails the search that reads it, and leaves no partial word index`() throws {
        let table = try TableDefinition(
            "items", of: .resource(items), type: "item", columns: [ColumnDefinition("name")],
            searched: [SearchField("name")])
        let query = try StoreQuery(damaged.store, tables: [table])
        for _ in 0..<2 {
            #expect(throws: StoreError.damaged(table: "rows", reason: .checksumMismatch)) {
                try query.search("items", .words("word"))
            }
        }
    }
}

@Suite struct `A damaged entry of an index` {
    @Test(arguments: [0, 8])
    func `fails the query that reads it, and none that does not`(damaged: Int) async throws {
        let fixture = try QueryStore()
        try fixture.put((0..<9).map { ("\($0)", #"{"price": \#($0), "name": "word \#($0)"}"#) })
        try await fixture.store.declareIndex(itemTable().index(on: "price", name: "by price"))
        let copy = try QueryCopy(of: fixture.store) { table, record in
            guard table == .indexes, case .entry(let entry)? = try? IndexKey(decoding: record.key.rawSpan),
                case .row(_, "\(damaged)") = entry.address
            else { return }
            record.value[record.value.count - 1] ^= 1
        }
        let query = try StoreQuery(copy.store, tables: [itemTable()])
        let byKey = try query.rows("SELECT name FROM items WHERE key = ? AND price = ?", ["4", 4])
        #expect(byKey.rows.map(\.values) == [["word 4"]])
        #expect(try query.column("SELECT name FROM items WHERE price = ?", [5]) == ["word 5"])
        #expect(throws: StoreError.damaged(table: "indexes", reason: .checksumMismatch)) {
            try query.rows("SELECT name FROM items WHERE price = ?", [.integer(Int64(damaged))])
        }
    }
}

@Suite struct `A damaged page of an index` {
    @Test func `fails the query that reads it, and none that does not`() async throws {
        let fixture = try QueryStore()
        try fixture.put((0..<1000).map { ("\($0)", #"{"name": "ZEBRA \#($0)"}"#) })
        // Only the entries of an index without regard to case have small letters; its declaration is on the first page.
        try await fixture.store.declareIndex(itemTable().index(on: "title", name: "by title"))
        try fixture.store.close()
        try damageLeaves(with: "zebra 999\0", in: fixture.path)
        let store = try Store.open(at: fixture.path, host: .virtual(VirtualClock()))
        let query = try StoreQuery(store, tables: [itemTable()])
        let both = "SELECT name FROM items WHERE key = ? AND title = ?"
        #expect(try query.column(both, ["999", "zebra 999"]) == ["ZEBRA 999"])
        #expect(try query.column("SELECT name FROM items WHERE key = '999' AND title = 'zebra 999'") == ["ZEBRA 999"])
        #expect(throws: EngineError.self) { try query.rows("SELECT name FROM items WHERE title = 'zebra 999'") }
        try store.close()
    }

    /// Damages each leaf page with a text, so that a check of the page finds it.
    private func damageLeaves(with text: String, in path: String) throws {
        let file = URL(fileURLWithPath: path + "/data.mdb")
        var data = try Data(contentsOf: file)
        for page in stride(from: 2 * 4096, to: data.count, by: 4096)
        where data[page + 10] == 2 && data.range(of: Data(text.utf8), in: page..<page + 4096) != nil {
            data[page + 14] ^= 1
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: data)
        try handle.close()
    }
}

/// A copy of a store, record by record, with some of them changed.
private final class QueryCopy: Sendable {
    let store: Store
    private let path: String

    init(of source: Store, _ change: (TableName, inout RawRecord) -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/larder-query-\(UUID().uuidString)"
        self.path = path
        try source.read { view in
            try Store.make(at: path) { filler in
                for table in TableName.allCases {
                    var last: [UInt8]?
                    while true {
                        let page = try view.rawRecords(of: table, after: last)
                        for var record in page {
                            change(table, &record)
                            try filler.append(record, to: table)
                        }
                        guard let end = page.last else { break }
                        last = end.key
                    }
                }
            }
        }
        store = try Store.open(at: path, host: .virtual(VirtualClock()))
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: path)
    }
}

// DecodedItems: ingest as apps write it themselves: JSONDecoder, then SQLite.

import Foundation
import LarderQuery

/// Ingest as apps write it themselves: JSONDecoder makes values of a body, and SQLite stores them in columns.
struct DecodedItems {
    private struct Snapshot: Decodable {
        var records: [ShopItems.Item]
    }

    private struct Page: Decodable {
        struct Sync: Decodable {
            var mutations: [Mutation]
        }
        struct Mutation: Decodable {
            var sequence: Int
            var type: String
            var resource_id: Int
            var record_key: String
            var data: ShopItems.Item
        }
        var sync: Sync
    }

    let sqlite: SQLDatabase
    private let insert: SQLStatement

    init(path: String) throws {
        sqlite = try SQLDatabase(path: path)
        try sqlite.execute(
            """
            CREATE TABLE items(resource INTEGER, key INTEGER, sku TEXT, category INTEGER, price INTEGER,
            stock INTEGER, name TEXT, text TEXT, PRIMARY KEY(resource, key)) WITHOUT ROWID
            """)
        insert = try SQLStatement(sqlite, "INSERT OR REPLACE INTO items VALUES(?1,?2,?3,?4,?5,?6,?7,?8)")
    }

    /// Stores the records of a snapshot, in one commit.
    func load(_ snapshot: SnapshotBody) throws {
        let records = try JSONDecoder().decode(Snapshot.self, from: Data(snapshot.bytes)).records
        try sqlite.transact { for item in records { try insert.run(values(snapshot.number, item)) } }
    }

    /// Stores the changes of a page, in one commit.
    func apply(page: [UInt8]) throws {
        let mutations = try JSONDecoder().decode(Page.self, from: Data(page)).sync.mutations
        try sqlite.transact {
            for mutation in mutations { try insert.run(values(mutation.resource_id, mutation.data)) }
        }
    }

    /// The number of items, the sum of their stocks, and the bytes of their texts.
    func totals() throws -> [Int64] {
        var totals: [Int64] = []
        try SQLStatement(sqlite, "SELECT count(*), sum(stock), sum(length(CAST(text AS BLOB))) FROM items").run([]) {
            row in
            totals = (0..<3).map { row.integer(at: $0) }
        }
        return totals
    }

    private func values(_ resource: Int, _ item: ShopItems.Item) -> [SQLValue] {
        [
            .integer(Int64(resource)), .integer(Int64(item.id)), .text(item.sku), .integer(Int64(item.category)),
            .integer(Int64(item.price)), .integer(Int64(item.stock)), .text(item.name), .text(item.text),
        ]
    }
}

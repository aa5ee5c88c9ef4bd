// ShopFixture: a catalogue in a Larder store and in SQLite, with the same indexes.

import LarderFormat
import LarderQuery
import LarderStore

/// A catalogue, its categories and a catalogue of a tenth of the size, in a Larder store and in SQLite.
struct ShopFixture {
    let directory: ScratchDirectory
    let items: ShopItems
    let store: Store
    let query: StoreQuery
    let sqlite: SQLDatabase

    static func make(count: Int, options: StoreOptions = StoreOptions()) async throws -> ShopFixture {
        let directory = try ScratchDirectory()
        let items = ShopItems(count: count)
        let store = try openStore(at: directory.path("store"), options: options)
        let tables = try Self.tables()
        try await store.declareIndexes(ShopTables.indexed.map { try tables[0].index(on: $0) })
        try await store.load(items, into: ShopItems.resource(1))
        try await store.load(ShopItems(count: count / 10), into: ShopItems.resource(2))
        try await store.write { transaction in
            for category in 1...items.categories {
                let key = RowKey(resource: ResourceKey("shops", 1), type: "category", key: String(category))
                let payload = Array("{\"title\":\"\(title(category))\"}".utf8)
                try transaction.put(payload, at: key, updatedAt: TranslationRows.updatedAt)
            }
        }
        try await store.reclaim()
        let sqlite = try SQLDatabase(path: directory.path("peer.sqlite"))
        try ShopTables.load(items, into: sqlite)
        try ShopTables.makeIndexes(sqlite)
        try fill(sqlite, items)
        return ShopFixture(
            directory: directory, items: items, store: store, query: try StoreQuery(store, tables: tables),
            sqlite: sqlite)
    }

    func close() throws { try store.close() }

    private static func tables() throws -> [TableDefinition] {
        [
            try ShopTables.definition("items", of: 1), try ShopTables.definition("tenth", of: 2),
            try TableDefinition(
                "categories", of: .resource(ResourceKey("shops", 1)), type: "category",
                columns: [ColumnDefinition("title")]),
        ]
    }

    private static func title(_ category: Int) -> String { "category \(category)" }

    /// Puts the categories and the smaller catalogue into SQLite.
    private static func fill(_ sqlite: SQLDatabase, _ items: ShopItems) throws {
        try sqlite.execute(
            """
            CREATE TABLE categories(key INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE tenth(key INTEGER PRIMARY KEY, price INTEGER);
            INSERT INTO tenth SELECT key, price FROM items LIMIT \(items.count / 10);
            """)
        let insert = try SQLStatement(sqlite, "INSERT INTO categories VALUES(?1,?2)")
        try sqlite.transact {
            for category in 1...items.categories {
                try insert.run([.integer(Int64(category)), .text(title(category))])
            }
        }
        try sqlite.execute("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

/// The table of a catalogue, as both declare it.
enum ShopTables {
    static let indexed = ["sku", "category", "price"]

    static func definition(_ name: String, of resource: Int) throws -> TableDefinition {
        try TableDefinition(
            name, of: .resource(ShopItems.resource(resource)), type: ShopItems.type,
            columns: [
                ColumnDefinition("sku"), ColumnDefinition("category"), ColumnDefinition("price"),
                ColumnDefinition("stock"), ColumnDefinition("name"), ColumnDefinition("text"),
            ],
            searched: [SearchField("name"), SearchField("text")])
    }

    /// Loads the items into a new table `items`, in one commit.
    static func load(_ items: ShopItems, into sqlite: SQLDatabase) throws {
        let insert = try makeTable(sqlite)
        try sqlite.transact {
            for row in 0..<items.count { try insert.run(values(items[row], items.payload(row))) }
        }
    }

    /// Makes the table, and returns the statement that puts a row.
    static func makeTable(_ sqlite: SQLDatabase) throws -> SQLStatement {
        try sqlite.execute(
            """
            CREATE TABLE IF NOT EXISTS items(key INTEGER PRIMARY KEY, sku TEXT, category INTEGER, price INTEGER,
            stock INTEGER, name TEXT, text TEXT, payload TEXT)
            """)
        return try SQLStatement(sqlite, "INSERT OR REPLACE INTO items VALUES(?1,?2,?3,?4,?5,?6,?7,?8)")
    }

    static func makeIndexes(_ sqlite: SQLDatabase) throws {
        for column in indexed { try sqlite.execute("CREATE INDEX items_\(column) ON items(\(column))") }
    }

    static func values(_ item: ShopItems.Item, _ payload: [UInt8]) -> [SQLValue] {
        [
            .integer(Int64(item.id)), .text(item.sku), .integer(Int64(item.category)), .integer(Int64(item.price)),
            .integer(Int64(item.stock)), .text(item.name), .text(item.text),
            .text(String(decoding: payload, as: UTF8.self)),
        ]
    }
}

extension Store {
    /// Replaces a resource by `items`, in key order.
    func load(_ items: ShopItems, into resource: ResourceKey) async throws {
        try await replace(resource, appliedSequence: 0) { writer in
            for row in 0..<items.count {
                try await writer.append(
                    items.payload(row), type: ShopItems.type, key: String(row + 1),
                    updatedAt: TranslationRows.updatedAt)
            }
        }
    }
}

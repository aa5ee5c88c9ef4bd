// Indexing: three indexes and the words of a catalogue, built with its snapshot and later.

import LarderFormat
import LarderQuery
import LarderStore
import LarderSync

/// Three indexes and the words of a catalogue, built with its snapshot and later.
enum Indexing {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let items = ShopItems(count: isQuick ? 20_000 : 1_000_000)
        let size = isQuick ? "20 k rows" : "1 M rows"
        // A round of the full run takes more than 20 s.
        let rounds = isQuick ? 5 : 3
        return try await load(items, size, rounds) + [try await declareLater(items, size, rounds)]
    }

    private static func load(_ items: ShopItems, _ size: String, _ rounds: Int) async throws -> [Measurement] {
        let server = ContentServer([SnapshotBody(of: items, number: 1)])
        let series = try await interleaved(
            rounds: rounds, warmUp: false,
            [
                Contender(name: "Larder") { try await load(server, hasIndexes: true, hasWords: true) },
                Contender(name: "Larder") { try await load(server, hasIndexes: true, hasWords: false) },
                Contender(name: "without") { try await load(server, hasIndexes: false, hasWords: false) },
            ])
        return zip(["snapshot with three indexes and words", "snapshot with three indexes"], series).map {
            name, larder in
            Measurement(suite: "index", name: name, size: size, unit: "ms", larder: larder, peers: [series[2]])
        }
    }

    /// Syncs the snapshot into a new store, and searches its words. Milliseconds.
    private static func load(_ server: ContentServer, hasIndexes: Bool, hasWords: Bool) async throws -> Double {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        let sync = server.client(of: store)
        let query = try StoreQuery(store, tables: [ShopTables.definition("items", of: 1)])
        if hasIndexes { try await declare(store) }
        let filter = try ResourceFilter("\(ShopItems.group):*")
        let items = server.snapshots[0].items
        var found: [RowKey] = []
        let time = try await timedAsync(1) {
            _ = try await sync.sync(filter)
            if hasWords { found = try query.search("items", .words(items[5].name)).map(\.object.key) }
        }
        if hasWords { try expect(found.map(\.key).contains("6"), true, "the search of a name") }
        let count = try store.read { view in try view.resource(ShopItems.resource(1))?.rowCount }
        try expect(count, items.count, "rows")
        if hasIndexes { try check(query, items) }
        try store.close()
        return time / 1e6
    }

    private static func declareLater(_ items: ShopItems, _ size: String, _ rounds: Int) async throws -> Measurement {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        try await store.load(items, into: ShopItems.resource(1))
        try await store.reclaim()
        let query = try StoreQuery(store, tables: [ShopTables.definition("items", of: 1)])
        let sqlite = try SQLDatabase(path: directory.path("peer.sqlite"))
        try ShopTables.load(items, into: sqlite)
        try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let series = try await interleaved(
            rounds: rounds, warmUp: false,
            [
                Contender(name: "Larder") {
                    let time = try await timedAsync(1) { try await declare(store) }
                    try check(query, items)
                    for column in ShopTables.indexed { try await store.removeIndex(named: "items.\(column)") }
                    try await store.reclaim()
                    return time / 1e6
                },
                Contender(name: "SQLite") {
                    let time = try timed(1) { try ShopTables.makeIndexes(sqlite) }
                    for column in ShopTables.indexed { try sqlite.execute("DROP INDEX items_\(column)") }
                    try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    return time / 1e6
                },
            ])
        try store.close()
        return Measurement(
            suite: "index", name: "declare three indexes later", size: size, unit: "ms", larder: series[0],
            peers: [series[1]])
    }

    private static func declare(_ store: Store) async throws {
        let table = try ShopTables.definition("items", of: 1)
        try await store.declareIndexes(ShopTables.indexed.map { try table.index(on: $0) })
    }

    /// Checks that each index finds what it is to find.
    private static func check(_ query: StoreQuery, _ items: ShopItems) throws {
        let item = items[items.count / 2]
        let conditions: [(String, SQLValue, Int)] = [
            ("sku", .text(item.sku), 1), ("price", .integer(Int64(item.price)), 1),
            ("category", .integer(Int64(item.category)), items.count / items.categories),
        ]
        for (column, value, count) in conditions {
            let answer = try query.rows("SELECT count(*) FROM items WHERE \(column) = ?1", [value])
            try expect(answer.rows.first?[0], .integer(Int64(count)), "rows found by \(column)")
            try expect(answer.facts.usesIndex, true, "the use of the index of \(column)")
        }
    }
}

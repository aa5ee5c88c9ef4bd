// Searches: full-text search in a catalogue, beside SQLite's FTS5 over its own table.

import LarderFormat
import LarderQuery
import LarderStore

/// Full-text search in a catalogue, beside SQLite's FTS5 over its own table.
enum Searches {
    static func run(isQuick: Bool) async throws -> [Measurement] {
        let fixture = try await Fixture(ShopItems(count: isQuick ? 20_000 : 1_000_000))
        let size = isQuick ? "20 k rows" : "1 M rows"
        // A round of the full run takes more than 20 s.
        let built = try await interleaved(
            rounds: isQuick ? 5 : 3, warmUp: false,
            [
                Contender(name: "Larder") { try fixture.searchFirst() },
                Contender(name: "SQLite") { try fixture.build() },
            ])
        let measurements = [
            Measurement(
                suite: "search", name: "first after a snapshot", size: size, unit: "ms", larder: built[0],
                peers: [built[1]]),
            try await .compare("search", "a query", size: size, unit: "µs", rounds: 7, fixture.queries()),
            try await .compare(
                "search", "first after one changed row", size: size, unit: "ms", rounds: 9,
                [
                    Contender(name: "Larder") { try await fixture.searchAfterChange() },
                    Contender(name: "SQLite, change and search") { try fixture.changeAndSearch() },
                ]),
        ]
        try fixture.store.close()
        return measurements
    }

    /// A catalogue in a store and in SQLite.
    private final class Fixture {
        private static let match = """
            SELECT i.key, -bm25(words) AS score, snippet(words, -1, '[', ']', '…', 16), i.payload
            FROM words JOIN items i ON i.key = words.rowid WHERE words MATCH ?1 ORDER BY score DESC, i.key LIMIT 20
            """
        private let directory: ScratchDirectory
        private let items: ShopItems
        let store: Store
        private let query: StoreQuery
        private let sqlite: SQLDatabase
        private var round = 0

        init(_ items: ShopItems) async throws {
            self.items = items
            directory = try ScratchDirectory()
            store = try openStore(at: directory.path("store"))
            try await store.load(items, into: ShopItems.resource(1))
            query = try StoreQuery(store, tables: [ShopTables.definition("items", of: 1)])
            sqlite = try SQLDatabase(path: directory.path("peer.sqlite"))
            try ShopTables.load(items, into: sqlite)
            try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }

        /// Searches while no words are kept. Milliseconds.
        func searchFirst() throws -> Double {
            StoreQuery.removeWordIndex(at: directory.path("store"))
            var hits: QueryResults<SearchHit>?
            let time = try timed(1) { hits = try query.search("items", .words(items[5].name)) }
            try expect(hits?.facts.rowsIndexed, items.count, "rows whose words were read")
            try expect(hits?.contains { $0.object.key.key == "6" }, true, "the search of a name")
            return time / 1e6
        }

        /// Makes the same table of words in a new file of SQLite. Milliseconds.
        func build() throws -> Double {
            if round > 0 { try sqlite.execute("DETACH search") }
            round += 1
            let time = try timed(1) {
                try sqlite.execute(
                    """
                    ATTACH '\(directory.path("words-\(round).sqlite"))' AS search; PRAGMA search.journal_mode=WAL;
                    PRAGMA search.synchronous=FULL;
                    CREATE VIRTUAL TABLE search.words USING fts5(name, text, tokenize='unicode61 remove_diacritics 2');
                    INSERT INTO search.words(rowid, name, text) SELECT key, name, text FROM items;
                    """)
            }
            var count: Int64 = 0
            try SQLStatement(sqlite, "SELECT count(*) FROM words").run([]) { count = $0.integer(at: 0) }
            try expect(count, Int64(items.count), "rows with words")
            return time / 1e6
        }

        /// Searches of two words each, with snippets and payloads, and a check that both find the same.
        func queries() throws -> [Contender] {
            let texts = (0..<50).map { items[$0 * 131].name }
            let statement = try SQLStatement(sqlite, Self.match)
            var expected: [Int64] = []
            for text in texts { try statement.run([.text(text)]) { expected.append($0.integer(at: 0)) } }
            return [
                Contender(name: "Larder") { [query] in
                    var found: [Int64?] = []
                    let time = try timed(texts.count) {
                        for text in texts { found += try query.search("items", .words(text)).map(Self.number) }
                    }
                    try expect(found, expected, "keys found by words")
                    return time / 1e3
                },
                Contender(name: "SQLite") {
                    var found: [Int64?] = []
                    var sum: UInt64 = 0
                    let time = try timed(texts.count) {
                        for text in texts {
                            try statement.run([.text(text)]) { row in
                                found.append(row.integer(at: 0))
                                sum &+= row.sum
                            }
                        }
                    }
                    blackHole(sum)
                    try expect(found, expected, "keys found by words")
                    return time / 1e3
                },
            ]
        }

        /// Changes a row, and searches its new name. Milliseconds of the search.
        func searchAfterChange() async throws -> Double {
            round += 1
            let row = round * 977
            let newer = ShopItems(count: items.count, version: round)
            let key = RowKey(resource: ShopItems.resource(1), type: ShopItems.type, key: String(row + 1))
            try await store.write { transaction in
                try transaction.put(newer.payload(row), at: key, updatedAt: TranslationRows.updatedAt)
            }
            var hits: QueryResults<SearchHit>?
            let time = try timed(1) { hits = try query.search("items", .words(newer[row].name)) }
            try expect(hits?.facts.rowsIndexed, 1, "rows whose words were read")
            try expect(hits?.contains { $0.object.key == key }, true, "the search of the new name")
            return time / 1e6
        }

        /// Changes the same row in SQLite, and searches its new name. Milliseconds.
        func changeAndSearch() throws -> Double {
            let row = round * 977
            let item = ShopItems(count: items.count, version: round)[row]
            let values: [SQLValue] = [.integer(Int64(item.id)), .text(item.name), .text(item.text)]
            let statements = try ["items", "words"].map { table in
                let key = table == "items" ? "key" : "rowid"
                return try SQLStatement(sqlite, "UPDATE \(table) SET name = ?2, text = ?3 WHERE \(key) = ?1")
            }
            let match = try SQLStatement(sqlite, Self.match)
            var found: [Int64] = []
            let time = try timed(1) {
                try sqlite.transact { for statement in statements { try statement.run(values) } }
                try match.run([.text(item.name)]) { found.append($0.integer(at: 0)) }
            }
            try expect(found.contains(Int64(item.id)), true, "the search of the new name")
            return time / 1e6
        }

        private static func number(_ hit: SearchHit) -> Int64? { Int64(hit.object.key.key) }
    }
}

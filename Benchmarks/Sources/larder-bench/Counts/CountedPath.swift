// CountedPath: the hot paths whose work is counted.

import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderQuery
import LarderStore

/// A hot path whose work is counted.
struct CountedPath: Sendable {
    let name: String
    let operations: Int
    /// The kinds that are not compared, because they depend on time.
    var uncompared: Set<Counts.Kind> = []
    var prepare: @Sendable (CountFixture) async throws -> Void = { _ in }
    /// Does the operations, and checks their number.
    let run: @Sendable (CountFixture) async throws -> Void

    static let all = reads + statements + writes + services

    private static let reads = [
        getEach("get, a view each", in: { $0.content.store }),
        getEach("get, a view each, opened again", in: { $0.opened }),
        CountedPath(name: "get, one view", operations: 2_000) { fixture in
            let found = try fixture.content.store.read { view in try countRows(fixture.keys, in: view) }
            try expect(found, 2_000, "rows")
        },
        CountedPath(name: "get, patched row", operations: 1_000) { fixture in
            let count = try fixture.content.store.read { view in try countRows(fixture.patchedKeys, in: view) }
            try expect(count, 1_000, "rows")
        },
        scan("scan, verified", of: { ($0.content.store, $0.resource) }),
        scan("scan, verified, opened again", of: { ($0.opened, $0.resource) }),
        scan("scan, unverified", of: { ($0.content.store, $0.resource) }, verified: false),
        scan("scan of patched rows", of: { ($0.content.store, $0.overlaid) }, rows: CountFixture.patched),
        CountedPath(name: "50 rows from the end", operations: 10) { fixture in
            let store = fixture.content.store
            for _ in 0..<10 {
                let count = try store.read { view in
                    try view.forEachRow(in: .all(of: fixture.overlaid), reversed: true, limit: 50) { _ in }
                }
                try expect(count, 50, "rows")
            }
        },
    ]

    private static let statements = [
        CountedPath(name: "sql, by key", operations: 200) { fixture in
            for key in fixture.keys.prefix(200) {
                let answer = try fixture.query.rows("SELECT language_name FROM rows WHERE key = ?", [.text(key.key)])
                try expect(answer.rows.count >= 1, true, "the row")
            }
        },
        statement("sql, indexed equality", "SELECT name, price FROM items WHERE sku = ?1", rows: 1) { items, run in
            [.text(items[run].sku)]
        },
        statement(
            "sql, rows of an index, per row", "SELECT name, price FROM items WHERE category = ?1", rows: 1_000, runs: 5
        ) { _, run in [.integer(Int64(run + 1))] },
        statement(
            "sql, join of 20, per row",
            "SELECT i.name, c.title FROM items i JOIN categories c ON c.key = i.category WHERE i.sku >= ?1 AND i.sku < ?2",
            rows: 20, runs: 50
        ) { items, run in [.text(items.sku(run)), .text(items.sku(run + 20))] },
        statement("sql, scan of a column, per row", "SELECT stock FROM items", rows: CountFixture.shopItems, runs: 1) {
            _, _ in []
        },
    ]

    private static let writes = [
        CountedPath(name: "write, one row", operations: 50) { fixture in
            for key in fixture.keys.prefix(50) { try await put([key], into: fixture.empty.store) }
        },
        // The system merges notices of changes of the file, which observers of other processes' commits receive.
        CountedPath(name: "write, one row beside 1,000 observers", operations: 50, uncompared: [.allocations]) {
            fixture in
            for key in fixture.keys.prefix(50) { try await put([key], into: fixture.content.store) }
        },
        CountedPath(name: "write, 100 rows in one commit", operations: 10) { fixture in
            for _ in 0..<10 { try await put(fixture.keys.prefix(100), into: fixture.content.store) }
        },
        CountedPath(name: "load and reclaim, per row", operations: CountFixture.rowCount) { fixture in
            try await fixture.content.store.load(fixture.rows, into: fixture.loaded)
            try await fixture.content.store.reclaim()
        },
        CountedPath(name: "enqueue with a key, 1,000 pending", operations: 100) { fixture in
            try await fixture.enqueueAndAbort(100)
        },
        CountedPath(
            // Answers that are in together share a commit.
            name: "deliver, per entry", operations: 100, uncompared: [.pages, .commits, .allocations],
            prepare: { try await $0.empty.enqueue(100) },
            run: { try await expect($0.empty.outbox.drain(within: .seconds(600)).unsent, 0, "unsent writes") }),
    ]

    private static let services = [
        hit("http hit of 4 KB, memory", { $0.memory }), hit("http hit of 4 KB, store", { $0.persistent }),
    ]

    private static func countRows(_ keys: [RowKey], in view: borrowing ReadView) throws -> Int {
        var count = 0
        for key in keys { count += try view.row(at: key) == nil ? 0 : 1 }
        return count
    }

    private static func getEach(
        _ name: String, in store: @escaping @Sendable (CountFixture) -> Store
    ) -> CountedPath {
        CountedPath(name: name, operations: 2_000) { fixture in
            let store = store(fixture)
            var found = 0
            for key in fixture.keys { found += try store.read { view in try view.row(at: key) == nil ? 0 : 1 } }
            try expect(found, 2_000, "rows")
        }
    }

    private static func scan(
        _ name: String, of content: @escaping @Sendable (CountFixture) -> (Store, ResourceKey),
        rows: Int = CountFixture.rowCount, verified: Bool = true
    ) -> CountedPath {
        CountedPath(name: name, operations: rows) { fixture in
            let (store, resource) = content(fixture)
            let found = try store.read { try $0.forEachRow(in: .all(of: resource), verified: verified) { _ in } }
            try expect(found, rows, "rows")
        }
    }

    private static func hit(_ name: String, _ cache: @escaping @Sendable (CountFixture) -> HTTPCache) -> CountedPath {
        CountedPath(name: name, operations: 500) { fixture in
            for _ in 0..<500 {
                let bytes = try await cache(fixture).fetch(fixture.request).value.body.bytes()
                try expect(bytes.count, 4_096, "bytes of the body")
            }
        }
    }

    /// A statement over the catalogue that finds so many rows each time; what is counted is a row.
    private static func statement(
        _ name: String, _ sql: String, rows: Int, runs: Int = 200,
        _ values: @escaping @Sendable (ShopItems, Int) -> [SQLValue]
    ) -> CountedPath {
        CountedPath(name: name, operations: rows * runs) { fixture in
            for run in 0..<runs {
                var found = 0
                try fixture.shop.forEachRow(sql, values(fixture.items, run)) { _ in
                    found += 1
                    return true
                }
                try expect(found, rows, "rows")
            }
        }
    }

    private static func put(_ keys: some Collection<RowKey> & Sendable, into store: Store) async throws {
        let payload = Array("{\"text\":\"counted\"}".utf8)
        try await store.write { transaction in
            for key in keys { try transaction.put(payload, at: key, updatedAt: 0) }
        }
    }
}

// ChangeSyncs: 10,000 changes of rows that arrive as pages of JSON, until all are stored.

import LarderFormat
import LarderQuery
import LarderStore
import LarderSync

/// 10,000 changes of rows that arrive as pages of JSON, until all are stored; each page is durable before the next.
enum ChangeSyncs {
    private static let line = "10,000 changes from JSON"
    private static let changes = 10_000

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let items = ShopItems(count: isQuick ? 20_000 : 1_000_000)
        let fixture = try await Fixture(items)
        let measurement = try await Measurement.compare(
            "sync", line, size: isQuick ? "20 k rows" : "1 M rows", unit: "ms",
            [
                Contender(name: "Larder") { try await fixture.larder() },
                Contender(name: "JSONDecoder + SQLite") { try fixture.decoded() },
            ])
        try fixture.store.close()
        return [
            measurement,
            Measurement(
                suite: "sync", name: line + ", commits per page", size: measurement.size, unit: "commits",
                larder: Series(name: "Larder", values: fixture.commitsPerPage)),
        ]
    }

    /// A catalogue in a store and in SQLite, and the pages of the next changes.
    private final class Fixture {
        let directory: ScratchDirectory
        let items: ShopItems
        let store: Store
        private let server: ContentServer
        private let sync: ContentSync
        private let peer: DecodedItems
        private var round = 0
        private var pages: [[UInt8]] = []
        private(set) var commitsPerPage: [Double] = []

        init(_ items: ShopItems) async throws {
            self.items = items
            directory = try ScratchDirectory()
            store = try openStore(at: directory.path("store"))
            let snapshot = SnapshotBody(of: items, number: 1)
            server = ContentServer([snapshot])
            sync = server.client(of: store)
            _ = try await sync.sync(ResourceFilter("\(ShopItems.group):*"))
            try await store.reclaim()
            peer = try DecodedItems(path: directory.path("peer.sqlite"))
            try peer.load(snapshot)
            try peer.sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }

        /// Syncs the next changes. Milliseconds.
        func larder() async throws -> Double {
            round += 1
            let changed = rows()
            let first = ContentServer.firstSequence + (round - 1) * changes
            let newer = ShopItems(count: items.count, version: round)
            let mutations = changed.enumerated().map { index, row in
                let data = String(decoding: newer.payload(row), as: UTF8.self)
                return ContentServer.mutation(
                    "ROW_UPDATE", 1, sequence: first + index + 1,
                    "\"record_type\":\"\(ShopItems.type)\",\"record_key\":\"\(row + 1)\",\"data\":\(data)")
            }
            pages = ContentServer.pages(mutations, until: first + changes)
            server.serve(pages)
            let before = store.writerStatistics.commits
            var report: SyncReport?
            let filter = try ResourceFilter("\(ShopItems.group):*")
            let time = try await timedAsync(1) { report = try await sync.sync(filter) }
            commitsPerPage.append(Double(store.writerStatistics.commits - before) / Double(pages.count))
            try expect(report?.rowsChanged, changes, "rows changed")
            try store.read { view in
                for row in changed {
                    let key = RowKey(resource: ShopItems.resource(1), type: ShopItems.type, key: String(row + 1))
                    try expect(view.payload(at: key), newer.payload(row), "the payload of row \(row)")
                }
            }
            return time / 1e6
        }

        /// Stores the changes of the round in SQLite. Milliseconds.
        func decoded() throws -> Double {
            let time = try timed(1) { for page in pages { try peer.apply(page: page) } }
            let newer = ShopItems(count: items.count, version: round)
            let read = try SQLStatement(peer.sqlite, "SELECT name FROM items WHERE resource = 1 AND key = ?1")
            for row in rows() {
                var sum: UInt64 = 0
                try read.run([.integer(Int64(row + 1))]) { sum = $0.sum }
                try expect(sum, SQLValue.text(newer[row].name).sum, "the name of row \(row)")
            }
            return time / 1e6
        }

        /// The rows that change in this round, each once, in no order.
        private func rows() -> [Int] { (0..<changes).map { ($0 &* 7_919 &+ round) % items.count } }
    }
}

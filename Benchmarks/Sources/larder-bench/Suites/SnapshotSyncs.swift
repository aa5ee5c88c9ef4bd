// SnapshotSyncs: snapshots that arrive as JSON, in pieces, until they are stored and readable.

import LarderFormat
import LarderStore
import LarderSync
import LarderTransport

/// Snapshots that arrive as JSON, in pieces, until they are stored and readable.
enum SnapshotSyncs {
    private static let line = "snapshot from JSON"

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let shapes =
            isQuick
            ? [("20 k rows", 1, 20_000), ("200 × 100 rows", 200, 100)]
            : [("1 M rows", 1, 1_000_000), ("20 × 10 k rows", 20, 10_000), ("2,000 × 100 rows", 2_000, 100)]
        var measurements: [Measurement] = []
        for (size, resources, rows) in shapes {
            let server = ContentServer(
                (1...resources).map { SnapshotBody(of: ShopItems(count: rows, version: $0), number: $0) })
            measurements += try await load(server, size)
        }
        return measurements
    }

    private static func load(_ server: ContentServer, _ size: String) async throws -> [Measurement] {
        let byteCount = server.snapshots.reduce(0) { $0 + $1.bytes.count }
        let holds = Holds()
        let work = Holds()
        let loaded = try await Measurement.compare(
            "sync", line, size: "\(size), \(byteCount >> 20) MiB", unit: "ms", warmUp: false,
            [
                Contender(name: "Larder") { try await larder(server, holds) { sinceStart() } },
                Contender(name: "LMDB append") { try raw(server, batch: .max) },
                Contender(name: "LMDB append, 512 KiB commits") { try raw(server, batch: 512 << 10) },
                Contender(name: "JSONDecoder + SQLite") { try decoded(server) },
            ])
        // The writer looks at the clock on its own thread: this counts its work, and not who else runs.
        for _ in 0..<3 { _ = try await larder(server, work) { processorTimeOfThread() } }
        return [
            loaded,
            Measurement(
                suite: "sync", name: line + ", longest hold", size: size, unit: "ms",
                larder: Series(name: "Larder", values: holds.values),
                peers: [Series(name: "of it processor time", values: work.values)]),
        ]
    }

    /// The longest holds of the writer.
    private final class Holds {
        var values: [Double] = []
    }

    private static func larder(
        _ server: ContentServer, _ holds: Holds, elapsed: @escaping @Sendable () -> Duration
    ) async throws -> Double {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"), elapsed: elapsed)
        let sync = server.client(of: store)
        let filter = try ResourceFilter("\(ShopItems.group):*")
        var report: SyncReport?
        let time = try await timedAsync(1) { report = try await sync.sync(filter) }
        let rows = server.snapshots.reduce(0) { $0 + $1.items.count }
        try expect(report?.snapshotRows, rows, "rows of the snapshots")
        for snapshot in server.snapshots { try check(snapshot, store) }
        holds.values.append(store.writerStatistics.longestBulkHold.milliseconds)
        try store.close()
        return time / 1e6
    }

    /// Checks the number of rows and some payloads.
    private static func check(_ snapshot: SnapshotBody, _ store: Store) throws {
        let resource = ShopItems.resource(snapshot.number)
        try store.read { view in
            try expect(view.resource(resource)?.rowCount, snapshot.items.count, "rows of \(resource)")
            for row in stride(from: 0, to: snapshot.items.count, by: 997) {
                let key = RowKey(resource: resource, type: ShopItems.type, key: String(row + 1))
                try expect(view.payload(at: key), snapshot.items.payload(row), "the payload of row \(row)")
            }
        }
    }

    private static func raw(_ server: ContentServer, batch: Int) throws -> Double {
        let directory = try ScratchDirectory()
        let raw = try RawLMDB(path: directory.path)
        try raw.setRelaxed(batch < .max)
        let time = try timed(1) { try raw.append(server.snapshots, batch: batch) }
        try expect(raw.count(), server.snapshots.reduce(0) { $0 + $1.items.count }, "rows of LMDB")
        return time / 1e6
    }

    private static func decoded(_ server: ContentServer) throws -> Double {
        let directory = try ScratchDirectory()
        let peer = try DecodedItems(path: directory.path("peer.sqlite"))
        let time = try timed(1) { for snapshot in server.snapshots { try peer.load(snapshot) } }
        let items = server.snapshots.map(\.items)
        try expect(
            peer.totals(),
            [
                Int64(items.reduce(0) { $0 + $1.count }),
                Int64(items.reduce(0) { sum, items in (0..<items.count).reduce(sum) { $0 + items[$1].stock } }),
                Int64(
                    items.reduce(0) { sum, items in (0..<items.count).reduce(sum) { $0 + items[$1].text.utf8.count } }),
            ], "rows of SQLite")
        return time / 1e6
    }
}

extension ContentServer {
    /// Returns a client that syncs a store with this server.
    func client(of store: Store) -> ContentSync {
        ContentSync(store: store, transport: self, configuration: SyncConfiguration(base: "http://bench.test"))
    }
}

// BulkLoads: measures a snapshot of 77,429 rows loaded into a new file, synced at its end.

import Foundation
import LarderStore

/// Loads a snapshot of 77,429 rows into a new file, synced at its end.
enum BulkLoads {
    private static let rows = TranslationRows(count: 77_429)
    /// As large as a batch of Larder's.
    private static let batch = 512 << 10

    static func run(isQuick: Bool) async throws -> [Measurement] {
        [
            try await .compare(
                "load", "rows", size: "77,429 rows", unit: "ms", warmUp: !isQuick,
                [
                    Contender(name: "Larder", run: larder),
                    Contender(name: "LMDB append, 512 KiB commits") { try raw(batch: batch) },
                    Contender(name: "LMDB append") { try raw(batch: .max) },
                    Contender(name: "SQLite, one commit", run: sqlite),
                    Contender(name: RocksDB.name) { try keyValue(RocksDB.self) },
                    Contender(name: LevelDB.name) { try keyValue(LevelDB.self) },
                ])
        ]
    }

    private static func larder() async throws -> Double {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        let resource = TranslationRows.resource(1)
        let duration = try await timedAsync(1) { try await store.load(rows, into: resource) }
        let count = try store.read { view in try view.resource(resource)?.rowCount }
        try expect(count, rows.count, "rows of Larder")
        try store.close()
        return duration / 1e6
    }

    private static func raw(batch: Int) throws -> Double {
        let directory = try ScratchDirectory()
        let raw = try RawLMDB(path: directory.path)
        try raw.setRelaxed(batch < .max)
        let duration = try timed(1) { try raw.append(rows, batch: batch) }
        try expect(raw.count(), rows.count, "rows of LMDB")
        return duration / 1e6
    }

    private static func sqlite() throws -> Double {
        let directory = try ScratchDirectory()
        let sqlite = try SQLite(path: directory.path("peer.sqlite"))
        let duration = try timed(1) { try sqlite.load(rows) }
        try expect(sqlite.count(), rows.count, "rows of SQLite")
        return duration / 1e6
    }

    private static func keyValue(_ type: (some KeyValuePeer).Type) throws -> Double {
        let directory = try ScratchDirectory()
        let peer = try type.init(path: directory.path)
        let duration = try timed(1) { try peer.load(rows, batch: batch) }
        try expect(peer.count(), rows.count, "rows of \(type.name)")
        return duration / 1e6
    }
}

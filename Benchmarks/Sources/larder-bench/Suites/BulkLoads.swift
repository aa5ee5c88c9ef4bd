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
                    Contender(name: "LMDB, 512 KiB commits") { try raw(batch: batch) },
                    Contender(name: "LMDB, one commit") { try raw(batch: .max) },
                    Contender(name: "SQLite, one commit", run: sqlite),
                ])
        ]
    }

    private static func larder() async throws -> Double {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        let duration = try await timedAsync(1) { try await store.load(rows, into: TranslationRows.resource(1)) }
        try store.close()
        return duration / 1e6
    }

    private static func raw(batch: Int) throws -> Double {
        let directory = try ScratchDirectory()
        let raw = try RawLMDB(path: directory.path)
        try raw.setRelaxed(batch < .max)
        return try timed(1) { try raw.append(rows, batch: batch) } / 1e6
    }

    private static func sqlite() throws -> Double {
        let directory = try ScratchDirectory()
        let sqlite = try SQLite(path: directory.path("peer.sqlite"))
        return try timed(1) { try sqlite.load(rows) } / 1e6
    }
}

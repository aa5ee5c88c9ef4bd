// DurableWrites: writes that are on the disk when they return.

import CRawLMDB
import Foundation
import LarderFormat
import LarderStore

/// Writes that are on the disk when they return.
enum DurableWrites {
    private static let rows = TranslationRows(count: 100_000)

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        try FileManager.default.createDirectory(atPath: directory.path("raw"), withIntermediateDirectories: true)
        let raw = try RawLMDB(path: directory.path("raw"))
        let sqlite = try SQLite(path: directory.path("peer.sqlite"))
        let commits = isQuick ? 5 : 20
        var measurements: [Measurement] = []
        for (name, size) in [("1 row, durable", 1), ("100 rows, durable", 100)] {
            measurements.append(
                try await .compare(
                    "write", name, unit: "ms/commit", rounds: isQuick ? 5 : 9,
                    [
                        Contender(name: "Larder") { try await larder(store, commits, size) },
                        Contender(name: "LMDB") { try Self.raw(raw, commits, size) },
                        Contender(name: "SQLite") { try Self.sqlite(sqlite, commits, size) },
                    ]))
        }
        measurements.append(
            try await .compare(
                "write", "64 writers at once", unit: "ms for all", warmUp: !isQuick,
                [
                    Contender(name: "Larder") { try await concurrentWrites(store, 64) },
                    Contender(name: "one by one") { try await larder(store, 64, 1) * 64 },
                    Contender(name: "LMDB, one by one") { try Self.raw(raw, 64, 1) * 64 },
                    Contender(name: "SQLite, one by one") { try Self.sqlite(sqlite, 64, 1) * 64 },
                ]))
        try store.close()
        return measurements
    }

    private static func key(_ row: Int) -> RowKey {
        RowKey(resource: TranslationRows.resource(1), type: TranslationRows.type, key: String(row + 1))
    }

    /// A row somewhere, the same for everyone.
    private static func row(_ commit: Int, _ index: Int) -> Int { (commit * 977 + index * 7919) % rows.count }

    private static func larder(_ store: Store, _ commits: Int, _ size: Int) async throws -> Double {
        try await timedAsync(commits) {
            for commit in 0..<commits {
                try await store.write { transaction in
                    for index in 0..<size {
                        let row = row(commit, index)
                        try transaction.put(rows.payload(row), at: key(row), updatedAt: TranslationRows.updatedAt)
                    }
                }
            }
        } / 1e6
    }

    private static func concurrentWrites(_ store: Store, _ writers: Int) async throws -> Double {
        try await timedAsync(1) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        try await store.write { transaction in
                            let row = row(writer, 0)
                            try transaction.put(rows.payload(row), at: key(row), updatedAt: TranslationRows.updatedAt)
                        }
                    }
                }
                try await group.waitForAll()
            }
        } / 1e6
    }

    private static func raw(_ raw: RawLMDB, _ commits: Int, _ size: Int) throws -> Double {
        try timed(commits) {
            for commit in 0..<commits {
                let transaction = try raw.beginWrite()
                for index in 0..<size { try raw.put(rows, row(commit, index), transaction) }
                try RawLMDB.check(mdb_txn_commit(transaction))
            }
        } / 1e6
    }

    private static func sqlite(_ sqlite: SQLite, _ commits: Int, _ size: Int) throws -> Double {
        try timed(commits) {
            for commit in 0..<commits {
                try sqlite.execute("BEGIN")
                for index in 0..<size { try sqlite.put(rows, row(commit, index)) }
                try sqlite.execute("COMMIT")
            }
        } / 1e6
    }
}

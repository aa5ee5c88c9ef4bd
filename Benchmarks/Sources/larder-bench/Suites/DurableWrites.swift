// DurableWrites: writes that are on the disk when they return.

import CRawLMDB
import Foundation
import LarderFormat
import LarderStore

/// Writes that are on the disk when they return.
enum DurableWrites {
    private static let rows = TranslationRows(count: 100_000)
    private static let writers = 64

    static func run(isQuick: Bool) async throws -> [Measurement] {
        let directory = try ScratchDirectory()
        let store = try openStore(at: directory.path("store"))
        let raw = try RawLMDB(path: directory.folder("raw"))
        let sqlite = try SQLite(path: directory.path("peer.sqlite"))
        let rocks = try RocksDB(path: directory.folder("rocksdb"))
        let level = try LevelDB(path: directory.folder("leveldb"))
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
                        Contender(name: RocksDB.name) { try keyValue(rocks, commits, size) },
                        Contender(name: LevelDB.name) { try keyValue(level, commits, size) },
                    ]))
        }
        measurements.append(
            try await .compare(
                "write", "64 writers at once", unit: "ms for all", warmUp: !isQuick,
                [
                    Contender(name: "Larder") { try await concurrentWrites(store) },
                    Contender(name: "one by one") { try await larder(store, writers, 1) * Double(writers) },
                    Contender(name: "LMDB, one by one") { try Self.raw(raw, writers, 1) * Double(writers) },
                    Contender(name: "SQLite, one by one") { try Self.sqlite(sqlite, writers, 1) * Double(writers) },
                ]))
        try check(store, [raw.count(), sqlite.count(), rocks.count(), level.count()], commits)
        try store.close()
        return measurements
    }

    private static func key(_ row: Int) -> RowKey {
        RowKey(resource: TranslationRows.resource(1), type: TranslationRows.type, key: String(row + 1))
    }

    /// A row somewhere, the same for everyone.
    private static func row(_ commit: Int, _ index: Int) -> Int { (commit * 977 + index * 7919) % rows.count }

    /// Checks that everyone has the rows that were written, and no other, and Larder their payloads.
    private static func check(_ store: Store, _ peerCounts: [Int], _ commits: Int) throws {
        var written = Set((0..<commits).flatMap { commit in (0..<100).map { row(commit, $0) } })
        let sequential = Set((0..<writers).map { row($0, 0) })
        // RocksDB and LevelDB have no part in the last comparison.
        for count in peerCounts.suffix(2) { try expect(count, written.count, "rows of a peer") }
        written.formUnion(sequential)
        for count in peerCounts.prefix(2) { try expect(count, written.count, "rows of a peer") }
        try store.read { view in
            for row in written { try expect(view.payload(at: key(row)), rows.payload(row), "payload of row \(row)") }
            try expect(view.resource(TranslationRows.resource(1))?.rowCount, written.count, "rows of Larder")
        }
    }

    private static func put(_ row: Int, _ transaction: inout Transaction) throws {
        try transaction.put(rows.payload(row), at: key(row), updatedAt: TranslationRows.updatedAt)
    }

    private static func larder(_ store: Store, _ commits: Int, _ size: Int) async throws -> Double {
        try await timedAsync(commits) {
            for commit in 0..<commits {
                try await store.write { transaction in
                    for index in 0..<size { try put(row(commit, index), &transaction) }
                }
            }
        } / 1e6
    }

    private static func concurrentWrites(_ store: Store) async throws -> Double {
        try await timedAsync(1) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask { try await store.write { transaction in try put(row(writer, 0), &transaction) } }
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

    private static func keyValue(_ peer: some KeyValuePeer, _ commits: Int, _ size: Int) throws -> Double {
        try timed(commits) {
            for commit in 0..<commits {
                try peer.write { add in
                    for index in 0..<size { RawLMDB.withRecord(rows, row(commit, index)) { add($0, $1) } }
                }
            }
        } / 1e6
    }
}

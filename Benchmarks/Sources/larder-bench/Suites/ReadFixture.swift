// ReadFixture: the same rows in a Larder store, in LMDB, and in SQLite.

import Foundation
import LarderFormat
import LarderStore

/// The same rows in a Larder store, in LMDB, and in SQLite. LMDB's file is a copy of the store's.
struct ReadFixture {
    let directory: ScratchDirectory
    let rows: TranslationRows
    let resource = TranslationRows.resource(1)
    let store: Store
    let raw: RawLMDB
    let sqlite: SQLite
    /// The key of each row in LMDB.
    let keys: KeyList

    static func make(rows count: Int) async throws -> ReadFixture {
        let directory = try ScratchDirectory()
        let rows = TranslationRows(count: count)
        let loaded = try openStore(at: directory.path("store"))
        try await loaded.load(rows, into: TranslationRows.resource(1))
        try loaded.close()
        try FileManager.default.createDirectory(atPath: directory.path("raw"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: directory.path("store/" + RawLMDB.dataName), toPath: directory.path("raw/" + RawLMDB.dataName))
        let raw = try RawLMDB(path: directory.path("raw"))
        let sqlite = try SQLite(path: directory.path("peer.sqlite"))
        try sqlite.load(rows)
        try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        var keys = try raw.keys()
        keys.removeOwner()
        precondition(keys.count == count, "the copy has \(keys.count) rows")
        return ReadFixture(
            directory: directory, rows: rows, store: try openStore(at: directory.path("store")), raw: raw,
            sqlite: sqlite, keys: keys)
    }

    func close() throws { try store.close() }
}

extension KeyList {
    /// Drops the first key: that of the owner row, which belongs to no row.
    mutating func removeOwner() {
        var rest = KeyList()
        for index in 1..<count { rest.append(index, of: self) }
        self = rest
    }
}

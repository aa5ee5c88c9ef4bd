// ReadFixture: the same rows in a Larder store and in each peer.

import CRawLMDB
import Foundation
import LarderFormat
import LarderStore

/// The same rows in a Larder store and in each peer. LMDB's file is a copy of the store's, and RocksDB and LevelDB have
/// the records of that copy.
struct ReadFixture {
    let directory: ScratchDirectory
    let rows: TranslationRows
    let resource = TranslationRows.resource(1)
    let store: Store
    let raw: RawLMDB
    let sqlite: SQLite
    let keyValuePeers: [any KeyValuePeer]
    /// The key of each row in LMDB.
    let keys: KeyList
    /// The sum of ``use(_:)`` over each record in LMDB: that of the owner, then those of the rows, from 1 on.
    let recordSums: [UInt64]

    static func make(rows count: Int) async throws -> ReadFixture {
        let directory = try ScratchDirectory()
        let rows = TranslationRows(count: count)
        let loaded = try openStore(at: directory.path("store"))
        try await loaded.load(rows, into: TranslationRows.resource(1))
        try loaded.close()
        try FileManager.default.copyItem(
            atPath: directory.path("store/" + RawLMDB.dataName),
            toPath: directory.folder("raw") + "/" + RawLMDB.dataName)
        let raw = try RawLMDB(path: directory.path("raw"))
        let sqlite = try SQLite(path: directory.path("peer.sqlite"))
        try sqlite.load(rows)
        try sqlite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let (keys, sums) = try checkedRecords(of: raw, rows)
        let peers: [any KeyValuePeer] = [
            try RocksDB(path: directory.folder("rocksdb")), try LevelDB(path: directory.folder("leveldb")),
        ]
        for peer in peers { try copy(raw, to: peer) }
        return ReadFixture(
            directory: directory, rows: rows, store: try openStore(at: directory.path("store")), raw: raw,
            sqlite: sqlite, keyValuePeers: peers, keys: keys, recordSums: sums)
    }

    func close() throws { try store.close() }

    /// The keys and the sums of the rows' records, checked to end with their payloads.
    private static func checkedRecords(of raw: RawLMDB, _ rows: TranslationRows) throws -> (KeyList, [UInt64]) {
        var keys = KeyList()
        var sums: [UInt64] = []
        try raw.scan { key, value in
            let record = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            if !sums.isEmpty {
                let payload = rows.payload(sums.count - 1)
                try expect(record.suffix(payload.count).elementsEqual(payload), true, "the record of row \(sums.count)")
                keys.append(key)
            }
            sums.append(use(record))
        }
        try expect(keys.count, rows.count, "rows of the copy")
        return (keys, sums)
    }

    private static func copy(_ raw: RawLMDB, to peer: any KeyValuePeer) throws {
        try peer.write { add in
            try raw.scan { key, value in
                add(
                    UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size),
                    UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
            }
        }
        peer.compact()
    }
}

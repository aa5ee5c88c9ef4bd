// LevelDB: LevelDB by its C calls, with a block cache that holds the data, and without compression.

import CRawLevelDB

/// LevelDB by its C calls, with a block cache that holds the data, and without compression.
final class LevelDB: KeyValuePeer {
    static let name = "LevelDB"

    private let database: OpaquePointer
    private let cache = leveldb_cache_create_lru(1 << 30)
    private let filter = leveldb_filterpolicy_create_bloom(10)
    private let plainReads = leveldb_readoptions_create()
    private let verifiedReads = leveldb_readoptions_create()
    private let syncedWrites = leveldb_writeoptions_create()

    init(path: String) throws {
        let options = leveldb_options_create()
        defer { leveldb_options_destroy(options) }
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_compression(options, Int32(leveldb_no_compression))
        leveldb_options_set_cache(options, cache)
        leveldb_options_set_filter_policy(options, filter)
        var message: UnsafeMutablePointer<CChar>?
        let opened = leveldb_open(options, path, &message)
        try checkMessage(message)
        guard let opened else { throw PeerError.code(0) }
        database = opened
        leveldb_readoptions_set_verify_checksums(plainReads, 0)
        leveldb_readoptions_set_verify_checksums(verifiedReads, 1)
        leveldb_writeoptions_set_sync(syncedWrites, 1)
    }

    deinit {
        leveldb_readoptions_destroy(plainReads)
        leveldb_readoptions_destroy(verifiedReads)
        leveldb_writeoptions_destroy(syncedWrites)
        leveldb_close(database)
        leveldb_filterpolicy_destroy(filter)
        leveldb_cache_destroy(cache)
    }

    func write(_ body: (_ add: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) throws -> Void)
        throws
    {
        let batch = leveldb_writebatch_create()
        defer { leveldb_writebatch_destroy(batch) }
        try body { key, value in
            leveldb_writebatch_put(
                batch, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                value.baseAddress?.assumingMemoryBound(to: CChar.self), value.count)
        }
        var message: UnsafeMutablePointer<CChar>?
        leveldb_write(database, syncedWrites, batch, &message)
        try checkMessage(message)
    }

    func get(_ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        var message: UnsafeMutablePointer<CChar>?
        var count = 0
        let found = leveldb_get(
            database, verifiedReads, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count, &count, &message)
        try checkMessage(message)
        guard let found else { throw PeerError.code(0) }
        defer { leveldb_free(found) }
        body(UnsafeRawBufferPointer(start: found, count: count))
    }

    func scan(verified: Bool, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        let iterator = leveldb_create_iterator(database, verified ? verifiedReads : plainReads)
        defer { leveldb_iter_destroy(iterator) }
        leveldb_iter_seek_to_first(iterator)
        while leveldb_iter_valid(iterator) != 0 {
            var count = 0
            let value = leveldb_iter_value(iterator, &count)
            body(UnsafeRawBufferPointer(start: value, count: count))
            leveldb_iter_next(iterator)
        }
        var message: UnsafeMutablePointer<CChar>?
        leveldb_iter_get_error(iterator, &message)
        try checkMessage(message)
    }

    func compact() { leveldb_compact_range(database, nil, 0, nil, 0) }
}

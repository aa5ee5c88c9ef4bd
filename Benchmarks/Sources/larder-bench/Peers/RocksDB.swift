// RocksDB: RocksDB by its C calls, with a block cache that holds the data, and without compression.

import CRawRocksDB

/// RocksDB by its C calls, with a block cache that holds the data, and without compression.
final class RocksDB: KeyValuePeer {
    static let name = "RocksDB"

    private let database: OpaquePointer
    private let plainReads = rocksdb_readoptions_create()
    private let verifiedReads = rocksdb_readoptions_create()
    private let syncedWrites = rocksdb_writeoptions_create()

    init(path: String) throws {
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_compression(options, Int32(rocksdb_no_compression))
        let tables = rocksdb_block_based_options_create()
        defer { rocksdb_block_based_options_destroy(tables) }
        let cache = rocksdb_cache_create_lru(1 << 30)
        defer { rocksdb_cache_destroy(cache) }
        rocksdb_block_based_options_set_block_cache(tables, cache)
        rocksdb_block_based_options_set_filter_policy(tables, rocksdb_filterpolicy_create_bloom(10))
        rocksdb_options_set_block_based_table_factory(options, tables)
        var message: UnsafeMutablePointer<CChar>?
        let opened = rocksdb_open(options, path, &message)
        try checkMessage(message)
        guard let opened else { throw PeerError.code(0) }
        database = opened
        rocksdb_readoptions_set_verify_checksums(plainReads, 0)
        rocksdb_readoptions_set_verify_checksums(verifiedReads, 1)
        rocksdb_writeoptions_set_sync(syncedWrites, 1)
    }

    deinit {
        rocksdb_readoptions_destroy(plainReads)
        rocksdb_readoptions_destroy(verifiedReads)
        rocksdb_writeoptions_destroy(syncedWrites)
        rocksdb_close(database)
    }

    func write(_ body: (_ add: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) throws -> Void)
        throws
    {
        let batch = rocksdb_writebatch_create()
        defer { rocksdb_writebatch_destroy(batch) }
        try body { key, value in
            rocksdb_writebatch_put(
                batch, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                value.baseAddress?.assumingMemoryBound(to: CChar.self), value.count)
        }
        var message: UnsafeMutablePointer<CChar>?
        rocksdb_write(database, syncedWrites, batch, &message)
        try checkMessage(message)
    }

    func get(_ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        var message: UnsafeMutablePointer<CChar>?
        let found = rocksdb_get_pinned(
            database, verifiedReads, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count, &message)
        try checkMessage(message)
        guard let found else { throw PeerError.code(0) }
        defer { rocksdb_pinnableslice_destroy(found) }
        var count = 0
        body(UnsafeRawBufferPointer(start: rocksdb_pinnableslice_value(found, &count), count: count))
    }

    func scan(verified: Bool, _ body: (UnsafeRawBufferPointer) -> Void) throws {
        let iterator = rocksdb_create_iterator(database, verified ? verifiedReads : plainReads)
        defer { rocksdb_iter_destroy(iterator) }
        rocksdb_iter_seek_to_first(iterator)
        while rocksdb_iter_valid(iterator) != 0 {
            var count = 0
            let value = rocksdb_iter_value(iterator, &count)
            body(UnsafeRawBufferPointer(start: value, count: count))
            rocksdb_iter_next(iterator)
        }
        var message: UnsafeMutablePointer<CChar>?
        rocksdb_iter_get_error(iterator, &message)
        try checkMessage(message)
    }

    func compact() { rocksdb_compact_range(database, nil, 0, nil, 0) }
}

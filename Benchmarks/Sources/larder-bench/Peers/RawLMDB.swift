// RawLMDB: LMDB by its C calls and nothing else: one environment, one table.

import CRawLMDB

/// LMDB by its C calls and nothing else: one environment, one table.
final class RawLMDB {
    let environment: OpaquePointer
    let table: MDB_dbi

    /// Opens the table `name` of the environment in the directory `path`; map of 64 GiB as Larder's.
    init(path: String, table name: String = "rows") throws {
        var created: OpaquePointer?
        try Self.check(mdb_env_create(&created))
        guard let created else { throw PeerError.code(0) }
        environment = created
        try Self.check(mdb_env_set_maxdbs(created, 16))
        try Self.check(mdb_env_set_mapsize(created, 64 << 30))
        try Self.check(mdb_env_open(created, path, UInt32(MDB_NOTLS), 0o600))
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(created, nil, 0, &transaction))
        var identifier: MDB_dbi = 0
        try Self.check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &identifier))
        try Self.check(mdb_txn_commit(transaction))
        table = identifier
    }

    deinit {
        mdb_env_close(environment)
    }

    /// The file's name within the directory of an environment.
    static let dataName = "data.mdb"

    static func check(_ code: Int32) throws {
        if code != MDB_SUCCESS { throw PeerError.code(code) }
    }

    func beginRead() throws -> OpaquePointer { try begin(UInt32(MDB_RDONLY)) }

    func beginWrite() throws -> OpaquePointer { try begin(0) }

    private func begin(_ flags: UInt32) throws -> OpaquePointer {
        var transaction: OpaquePointer?
        try Self.check(mdb_txn_begin(environment, nil, flags, &transaction))
        guard let transaction else { throw PeerError.code(0) }
        return transaction
    }

    /// Syncs the data of each commit and not its meta page, as Larder's bulk commits do, or both.
    func setRelaxed(_ isRelaxed: Bool) throws {
        try Self.check(mdb_env_set_flags(environment, UInt32(MDB_NOMETASYNC), isRelaxed ? 1 : 0))
    }

    /// The number of records of the table.
    func count() throws -> Int {
        let transaction = try beginRead()
        defer { mdb_txn_abort(transaction) }
        var statistics = MDB_stat()
        try Self.check(mdb_stat(transaction, table, &statistics))
        return statistics.ms_entries
    }

    /// Every key of the table, in order, one after the other.
    func keys() throws -> KeyList {
        var list = KeyList()
        try scan { key, _ in list.append(key) }
        return list
    }

    /// Lends every key and value to `body`.
    @inline(__always)
    func scan(_ body: (MDB_val, MDB_val) throws -> Void) throws {
        let transaction = try beginRead()
        defer { mdb_txn_abort(transaction) }
        var cursor: OpaquePointer?
        try Self.check(mdb_cursor_open(transaction, table, &cursor))
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS {
            try body(key, value)
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if code != MDB_NOTFOUND { throw PeerError.code(code) }
    }

    /// The value under a key; both are only borrowed.
    @inline(__always)
    func get(_ key: UnsafeRawBufferPointer, _ transaction: OpaquePointer) throws -> UnsafeRawBufferPointer {
        var wanted = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
        var found = MDB_val()
        try Self.check(mdb_get(transaction, table, &wanted, &found))
        return UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
    }

    func put(
        _ value: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ transaction: OpaquePointer, flags: UInt32 = 0
    ) throws {
        var name = MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
        var data = MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
        try Self.check(mdb_put(transaction, table, &name, &data, flags))
    }
}

/// The failure of a contender.
enum PeerError: Error {
    /// What a C call answered.
    case code(Int32)
    case message(String)
    /// A result is not the expected one.
    case wrongResult(String)
}

/// Keys one after the other in one block of memory.
struct KeyList {
    private(set) var bytes: [UInt8] = []
    private(set) var starts: [Int] = [0]

    var count: Int { starts.count - 1 }

    mutating func append(_ key: MDB_val) {
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size))
        starts.append(bytes.count)
    }

    mutating func append(_ index: Int, of other: KeyList) {
        bytes.append(contentsOf: other.bytes[other.starts[index]..<other.starts[index + 1]])
        starts.append(bytes.count)
    }

    /// Lends each key to `body`.
    @inline(__always)
    func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { all in
            for index in 0..<count {
                try body(UnsafeRawBufferPointer(rebasing: all[starts[index]..<starts[index + 1]]))
            }
        }
    }
}

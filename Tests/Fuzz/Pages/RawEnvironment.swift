import CLMDB
import Glibc

/// A data file opened by liblmdb alone, without any of the engine's checks.
///
/// Each handle is used between its creation and its end, on one thread; each `MDB_val` is read before the next call.
@safe
final class RawEnvironment {
    private let handle: OpaquePointer
    /// A sum of bytes of values, so that all are read.
    private var sum: UInt8 = 0

    /// Opens a data file, or that of a directory; nil where liblmdb refuses it.
    init?(_ path: String, isReadOnly: Bool, isDirectory: Bool = false) {
        var opened: OpaquePointer?
        guard unsafe mdb_env_create(&opened) == 0, let created = unsafe opened else { return nil }
        unsafe mdb_env_set_maxdbs(created, 64)
        unsafe mdb_env_set_mapsize(created, 1 << 24)
        let flags = MDB_NOLOCK | MDB_NOSYNC | (isReadOnly ? MDB_RDONLY : 0) | (isDirectory ? 0 : MDB_NOSUBDIR)
        if unsafe mdb_env_open(created, path, UInt32(flags), 0o600) != 0 {
            unsafe mdb_env_close(created)
            return nil
        }
        unsafe handle = created
    }

    func close() { unsafe mdb_env_close(handle) }

    /// The number of entries of a table, each read in full and found by its key; nil where liblmdb reports an error.
    func countEntries(of name: String) -> Int? {
        var transaction: OpaquePointer?
        guard unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction) == 0 else { return nil }
        defer { unsafe mdb_txn_abort(transaction) }
        var table: MDB_dbi = 0
        guard unsafe mdb_dbi_open(transaction, name, 0, &table) == 0 else { return nil }
        var found = 0
        let (code, count) = unsafe forEachKey(transaction, table) { key in
            var value = unsafe MDB_val()
            if unsafe withValue(key, { unsafe mdb_get(transaction, table, $0, &value) }) == 0 { found += 1 }
        }
        return code == 0 ? min(count, found) : nil
    }

    /// Removes and adds entries of each table in two commits, of which the second reuses pages of the first.
    ///
    /// - Returns: the error of liblmdb, or 0.
    func change(_ names: [String]) -> Int32 {
        let code = change(names, removing: 2, size: 900)
        return code == 0 ? change(names, removing: 3, size: 9000) : code
    }

    private func change(_ names: [String], removing interval: Int, size: Int) -> Int32 {
        var transaction: OpaquePointer?
        var code = unsafe mdb_txn_begin(handle, nil, 0, &transaction)
        for name in names where code == 0 {
            var table: MDB_dbi = 0
            var keys: [[UInt8]] = []
            code = unsafe mdb_dbi_open(transaction, name, 0, &table)
            if code == 0 { code = unsafe forEachKey(transaction, table) { keys.append($0) }.code }
            if code == 0 { code = unsafe change(transaction, table, keys, interval, size) }
            if code != 0 { unsafe mdb_txn_abort(transaction) }
        }
        return code == 0 ? unsafe mdb_txn_commit(transaction) : code
    }

    @unsafe
    private func change(
        _ transaction: OpaquePointer?, _ table: MDB_dbi, _ keys: [[UInt8]], _ interval: Int, _ size: Int
    ) -> Int32 {
        for (number, key) in keys.enumerated() {
            let code = unsafe withValue(key) { key in
                if number % interval == 0 { return unsafe mdb_del(transaction, table, key, nil) }
                if number % 5 != 0 { return 0 }
                return unsafe withValue([UInt8](repeating: 0x61, count: size)) { value in
                    unsafe mdb_put(transaction, table, key, value, 0)
                }
            }
            if code != 0 { return code }
        }
        return 0
    }

    /// Calls `body` with a copy of each key; returns the error of liblmdb, or 0, and the number of entries.
    @unsafe
    private func forEachKey(
        _ transaction: OpaquePointer?, _ table: MDB_dbi, _ body: ([UInt8]) -> Void
    ) -> (code: Int32, count: Int) {
        var cursor: OpaquePointer?
        var code = unsafe mdb_cursor_open(transaction, table, &cursor)
        if code != 0 { return (code, 0) }
        defer { unsafe mdb_cursor_close(cursor) }
        var (key, value) = unsafe (MDB_val(), MDB_val())
        var count = 0
        code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while code == 0 {
            count += 1
            unsafe sum &+= UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size).reduce(0, &+)
            body(unsafe [UInt8](UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)))
            code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        return (code == MDB_NOTFOUND ? 0 : code, count)
    }

    @unsafe
    private func withValue(_ bytes: [UInt8], _ body: (UnsafeMutablePointer<MDB_val>) -> Int32) -> Int32 {
        var bytes = bytes
        return unsafe bytes.withUnsafeMutableBytes { buffer in
            var value = unsafe MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
            return unsafe body(&value)
        }
    }

    /// Writes a data file with tables of small, large and removed values in several commits, and returns its bytes.
    static func makeSample() -> [UInt8] {
        // liblmdb notes in a file that it was made without a directory, which no file of ours says.
        var path = Array("/dev/shm/larder-fuzz-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&path) != nil else { fatalError("no directory is made") }
        let directory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let environment = RawEnvironment(directory, isReadOnly: false, isDirectory: true) else {
            fatalError("no sample is made")
        }
        for (name, count) in [("meta", 3), ("rows", 60), ("blobs", 3)] {
            environment.add(count, to: name, size: name == "blobs" ? 9000 : 300)
        }
        environment.add(0, to: "garbage", size: 0)
        require(environment.change(["rows"]) == 0, "the sample is not changed")
        environment.close()
        let file = MemoryFile(path: directory + "/data.mdb")
        _ = unsafe rmdir(directory)
        return file.bytes
    }

    private func add(_ count: Int, to name: String, size: Int) {
        var (transaction, table) = unsafe (OpaquePointer?.none, MDB_dbi(0))
        var isAdded = unsafe mdb_txn_begin(handle, nil, 0, &transaction) == 0
        isAdded = unsafe isAdded && mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &table) == 0
        for number in 0..<count {
            let key = [UInt8(number / 16), UInt8(number % 16)] + Array(name.utf8)
            let code = unsafe withValue(key) { key in
                unsafe withValue([UInt8](repeating: UInt8(number), count: size + number)) { value in
                    unsafe mdb_put(transaction, table, key, value, 0)
                }
            }
            isAdded = isAdded && code == 0
        }
        require(unsafe isAdded && mdb_txn_commit(transaction) == 0, "the sample is not written")
    }
}

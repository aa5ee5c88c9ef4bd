private import CLMDB
private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The place of an environment's memory map, and the part of it that the file fills, as of the newest commit seen.
///
/// liblmdb does not return the address of its map. It follows from any page in it, since a page has its own number.
@safe
final class MapExtent: Sendable {
    private let start = Atomic<UInt>(0)
    // Only rises while the map stays, since the file never shrinks while it is open.
    private let byteCount = Atomic<UInt>(0)
    /// The number of the newest commit whose pages the two numbers above cover.
    private let commit = Atomic<UInt>(0)

    /// Forgets the place, when the map moves. No transaction is open.
    func forget() {
        commit.store(0, ordering: .relaxed)
        byteCount.store(0, ordering: .relaxed)
        start.store(0, ordering: .releasing)
    }

    /// Returns the bounds of the values in `transaction`, which has changed nothing yet.
    ///
    /// - Throws: ``EngineError/corrupted`` when the list of tables is damaged; an error of the system.
    func bounds(in transaction: OpaquePointer, isWriting: Bool) throws(EngineError) -> ValueBounds {
        let number = UInt(unsafe mdb_txn_id(transaction))
        // The pages that a write transaction adds have no place in the file yet.
        let visible = isWriting ? number &- 1 : number
        if visible > commit.load(ordering: .acquiring) || start.load(ordering: .acquiring) == 0 {
            unsafe try cover(visible, in: transaction)
        }
        return ValueBounds(
            start: start.load(ordering: .acquiring), byteCount: byteCount.load(ordering: .acquiring),
            isWriting: isWriting)
    }

    /// Covers the pages of the commit `visible`, which `transaction` reads.
    private func cover(_ visible: UInt, in transaction: OpaquePointer) throws(EngineError) {
        let environment = unsafe mdb_txn_env(transaction)
        var info = unsafe MDB_envinfo()
        var sizes = MDB_stat()
        try check(unsafe mdb_env_info(environment, &info), "mdb_env_info")
        try check(unsafe mdb_env_stat(environment, &sizes), "mdb_env_stat")
        let (pageSize, mapSize) = unsafe (UInt(sizes.ms_psize), UInt(info.me_mapsize))
        if start.load(ordering: .relaxed) == 0 {
            guard let address = unsafe try Self.firstName(in: transaction) else { return }
            // Without an address liblmdb has read a page whose flags are damaged.
            guard address != 0, let found = unsafe try Self.mapStart(of: address, pageSize: pageSize, environment)
            else { throw .corrupted }
            start.store(found, ordering: .releasing)
        }
        // Every page that the transaction reads is at or before the last one. A sound file may end before that.
        let needed = unsafe (UInt(info.me_last_pgno) &+ 1) &* pageSize
        if byteCount.load(ordering: .relaxed) < needed {
            byteCount.max(min(unsafe try ValueBounds.fileSize(environment), mapSize), ordering: .releasing)
        }
        commit.max(visible, ordering: .releasing)
    }

    /// Returns the address of the first key of the main tree, or nil in a file without tables.
    private static func firstName(in transaction: OpaquePointer) throws(EngineError) -> UInt? {
        var main: MDB_dbi = 0
        try check(unsafe mdb_dbi_open(transaction, nil, 0, &main), "mdb_dbi_open")
        var opened: OpaquePointer?
        try check(unsafe mdb_cursor_open(transaction, main, &opened), "mdb_cursor_open")
        defer { unsafe mdb_cursor_close(opened) }
        var key = unsafe MDB_val()
        var data = unsafe MDB_val()
        let code = unsafe mdb_cursor_get(opened, &key, &data, MDB_FIRST)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "mdb_cursor_get")
        return UInt(bitPattern: unsafe key.mv_data)
    }

    /// Returns the address at which the file's first page is mapped, or nil when the page of `address` is damaged.
    ///
    /// - Parameter address: an address in a page of a tree, which liblmdb has read already.
    private static func mapStart(
        of address: UInt, pageSize: UInt, _ environment: OpaquePointer?
    ) throws(EngineError) -> UInt? {
        var number: mdb_filehandle_t = -1
        try check(unsafe mdb_env_get_fd(environment, &number), "mdb_env_get_fd")
        // The map is aligned to the system's pages, which may be smaller than the file's.
        let step = min(pageSize, UInt(sysconf(Int32(_SC_PAGESIZE))))
        var page = address & ~(step - 1)
        for _ in 0..<pageSize / step {
            // In the map: at most one page of the file before the address, and two meta pages precede every tree.
            let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: page), count: Int(step))
            let index = unsafe UInt(bytes.load(as: UInt64.self))
            let (offset, overflow) = index.multipliedReportingOverflow(by: pageSize)
            // A damaged number names another page of the file, which has other bytes, or none.
            if !overflow, offset < page, unsafe try holds(number, bytes, at: offset) { return page - offset }
            page -= step
        }
        return nil
    }

    /// Whether the file has `bytes` at `offset`.
    private static func holds(
        _ number: Int32, _ bytes: UnsafeRawBufferPointer, at offset: UInt
    ) throws(EngineError) -> Bool {
        guard let offset = off_t(exactly: offset) else { return false }
        var copy = [UInt8](repeating: 0, count: bytes.count)
        let count = unsafe copy.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, offset) }
        if count < 0 { throw EngineError(code: errno, operation: "pread") }
        return unsafe count == bytes.count && copy.elementsEqual(bytes)
    }
}

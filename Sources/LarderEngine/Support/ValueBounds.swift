internal import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The addresses at which keys and values may lie in one transaction.
///
/// liblmdb computes the place and the size of a value from numbers in the file's pages and compares neither with the
/// file; an access to the map beyond the file's end ends the process. Each key and value is therefore checked before it
/// is used:
///
/// - In a read view it lies, as a whole, in the part of the memory map that the file fills.
/// - In a write transaction it may also lie in a page that the transaction has changed. liblmdb has such pages in
///   memory of its own, outside the map. A value in a page together with its key is shorter than half a page; a longer
///   one follows the header of its own pages, which states their number.
///
/// A damaged size that stays within these bounds gives other bytes than were stored; their reader verifies a checksum.
struct ValueBounds {
    /// The address of the map.
    let start: UInt
    /// The size of the file, at most that of the map, in bytes.
    let byteCount: UInt
    /// Whether the transaction may have pages outside the map.
    let isWriting: Bool

    /// The bounds in a file that this process has just created, whose pages are its own: every address but 0.
    static let all = ValueBounds(start: 1, byteCount: .max - 1, isWriting: true)

    /// Throws unless `value` lies within the bounds.
    ///
    /// - Parameter transaction: the transaction that liblmdb returned the value in.
    /// - Throws: ``EngineError/corrupted``.
    @inline(__always)
    func check(_ value: MDB_val, in transaction: OpaquePointer) throws(EngineError) {
        unsafe try check(UInt(bitPattern: value.mv_data), UInt(bitPattern: value.mv_size), in: transaction)
    }

    /// Throws unless `key` and `value` lie within the bounds.
    ///
    /// - Parameter transaction: the transaction that liblmdb returned them in.
    /// - Throws: ``EngineError/corrupted``.
    @inline(__always)
    func check(key: MDB_val, value: MDB_val, in transaction: OpaquePointer) throws(EngineError) {
        let (start, size) = unsafe (UInt(bitPattern: key.mv_data), UInt(bitPattern: key.mv_size))
        if UInt(bitPattern: unsafe value.mv_data) == start &+ size {
            // A value in the page of its key follows it: one check suffices.
            return unsafe try check(start, size &+ UInt(bitPattern: value.mv_size), in: transaction)
        }
        unsafe try check(key, in: transaction)
        unsafe try check(value, in: transaction)
    }

    @inline(__always)
    private func check(_ address: UInt, _ size: UInt, in transaction: OpaquePointer) throws(EngineError) {
        let offset = address &- start
        if offset <= byteCount, size <= byteCount - offset { return }
        // Without an address liblmdb has found a key and no value, in a page whose flags are damaged.
        if !isWriting || address == 0 { throw .corrupted }
        unsafe try checkChanged(address, size, in: transaction)
    }

    /// Throws unless a value outside the known part of the map lies in a page that the transaction has changed.
    @inline(never)
    private func checkChanged(_ address: UInt, _ size: UInt, in transaction: OpaquePointer) throws(EngineError) {
        let environment = unsafe mdb_txn_env(transaction)
        var info = unsafe MDB_envinfo()
        var sizes = MDB_stat()
        try LarderEngine.check(unsafe mdb_env_info(environment, &info), "mdb_env_info")
        try LarderEngine.check(unsafe mdb_env_stat(environment, &sizes), "mdb_env_stat")
        let pageSize = UInt(sizes.ms_psize)
        let mapSize = unsafe UInt(info.me_mapsize)
        let offset = address &- start
        if offset < mapSize {
            // A transaction with many changes has written some of them, behind the end that the file had.
            let end = unsafe min(try Self.fileSize(environment), mapSize)
            if offset <= end, size <= end - offset { return }
        } else if size <= pageSize / 2 {
            return
        } else if let header = unsafe UnsafeRawPointer(bitPattern: address &- Self.headerSize) {
            // In memory: the value is behind at least the header of the page that it begins in.
            let flags = unsafe header.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
            let pages = unsafe UInt(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            if flags == Self.changedLargeValue, size <= pages * pageSize - Self.headerSize { return }
        }
        throw .corrupted
    }

    /// The size of a page's header, in bytes. LMDB: `PAGEHDRSZ`.
    private static let headerSize: UInt = 16
    /// The flags of changed pages that hold one value. LMDB: `P_OVERFLOW`, `P_DIRTY`.
    private static let changedLargeValue: UInt16 = 0x14

    /// Returns the present size of the data file, in bytes.
    ///
    /// - Throws: an error of the system.
    static func fileSize(_ environment: OpaquePointer?) throws(EngineError) -> UInt {
        var number: mdb_filehandle_t = -1
        try LarderEngine.check(unsafe mdb_env_get_fd(environment, &number), "mdb_env_get_fd")
        var status = stat()
        if unsafe fstat(number, &status) != 0 { throw EngineError(code: errno, operation: "fstat") }
        return UInt(clamping: status.st_size)
    }
}

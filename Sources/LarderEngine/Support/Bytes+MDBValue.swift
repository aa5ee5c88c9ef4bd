internal import CLMDB

extension RawSpan {
    /// Passes these bytes to C as an `MDB_val`. LMDB reads through it and never writes.
    func withMDBValue<Result>(_ body: (inout MDB_val) -> Result) -> Result {
        unsafe withUnsafeBytes { bytes in
            // The pointer is used only while the closure runs, and mutability is C's lack of const.
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            var value = unsafe MDB_val(mv_size: bytes.count, mv_data: start)
            return unsafe body(&value)
        }
    }
}

extension [UInt8] {
    /// Lends the bytes as a span.
    func withRawSpan<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        // The array keeps its bytes while the closure runs.
        try unsafe withUnsafeBytes { bytes in try body(unsafe RawSpan(_unsafeBytes: bytes)) }
    }
}

/// The longest key of LMDB, in bytes, with Debian's and upstream's build. LMDB: `mdb_env_get_maxkeysize`.
public let keySizeLimit = 511

/// The largest value that the engine stores, in bytes: 16 MiB of payload and space for headers. LMDB misbehaves beyond
/// 2 GiB, and long overflow runs make its search for free pages slow.
public let valueSizeLimit = (16 << 20) + 4096

/// Throws for an empty or too long key. LMDB reports "not found" for it on reads; here it is an error on every path.
@inline(__always)
func checkKey(_ key: borrowing RawSpan) throws(EngineError) {
    if key.byteCount == 0 || key.byteCount > keySizeLimit {
        throw .keySize(actual: key.byteCount, limit: keySizeLimit)
    }
}

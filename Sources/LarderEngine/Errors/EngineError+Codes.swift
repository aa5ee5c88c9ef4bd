private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension EngineError {
    /// The error for a return code of LMDB, which is one of its own negative numbers or an `errno`.
    ///
    /// - Parameter operation: the C function that answered.
    init(code: Int32, operation: StaticString) {
        self =
            switch code {
            case MDB_KEYEXIST: .keyExists
            case MDB_PAGE_NOTFOUND, MDB_CORRUPTED: .corrupted
            case MDB_PANIC: .stopped
            case MDB_VERSION_MISMATCH, MDB_INVALID: .notADatabase
            case MDB_MAP_FULL: .mapFull(cap: 0)
            case MDB_READERS_FULL: .readersFull
            case MDB_TXN_FULL: .transactionFull
            case ENOENT: .notFound
            case EACCES, EPERM, EROFS, ENOTDIR: .accessDenied(errno: code)
            case ENOSPC, EDQUOT: .diskFull
            case EIO: .ioFailure(errno: code)
            default: .system(code: code, operation: operation.description)
            }
    }

    /// Whether the data file itself is not what it should be.
    var isDamage: Bool {
        switch self {
        case .notADatabase, .truncated, .damagedMeta, .corrupted: true
        default: false
        }
    }

    /// The error of a file that others have open: whether it is damaged can be told only when nobody writes to it.
    var besideOthers: EngineError {
        guard case .damagedMeta(let reason) = self else { return self }
        return .damagedMeta(reason: reason + ", looked at beside other openers: close them all and open it again")
    }

    /// Whether a larger map may cure this.
    var isMapFull: Bool {
        if case .mapFull = self { return true }
        return false
    }
}

/// The one funnel for LMDB's return codes: zero passes, anything else is thrown.
func check(_ code: Int32, _ operation: StaticString) throws(EngineError) {
    if code != MDB_SUCCESS { throw EngineError(code: code, operation: operation) }
}

private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension EngineError {
    /// Creates the error for a return code of LMDB, which is one of its own negative numbers or an `errno`.
    ///
    /// - Parameter operation: the C function that returned the code.
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

    /// Whether the data file itself is invalid.
    var isDamage: Bool {
        switch self {
        case .notADatabase, .truncated, .damagedMeta, .damagedPage, .corrupted: true
        default: false
        }
    }

    /// Whether stored bytes are the cause, and not the system, the caller or the state of the environment.
    ///
    /// LMDB has negative codes of its own for contradictions between pages, and for every use of a transaction in which
    /// it has met one.
    package var isOfStoredBytes: Bool {
        if case .system(let code, _) = self { return code < 0 }
        return isDamage
    }

    /// The error for a file that others have open: damage is certain only when no process writes to the file.
    var withSharedOpenHint: EngineError {
        guard case .damagedMeta(let reason) = self else { return self }
        return .damagedMeta(reason: reason + ", read while others had the store open: close them all and open it again")
    }

    /// Whether a larger map may cure this.
    var isMapFull: Bool {
        if case .mapFull = self { return true }
        return false
    }
}

/// Throws the error for any return code of LMDB but zero; every code passes through here.
func check(_ code: Int32, _ operation: StaticString) throws(EngineError) {
    if code != MDB_SUCCESS { throw EngineError(code: code, operation: operation) }
}

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The errors of the engine, each with what a caller can do about it.
///
/// The cases are in the order in which they occur: opening, reading and writing, committing, and misuse by another
/// process. Descriptions contain no stored content.
///
/// ```swift
/// do {
///     try await cache.put(note, to: "/notes/9")
/// } catch EngineError.diskFull {
///     print("The device is full: the note is not saved.")  // the store is as it was before
/// } catch let error as EngineError {
///     print(error)  // one line, with the remedy where there is one
/// }
/// ```
public enum EngineError: Error, Equatable, Sendable {
    // Opening
    /// The directory or its data file does not exist, and the options do not create it.
    case notFound
    /// The operating system refused a path, a permission or a mode. `errno` is the system's number.
    case accessDenied(errno: Int32)
    /// The data file is no LMDB file of a version this engine reads. LMDB: `MDB_INVALID`, `MDB_VERSION_MISMATCH`.
    case notADatabase
    /// The data file is an LMDB file without tables, and therefore another program's.
    case foreignDatabase
    /// The data file is shorter than its own meta pages require. Sizes in bytes.
    case truncated(expected: UInt64, actual: UInt64)
    /// The data file's meta pages contradict themselves, each other, or the copy kept at the last clean close.
    case damagedMeta(reason: String)
    /// A page of the data file is not one that LMDB wrote there: changed on the medium, or written by another program.
    case damagedPage(number: UInt64, reason: String)
    /// The store is open in this process with other options.
    case openWithOtherOptions
    /// The file system is not safe for a shared memory map and its locks.
    case unsupportedFileSystem(name: String)
    /// The lock file is in use by something that is not a matching liblmdb.
    case foreignLockFile
    /// `lock.mdb` was removed or replaced while others have the store open: a new one would not exclude their writes.
    case lockFileRemoved
    /// The other openers of the store are in another PID namespace, such as that of another container: LMDB would take
    /// reads of a process with the same number in both for one's own.
    case otherPIDNamespace
    /// A table the caller needs is not in the file, which is open for reading only.
    case missingTable(name: String)
    /// Other openers hold the store, and the operation requires exclusive use.
    case heldByOthers
    /// Another program has held a lock for longer than ``EnvironmentOptions/lockTimeout``. Every open of the store
    /// needs that lock: the one of the store's directory, or of the file `name` in it.
    case lockedElsewhere(name: String, seconds: Int)
    /// The store's directory belongs to another user, or others may write to it. They could put files in it that would
    /// be followed, overwritten or removed.
    case untrustedDirectory(PathProblem)
    /// One of the names of the store's files does not refer to a plain file of its own.
    case untrustedFile(name: String, problem: PathProblem)

    // Reading and writing
    /// A key is empty or longer than LMDB's limit. Sizes in bytes. LMDB: `MDB_BAD_VALSIZE`.
    case keySize(actual: Int, limit: Int)
    /// A value is larger than the engine stores. Sizes in bytes.
    case valueSize(actual: Int, limit: Int)
    /// The key exists already and must not be replaced. LMDB: `MDB_KEYEXIST`.
    case keyExists
    /// Every reader slot is in use, even after stale ones were cleared. LMDB: `MDB_READERS_FULL`.
    case readersFull
    /// The map has reached its cap, or a reader kept it from growing. Size in bytes. LMDB: `MDB_MAP_FULL`.
    case mapFull(cap: Int)
    /// The keys of the store's encryption are wrapped with another key than this process has, since another process has
    /// changed it.
    case keyRefused
    /// The host could not supply the key of the store's encryption, which was needed during a read: its own error. The
    /// functions that end the read throw that error itself.
    case keyUnavailable(KeyFailure)
    /// A page has invalid content. LMDB: `MDB_CORRUPTED`, `MDB_PAGE_NOTFOUND`.
    case corrupted
    /// A transaction is larger than one commit can be. LMDB: `MDB_TXN_FULL`.
    case transactionFull
    /// The environment was opened for reading only.
    case readOnly

    // Committing
    /// The disk is full; the commit did not happen and the store is unchanged.
    case diskFull
    /// The system failed to read, to write or to sync. After a failed write, close the store and open it again before
    /// you continue.
    case ioFailure(errno: Int32)
    /// An earlier failure has stopped the environment. Close the store and open it again. LMDB: `MDB_PANIC`.
    case stopped

    // Other processes and forks
    /// The data file was replaced or removed beneath the open store, so that further writes would be lost.
    case replaced
    /// The environment was opened before this process was forked.
    case usedAfterFork
    /// The environment is closed.
    case closed
    /// Readers did not end before the deadline.
    case busy
    /// Any other error of LMDB or the system: its code and the operation that returned it.
    case system(code: Int32, operation: String)
}

/// The error with which a host could not supply the key of a store, such as that of a locked keychain.
public struct KeyFailure: Equatable, Sendable {
    /// The error that the host has thrown.
    public let error: any Error

    package init(_ error: any Error) { self.error = error }

    /// Whether both errors have the same description.
    public static func == (left: Self, right: Self) -> Bool { "\(left.error)" == "\(right.error)" }
}

/// The reason a path is not accepted as the store's own.
public enum PathProblem: Hashable, Sendable {
    /// It is a symbolic link.
    case symbolicLink
    /// It is a directory, a pipe, a socket or a device.
    case notAFile
    /// It belongs to another user than the process, and not to root.
    case otherOwner
    /// The file has another name, in this directory or elsewhere.
    case hardLinked
    /// Its mode lets its group or all users write to it.
    case writableByOthers

    /// The problem and its remedy.
    fileprivate var text: String {
        switch self {
        case .symbolicLink: "is a symbolic link: put the file itself in its place"
        case .notAFile: "is no plain file: remove it"
        case .otherOwner: "is owned by another user: open the store as that user, or in a directory of your own"
        case .hardLinked: "has another hard link: put a copy of the file in its place"
        case .writableByOthers: "is writable by other users: revoke that permission (chmod go-w)"
        }
    }
}

extension EngineError: CustomStringConvertible {
    /// The error and, where there is one, the remedy, in one line.
    public var description: String {
        switch self {
        case .notFound: "There is no store at the path: create it, or check the path."
        case .accessDenied(EROFS): "The file system is mounted read-only: copy the store to one that can be written."
        case .accessDenied(let errno): "The system refused access (errno \(errno)): check owner and mode of the store."
        case .notADatabase:
            "The data file is not an LMDB 0.9 file, or its first page is damaged: salvage it, or restore it from a copy."
        case .foreignDatabase: "The data file is another program's LMDB file, not a Larder store: check the path."
        case .truncated(let expected, let actual):
            "The data file has \(actual) bytes where its pages need \(expected): restore it from a copy."
        case .damagedMeta(let reason): "The data file's meta pages are damaged (\(reason)): restore it from a copy."
        case .damagedPage(let number, let reason):
            "Page \(number) of the data file is damaged (\(reason)): verify the store, and restore it from a copy."
        case .openWithOtherOptions: "The store is already open in this process with other options: share that one."
        case .unsupportedFileSystem(let name): "The store is on \(name), which cannot hold it safely: move it."
        case .foreignLockFile: "lock.mdb belongs to another build of liblmdb: close the other program."
        case .lockFileRemoved:
            "lock.mdb was removed or replaced while other programs have the store open: have all of them close it first."
        case .otherPIDNamespace:
            """
            Processes of another PID namespace, such as another container, have the store open: let all of them share \
            one namespace, or close them first.
            """
        case .missingTable(let name): "The table \(name) is missing: open the store for writing once."
        case .lockedElsewhere(let name, let seconds):
            """
            Another program has held the lock of \(name) for \(seconds) s: wait for it or end it; when it is another \
            user's, revoke the permission to read the store's directory (chmod 700).
            """
        case .untrustedDirectory(let problem): "The store's directory \(problem.text)."
        case .untrustedFile(let name, let problem): "\(name) in the store's directory \(problem.text)."
        case .heldByOthers: "Other openers hold the store: close them first."
        case .keySize(let actual, let limit): "A key has \(actual) bytes; 1 to \(limit) are allowed."
        case .valueSize(let actual, let limit): "A value has \(actual) bytes; at most \(limit) are allowed."
        case .keyExists: "The key exists already."
        case .readersFull: "All reader slots are in use: end some reads, or open with more readers."
        case .mapFull(let cap):
            "The store has reached its cap of \(cap) bytes: raise it, remove content, or end long reads."
        case .keyRefused: "Another program has changed the store's encryption key: open the store with the new key."
        case .keyUnavailable(let failure): "The key of the store could not be supplied: \(failure.error)."
        case .corrupted: "A page of the data file is damaged: verify the store and restore it from a copy."
        case .transactionFull: "One transaction changes too much: split it."
        case .readOnly: "The store is open for reading only."
        case .diskFull: "The disk is full: free space and write again."
        case .ioFailure(let errno):
            "The system failed to read or write (errno \(errno)): try again, after a failed write with the store opened anew."
        case .stopped: "An earlier failure stopped the store: close it and open it again."
        case .replaced: "The data file was replaced beneath the open store: close it and open it again."
        case .usedAfterFork: "The store was opened before fork: open it in the child instead."
        case .closed: "The store is closed."
        case .busy: "Readers did not end before the deadline."
        case .system(let code, let operation): "\(operation) failed with code \(code)."
        }
    }
}

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The directory of a store's files.
package struct StoreDirectory {
    static let dataName = "data.mdb"
    static let lockName = "lock.mdb"
    /// The prefix of the names of our own temporary directories.
    static let temporaryPrefix = ".larder-new-"
    /// The damaged data file that a salvage has replaced.
    package static let damagedName = "damaged.mdb"
    /// The files beside the data file that have content of the store.
    static let contentNames =
        ["search.sqlite", "search.sqlite-journal", "search.sqlite-wal", "search.sqlite-shm"] + [damagedName]
    /// The files without content, apart from those of ``OpenerLease``; the last one shows that the directory is a
    /// store's.
    static let lockNames = [lockName, "outbox.lock", "sync.lock", "bodies.lock", GuardFile.name]

    let path: String
    /// The open directory, where the same one must be used even when its path refers to another later.
    let descriptor: FileDescriptor?

    /// Creates a reference to the directory at `path`, which must be absolute.
    package init(path: String) { self.init(path: path, descriptor: nil) }

    init(path: String, descriptor: FileDescriptor?) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Returns the path of a file of the directory, relative to ``descriptor`` where that is set.
    func lookupPath(of name: String) -> String { descriptor == nil ? path + "/" + name : name }

    /// Returns the size of a file of the directory, in bytes; 0 where the system does not report it.
    func size(of name: String) -> Int64 {
        var status = stat()
        return unsafe stat(lookupPath(of: name), &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Returns `path` as an absolute path, so that a later change of the working directory does not move the store.
    static func absolute(_ path: String) throws(EngineError) -> String {
        if path.hasPrefix("/") { return path }
        guard let working = unsafe getcwd(nil, 0) else { throw EngineError(code: errno, operation: "getcwd") }
        defer { unsafe free(working) }
        // getcwd ends what it allocates with a zero byte.
        return unsafe String(cString: working) + "/" + path
    }

    var dataPath: String { path + "/" + Self.dataName }

    /// Creates the directory, and those above it, for the owner only, and syncs the parent of each. An existing one
    /// keeps its mode.
    func create() throws(EngineError) {
        var made = ""
        for part in path.split(separator: "/") {
            let parent = made.isEmpty ? "/" : made
            made += "/" + part
            if try Self.make(made) {
                // A power cut must not remove the new name, and with it commits that were reported durable.
                try FileDescriptor(parent, O_RDONLY | O_DIRECTORY).sync()
            } else if errno != EEXIST && errno != EROFS && errno != EACCES {
                // An existing parent on a read-only mount fails with EROFS; the deepest directory decides.
                throw EngineError(code: errno, operation: "mkdir")
            }
        }
        var status = stat()
        if unsafe stat(path, &status) != 0 { throw EngineError(code: errno, operation: "stat") }
        if status.st_mode & S_IFMT != S_IFDIR { throw .accessDenied(errno: ENOTDIR) }
    }

    /// The mode of a directory of ours.
    private static let mode: mode_t = 0o700

    /// Creates one directory; returns false, with `errno`, when it cannot be created.
    private static func make(_ path: String) throws(EngineError) -> Bool {
        if unsafe mkdir(path, mode) != 0 { return false }
        // A umask may withhold even the owner's rights. A directory without them cannot be opened, so its path is used.
        guard let status = try FileIdentity.status(of: path, followsLinks: false), status.st_mode & 0o777 != mode
        else { return true }
        if unsafe fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        throw EngineError(code: errno, operation: "fchmodat")
    }

    /// Locks the directory against other opens, closes and maintenance, in any process, until released.
    ///
    /// - Parameter isCreating: whether to create the directory when there is none.
    /// - Throws: ``EngineError/untrustedDirectory(_:)``; ``EngineError/notFound``;
    ///   ``EngineError/lockedElsewhere(name:seconds:)``.
    func lock(creating isCreating: Bool = false, _ wait: LockWait = .standard) throws(EngineError) -> FileDescriptor {
        while true {
            var opened = try FileDescriptor.existing(path, O_RDONLY | O_DIRECTORY)
            if opened == nil, isCreating {
                try create()
                opened = try FileDescriptor.existing(path, O_RDONLY | O_DIRECTORY)
            }
            guard let file = opened else {
                if isCreating { continue }
                throw .notFound
            }
            try Self.checkOwner(of: file)
            try wait.lock(file, exclusive: true, name: "the store's directory")
            // While this process waited, the directory may have been removed, and another created in its place.
            if try FileIdentity.of(path) == file.identity().file { return file }
        }
    }

    /// Builds the data file in a temporary directory with `build`, then moves it into place.
    ///
    /// A power cut at any time leaves either no data file or a whole one. The caller holds ``lock(creating:_:)``.
    func createDataFile(_ build: (_ temporaryPath: String) throws -> Void) throws {
        removeLeftoverTemporaries()
        try removeContentOfDeletedStore()
        let (temporary, name) = try makeTemporary("\(getpid())")
        defer { removeTemporary(name) }
        do {
            // Created empty, for liblmdb to fill, so that it has its owner's rights under any umask.
            _ = try temporary.openFile(named: Self.dataName, O_RDWR | O_CREAT | O_EXCL)
            try build(temporary.path)
            let data = try temporary.openFile(named: Self.dataName, O_RDWR)
            try data.sync()
        } catch let error as EngineError {
            throw FileSystemCheck.refined(error, at: path)
        }
        try install(temporary.dataPath)
        // Another program, or a process that was killed, may have created the directory without syncing its name. A
        // parent that this user may not read cannot be synced.
        if let parent = try? FileDescriptor(path + "/..", O_RDONLY | O_DIRECTORY) { try parent.sync() }
    }

    /// The number of names that are tried for a temporary directory.
    private static let temporaryNames = 100

    /// Creates a new directory with an unused name. Directories that cannot be removed, because they contain other
    /// files, may have the first names.
    func makeTemporary(_ name: String) throws(EngineError) -> (directory: StoreDirectory, name: String) {
        for number in 1...Self.temporaryNames {
            let name = Self.temporaryPrefix + name + (number == 1 ? "" : "-\(number)")
            let temporary = StoreDirectory(path: path + "/" + name)
            if try Self.make(temporary.path) { return (temporary, name) }
            if errno != EEXIST || number == Self.temporaryNames { throw EngineError(code: errno, operation: "mkdir") }
        }
        preconditionFailure("the last name ends the loop")
    }

    /// Renames a finished and synced data file into place, and syncs the directory.
    func install(_ file: String) throws(EngineError) {
        if unsafe chmod(file, 0o600) != 0 { throw EngineError(code: errno, operation: "chmod") }
        if unsafe rename(file, dataPath) != 0 { throw EngineError(code: errno, operation: "rename") }
        try sync()
    }

    /// Waits until the names in the directory are on the medium.
    func sync() throws(EngineError) {
        try FileDescriptor(path, O_RDONLY | O_DIRECTORY).sync()
    }

    /// Returns the names of all entries, in no order.
    func entries() -> [String] {
        (try? FileDescriptor(path, O_RDONLY | O_DIRECTORY))?.names() ?? []
    }
}

private import CLMDB

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension Environment {
    /// A check of an existing file, with those of the requested tables that it has, before anything is written to it.
    ///
    /// It throws when the file is not what the caller expects, and returns false when nothing may be written to the
    /// file.
    public typealias Inspection = (ReadTransaction, [String: Table]) throws -> Bool

    /// Opens the store in the directory at `path`, or shares the one that this process has open already.
    ///
    /// A new store is built in a temporary directory, synced and renamed into place; `initialize` fills it in its first
    /// transaction. An existing file's meta pages and size are checked before it is mapped. Then `inspect` checks the
    /// content, and missing tables are created only when it allows writing. Blocks while another process opens or
    /// closes the store.
    ///
    /// - Throws: the cases of ``EngineError`` named under opening; what `initialize` and `inspect` throw.
    public static func open(
        path: String, options: EnvironmentOptions,
        initialize: (inout WriteTransaction, [String: Table]) throws -> Void = { _, _ in },
        inspect: Inspection = { _, _ in true }
    ) throws -> Environment {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        while true {
            let lock = try directory.lock(
                creating: options.access == .readWrite, LockWait(limit: options.lockTimeout))
            defer { withExtendedLifetime(lock) {} }
            if try FileSystemCheck.check(directory.path) == .overlay, options.isReadOnly {
                directory.openFilesForWriting()
            }
            if !options.isReadOnly { try directory.endKilledReplacement() }
            let isNew = try directory.dataIdentity() == nil
            if isNew {
                guard options.access == .readWrite else { throw EngineError.notFound }
                try directory.createDataFile { temporary in
                    try build(at: temporary, options: options, initialize)
                }
            }
            guard let identity = try directory.dataIdentity() else { throw EngineError.notFound }
            switch try EnvironmentRegistry.shared.find(identity, options: options) {
            case .open(let environment): return environment
            case .none:
                let guardFile =
                    isNew
                    ? try GuardFile.existing(in: directory, isReadOnly: false) ?? .make(in: directory)
                    : try verifiedGuardFile(directory, options, isReadOnly: options.isReadOnly, inspect)
                let environment = try openExisting(directory, identity, options, guardFile, inspect)
                // A new file has no close before it.
                if isNew { environment.wasCheckedAtOpen = false }
                return environment
            case .closing: break
            }
            // The close under way needs the directory's lock.
            flock(lock.number, LOCK_UN)
            EnvironmentRegistry.shared.waitUntilClosed(identity)
        }
    }

    /// Opens a file that exists and that this process does not have open. The directory is locked.
    private static func openExisting(
        _ directory: StoreDirectory, _ identity: FileIdentity, _ options: EnvironmentOptions, _ guardFile: GuardFile,
        _ inspect: Inspection
    ) throws -> Environment {
        let check = try validate(directory, guardFile, options)
        // The remains of a killed compaction may be as large as the store itself.
        if !options.isReadOnly { directory.removeLeftoverTemporaries() }
        try guardFile.lockShared(LockWait(limit: options.lockTimeout))
        let environment = try attach(directory, identity, options, guardFile, check, inspect)
        EnvironmentRegistry.shared.insert(environment)
        return environment
    }

    /// Maps a checked file with liblmdb. The directory is locked, `guardFile` held.
    static func attach(
        _ directory: StoreDirectory, _ identity: FileIdentity, _ options: EnvironmentOptions, _ guardFile: GuardFile,
        _ file: FileCheck, _ inspect: Inspection
    ) throws -> Environment {
        let (handle, tables, pages) = unsafe try openFile(directory, identity, options, guardFile, file, inspect)
        do {
            let environment = unsafe try Environment(
                handle: handle, path: directory.path, options: options, tables: tables, identity: identity,
                guardFile: guardFile, pages: pages, wasOpenedAlone: file.isExclusive)
            environment.pageCheck = file.hasCheckedPages ? .sound : .due
            environment.wasCheckedAtOpen = file.hasCheckedPages
            // A read-only environment needs the thread to adopt changes of the map size.
            if options.isStepped {
                environment.writer.startStepped()
            } else {
                try environment.writer.start { [weak environment] in
                    _ = try? environment?.clearStaleReaders(resumes: false)
                }
            }
            return environment
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    /// Opens a checked file with liblmdb, and records its use in `guardFile`, which is held; the directory is locked.
    ///
    /// Tables are opened in the order of the options, which decides about their identifiers.
    static func openFile(
        _ directory: StoreDirectory, _ identity: FileIdentity, _ options: EnvironmentOptions, _ guardFile: GuardFile,
        _ file: FileCheck, _ inspect: Inspection
    ) throws -> (handle: OpaquePointer, tables: [String: Table], pages: PageGuard?) {
        let handle = unsafe try openHandle(directory.path, options, isExclusive: file.isExclusive)
        do {
            try check(unsafe mdb_reader_check(handle, nil), "mdb_reader_check")
            var (tables, mayWrite, pages) = unsafe try inspectedTables(
                handle, options, guarding: file.unchecked, inspect)
            for name in [StoreDirectory.dataName, StoreDirectory.lockName, GuardFile.name] {
                try directory.removeOthersWritePermission(name)
            }
            // The mark precedes the first commit: a process that dies after a commit leaves other meta pages than the
            // recorded ones.
            if options.isReadOnly {
                if file.isExclusive { guardFile.recordFile(identity, in: directory) }
            } else {
                try guardFile.makePrivate()
                try guardFile.markInUse(data: identity, in: directory)
            }
            if let missing = options.tables.first(where: { tables[$0] == nil }) {
                if options.isReadOnly || !mayWrite { throw EngineError.missingTable(name: missing) }
                unsafe try checkBeforeAdding(handle, directory, options)
                tables = unsafe try createTables(handle, options)
            }
            return unsafe (handle, tables, pages)
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    /// The result of a check of a file before liblmdb maps it.
    struct FileCheck {
        /// Whether no other opener holds the guard; without a guard, whether no other process is known to have the file
        /// open.
        let isExclusive: Bool
        /// Whether the pages were checked.
        let hasCheckedPages: Bool
        /// The file, where leaves were not among them.
        let unchecked: FileDescriptor?
    }

    /// Checks the file before liblmdb maps it. With other openers the pages may change between two checks.
    ///
    /// - Parameter isOurs: whether the file is known to be a store's: its pages are then checked where no clean close
    ///   vouches for them. Another program's file may have trees that no store has.
    static func validate(
        _ directory: StoreDirectory, _ guardFile: GuardFile?, _ options: EnvironmentOptions, isOurs: Bool = true
    ) throws -> FileCheck {
        let data = try directory.openFile(named: StoreDirectory.dataName, O_RDONLY)
        let isExclusive =
            if let guardFile { try guardFile.isHeldExclusively(in: directory) } else {
                try directory.isLockFileHeld() != true
            }
        var checkCount = 1
        while true {
            do {
                let pages = try MetaPages(data)
                var isKnownClean = true
                if isExclusive {
                    isKnownClean = try guardFile?.recordsCleanClose(for: pages, of: data) ?? false
                } else {
                    try checkSharedFile(data, directory, guardFile)
                }
                try pages.validate(data, isThorough: !isKnownClean)
                let isDue = isOurs && !isKnownClean
                let hasCheckedLeaves =
                    try isDue
                    && checkPages(pages.newest, pageSize: pages.pageSize, data, limit: options.fullCheckLimit)
                return FileCheck(
                    isExclusive: isExclusive, hasCheckedPages: isDue, unchecked: hasCheckedLeaves ? nil : data)
            } catch let error as EngineError {
                let others: [EngineError] = [.replaced, .heldByOthers, .lockFileRemoved, .otherPIDNamespace]
                if isExclusive || others.contains(error) { throw error }
                if checkCount == 3 { throw error.withSharedOpenHint }
                checkCount += 1
            }
        }
    }

    /// Throws when the holders of the guard have another data file open, or are no users of the store at all. The
    /// record in `guard.lock` may be that of the store which the directory was copied from.
    private static func checkSharedFile(
        _ data: FileDescriptor, _ directory: StoreDirectory, _ guardFile: GuardFile?
    ) throws(EngineError) {
        guard let guardFile else { return }
        if try guardFile.identifies(data) { return try guardFile.checkHolders(of: directory) }
        // Every other user of the store has its lock file open.
        if try !EnvironmentRegistry.shared.holdsGuard(guardFile.file.identity().file),
            try directory.isLockFileHeld() == false
        {
            throw .lockedElsewhere(name: GuardFile.name, seconds: 0)
        }
        throw .replaced
    }

    /// Builds a new data file with its tables in the empty directory `path`.
    private static func build(
        at path: String, options: EnvironmentOptions,
        _ initialize: (inout WriteTransaction, [String: Table]) throws -> Void
    ) throws {
        let handle = unsafe try openHandle(path, options, isExclusive: true)
        defer { unsafe mdb_env_close(handle) }
        let tables = unsafe try createTables(handle, options)
        var begun: OpaquePointer?
        try check(unsafe mdb_txn_begin(handle, nil, 0, &begun), "mdb_txn_begin")
        guard let opened = unsafe begun else { preconditionFailure("mdb_txn_begin succeeded without a transaction") }
        var transaction = unsafe WriteTransaction(handle: opened, plain: PlainValues(options, tables))
        do {
            try initialize(&transaction, tables)
            if let failure = transaction.failure { throw failure.error }
        } catch {
            unsafe mdb_txn_abort(opened)
            throw error
        }
        try check(unsafe mdb_txn_commit(opened), "mdb_txn_commit")
    }

    /// Opens the directory with liblmdb. It is locked, or was created by the caller.
    ///
    /// - Parameter usesLockFile: false only for reading a file that no process has open.
    static func openHandle(
        _ path: String, _ options: EnvironmentOptions, isExclusive: Bool, usesLockFile: Bool = true
    ) throws(EngineError) -> OpaquePointer {
        // liblmdb opens the lock file by its path and writes to it, even for a read-only environment.
        if usesLockFile {
            try StoreDirectory(path: path).prepareLockFile(readers: options.maximumReaders, isExclusive: isExclusive)
        }
        var created: OpaquePointer?
        try check(unsafe mdb_env_create(&created), "mdb_env_create")
        guard let handle = unsafe created else { preconditionFailure("mdb_env_create succeeded without a handle") }
        do throws(EngineError) {
            try check(unsafe mdb_env_set_maxdbs(handle, UInt32(options.tables.count)), "mdb_env_set_maxdbs")
            try check(unsafe mdb_env_set_maxreaders(handle, UInt32(options.maximumReaders)), "mdb_env_set_maxreaders")
            try check(unsafe mdb_env_set_mapsize(handle, options.mapSize), "mdb_env_set_mapsize")
            let lockFlags = UInt32(MDB_NOTLS) | (usesLockFile ? 0 : UInt32(MDB_NOLOCK))
            let flags = lockFlags | (options.isReadOnly ? UInt32(MDB_RDONLY) : 0)
            let code = unsafe mdb_env_open(handle, path, flags, 0o600)
            if code == MDB_VERSION_MISMATCH || code == MDB_INVALID {
                // The data file's magic and version were checked before, so the lock file is the cause.
                throw .foreignLockFile
            }
            try check(code, "mdb_env_open")
            unsafe try closeOnExec(handle)
            return unsafe handle
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    /// Sets close-on-exec for liblmdb's data descriptor, which liblmdb leaves open across `exec`.
    private static func closeOnExec(_ handle: OpaquePointer) throws(EngineError) {
        var number: mdb_filehandle_t = -1
        try check(unsafe mdb_env_get_fd(handle, &number), "mdb_env_get_fd")
        if fcntl(number, F_SETFD, FD_CLOEXEC) != 0 { throw EngineError(code: errno, operation: "fcntl") }
    }
}

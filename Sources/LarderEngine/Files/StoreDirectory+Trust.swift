#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Checking that the files in the directory are the store's own, before anything opens, writes or removes them.
extension StoreDirectory {
    /// Throws unless the open directory belongs to this user, or to root, and only its owner may write to it.
    static func checkOwner(of directory: FileDescriptor) throws(EngineError) {
        let status = try directory.status()
        if !isTrusted(status.st_uid) { throw .untrustedDirectory(.otherOwner) }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 { throw .untrustedDirectory(.writableByOthers) }
    }

    /// Checks that `name` is free, or a plain file of this user, or of root, without another name.
    ///
    /// It is for a file that a library opens by its path and that ``openFile(named:_:)`` therefore cannot open.
    ///
    /// - Returns: whether the file exists.
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` otherwise.
    @discardableResult
    package func checkFile(named name: String) throws(EngineError) -> Bool {
        try identity(ofFile: name) != nil
    }

    /// Returns device and inode of the data file, or nil when there is none.
    ///
    /// - Throws: as ``checkFile(named:)``.
    func dataIdentity() throws(EngineError) -> FileIdentity? { try identity(ofFile: Self.dataName) }

    func identity(ofFile name: String) throws(EngineError) -> FileIdentity? {
        try status(ofFile: name).map { FileIdentity($0) }
    }

    /// Returns the system's status of a file after checking it, or nil when there is none.
    func status(ofFile name: String) throws(EngineError) -> stat? {
        guard let status = try FileIdentity.status(of: lookupPath(of: name), in: descriptor, followsLinks: false) else {
            return nil
        }
        try Self.check(status, name: name)
        return status
    }

    /// The rights of group and others to write to a file.
    private static let writableByOthers: mode_t = 0o022

    /// Withdraws the right of group and others to write to a file of the store, because truncating a mapped file would
    /// end the process. The file must be known to be the store's.
    ///
    /// A file restored by `cp` under a wide umask grants that right. The path is used, because closing a second
    /// descriptor of `lock.mdb` would drop the process's locks on it; only the directory's owner can replace the file
    /// meanwhile.
    ///
    /// - Throws: as ``checkFile(named:)``.
    package func removeOthersWritePermission(_ name: String) throws(EngineError) {
        guard let mode = try status(ofFile: name)?.st_mode, mode & Self.writableByOthers != 0 else { return }
        // A read-only medium accepts no writes at all.
        if unsafe chmod(path + "/" + name, mode & 0o777 & ~Self.writableByOthers) == 0 || errno == EROFS { return }
        throw .untrustedFile(name: name, problem: .writableByOthers)
    }

    /// Opens a file in the directory, never through a link, and never waiting for the other end of a pipe.
    ///
    /// - Parameter flags: `O_CREAT` requires `O_EXCL`.
    /// - Throws: as ``checkFile(named:)``; ``EngineError/notFound``.
    package func openFile(named name: String, _ flags: Int32) throws(EngineError) -> FileDescriptor {
        // Opening a device may have effects by itself.
        try checkFile(named: name)
        let file = try FileDescriptor(lookupPath(of: name), in: descriptor, flags | O_NOFOLLOW | O_NONBLOCK)
        try Self.check(try file.status(), name: name)
        return file
    }

    /// Opens the files of a store for writing, which moves them to the upper layer of an overlay mount. Where that is
    /// refused, no other opener can write to them either.
    func openFilesForWriting() {
        for name in [GuardFile.name, Self.dataName] { _ = try? openFile(named: name, O_RDWR) }
    }

    /// Opens a file of the directory for reading and writing; creates it when there is none. Returns nil when it was
    /// created or removed meanwhile.
    ///
    /// - Throws: as ``checkFile(named:)``.
    func openOrMakeFile(named name: String) throws(EngineError) -> FileDescriptor? {
        do throws(EngineError) {
            if try checkFile(named: name) { return try openFile(named: name, O_RDWR) }
            return try openFile(named: name, O_RDWR | O_CREAT | O_EXCL)
        } catch {
            switch error {
            case .notFound, .system(code: EEXIST, _): return nil
            default: throw error
            }
        }
    }

    /// Returns the directory's path without any symbolic link, for a library that refuses links anywhere in a path.
    ///
    /// - Throws: ``EngineError/notFound``, ``EngineError/accessDenied(errno:)``, or another error of the system.
    package func resolvedPath() throws(EngineError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw EngineError(code: errno, operation: "realpath") }
        defer { unsafe free(resolved) }
        // realpath ends what it allocates with a zero byte.
        return unsafe String(cString: resolved)
    }

    /// Opens the data file of a published copy for reading, never through a link.
    ///
    /// The file may belong to another user and have other names, as the files of an installed app do: no lock file goes
    /// with it, and no process writes to it. Only a file that every user may write is refused.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)``; ``EngineError/notFound``.
    func openPublishedFile() throws(EngineError) -> FileDescriptor {
        func check(_ status: stat) throws(EngineError) {
            try Self.checkKind(status, name: Self.dataName)
            if status.st_mode & S_IWOTH != 0 {
                throw .untrustedFile(name: Self.dataName, problem: .writableByOthers)
            }
        }
        // Opening a device may have effects by itself.
        guard let status = try FileIdentity.status(of: dataPath, followsLinks: false) else { throw .notFound }
        try check(status)
        let file = try FileDescriptor(dataPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        try check(try file.status())
        return file
    }

    private static func checkKind(_ status: stat, name: String) throws(EngineError) {
        let kind = status.st_mode & S_IFMT
        if kind == S_IFLNK { throw .untrustedFile(name: name, problem: .symbolicLink) }
        if kind != S_IFREG { throw .untrustedFile(name: name, problem: .notAFile) }
    }

    private static func check(_ status: stat, name: String) throws(EngineError) {
        try checkKind(status, name: name)
        if !isTrusted(status.st_uid) { throw .untrustedFile(name: name, problem: .otherOwner) }
        // Two directories that share a data file have two lock files, and would overwrite each other's read views.
        if status.st_nlink > 1 { throw .untrustedFile(name: name, problem: .hardLinked) }
    }

    /// Whether files of `owner` are accepted: root may write anything anyway, and files that came with the system are
    /// root's.
    private static func isTrusted(_ owner: uid_t) -> Bool { owner == geteuid() || owner == 0 }
}

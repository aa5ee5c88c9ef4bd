#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Removing the store's own files. All files are reached from an open directory, never through a link, and only names
/// that a store uses are touched.
extension StoreDirectory {
    /// The depth of temporary directories in each other: a compaction's copy is itself built in one.
    private static let temporaryDepth = 2

    /// Removes temporary directories that a killed creation or compaction left behind. The caller holds
    /// ``lock(creating:_:)``, so no process works in one. Errors are left to the next attempt.
    func removeLeftoverTemporaries() {
        guard let directory = try? FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return }
        try? Self.removeTemporaries(in: directory, depth: 1)
    }

    /// Removes one temporary directory. Errors are left to the next attempt.
    func removeTemporary(_ name: String) {
        guard let directory = try? FileDescriptor(path, O_RDONLY | O_DIRECTORY) else { return }
        try? Self.removeTemporary(name, in: directory, depth: 1)
    }

    /// Removes the content files that a store without a data file has left, because a store created in its place is
    /// another one.
    func removeContentOfDeletedStore() throws(EngineError) {
        // Without a store, a file of that name may belong to something else.
        guard try GuardFile.existing(in: self, isReadOnly: true)?.isMarked() == true else { return }
        try Self.removeFiles(Self.contentNames, in: FileDescriptor(path, O_RDONLY | O_DIRECTORY))
    }

    /// Removes the store's files, the remains of a killed copy beside them, and the directory when nothing else is in
    /// it. The directory is held and locked.
    ///
    /// Content beside the data file is removed before it. An interrupted removal leaves a store that opens, or remains
    /// without content that `guard.lock` shows to be a store's.
    ///
    /// - Parameter data: the data file that may be removed; nil when there is none.
    /// - Throws: ``EngineError/replaced`` when there is another data file; errors of the system.
    func removeStore(_ data: FileIdentity?) throws(EngineError) {
        guard let descriptor else {
            preconditionFailure("a store is removed through the descriptor of its locked directory only")
        }
        if try dataIdentity() != data { throw .replaced }
        try Self.removeTemporaries(in: descriptor, depth: 1)
        try Self.removeFiles(Self.contentNames, in: descriptor)
        if try dataIdentity() != data { throw .replaced }
        try Self.removeFiles([Self.dataName] + OpenerLease.names(in: descriptor) + Self.lockNames, in: descriptor)
        if try FileIdentity.of(path) == descriptor.identity().file { unsafe rmdir(path) }
    }

    /// Removes as many temporary directories in `directory` as possible, then throws the first error.
    private static func removeTemporaries(in directory: FileDescriptor, depth: Int) throws(EngineError) {
        var failure: EngineError?
        for name in directory.names() where name.hasPrefix(temporaryPrefix) {
            do throws(EngineError) {
                try removeTemporary(name, in: directory, depth: depth)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private static func removeTemporary(_ name: String, in parent: FileDescriptor, depth: Int) throws(EngineError) {
        guard depth <= temporaryDepth,
            let directory = try? FileDescriptor(name, in: parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            (try? checkOwner(of: directory)) != nil
        else { return }
        try removeTemporaries(in: directory, depth: depth + 1)
        try removeFiles(contentNames + [dataName] + lockNames, in: directory)
        unsafe unlinkat(parent.number, name, AT_REMOVEDIR)
    }

    /// Removes those of the files that exist, in this order.
    static func removeFiles(_ names: [String], in directory: FileDescriptor) throws(EngineError) {
        for name in names {
            // Where root may unlink directories, that would make their content unreachable.
            guard let status = try FileIdentity.status(of: name, in: directory, followsLinks: false),
                status.st_mode & S_IFMT != S_IFDIR
            else { continue }
            if unsafe unlinkat(directory.number, name, 0) != 0, errno != ENOENT {
                throw EngineError(code: errno, operation: "unlinkat")
            }
        }
    }
}

extension FileDescriptor {
    /// Returns the names of all entries of the open directory, in no order.
    func names() -> [String] {
        // The stream closes its descriptor, and moves its position.
        let own = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0 else { return [] }
        guard let stream = unsafe fdopendir(own) else {
            close(own)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                // readdir ends the name with a zero byte within the field.
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

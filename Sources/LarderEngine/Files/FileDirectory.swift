#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A directory of plain files that one owner uses, beside stores.
package struct FileDirectory: Sendable {
    /// The absolute path.
    package let path: String

    /// Opens the directory at `path`; creates it, and those above it, when there is none.
    ///
    /// - Throws: ``EngineError/untrustedDirectory(_:)`` for a directory of another user, or one that others may write
    ///   to; ``EngineError/accessDenied(errno:)`` and others of the system.
    package init(_ path: String) throws(EngineError) {
        self.path = try StoreDirectory.absolute(path)
        try directory.create()
        try StoreDirectory.checkOwner(of: FileDescriptor(self.path, O_RDONLY | O_DIRECTORY))
    }

    private var directory: StoreDirectory { StoreDirectory(path: path) }

    /// Returns the names of all entries, in no order.
    package func names() -> [String] { directory.entries() }

    /// Opens a file for reading and writing; creates it when there is none.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the owner's;
    ///   ``EngineError/busy`` when other processes keep creating and removing it.
    package func openOrMake(_ name: String) throws(EngineError) -> FileDescriptor {
        // Another process may create or remove the file between two steps.
        for _ in 0..<8 {
            if let file = try directory.openOrMakeFile(named: name) { return file }
        }
        throw .busy
    }

    /// Creates a file for reading and writing, in place of an existing one.
    ///
    /// - Throws: ``EngineError/accessDenied(errno:)``, ``EngineError/diskFull``, or another error of the system.
    package func make(_ name: String) throws(EngineError) -> FileDescriptor {
        remove(name)
        return try FileDescriptor(path + "/" + name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Opens an existing file for reading and writing.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)``; ``EngineError/notFound``.
    package func open(_ name: String) throws(EngineError) -> FileDescriptor {
        try directory.openFile(named: name, O_RDWR)
    }

    /// Removes a file. An entry that is no file, or cannot be removed, stays.
    package func remove(_ name: String) { unsafe unlink(path + "/" + name) }

    /// Renames a file, and replaces a file that has the new name.
    ///
    /// - Throws: ``EngineError/notFound``, ``EngineError/accessDenied(errno:)``, or another error of the system.
    package func rename(_ name: String, to other: String) throws(EngineError) {
        if unsafe Self.rename(path + "/" + name, path + "/" + other) != 0 {
            throw EngineError(code: errno, operation: "rename")
        }
    }

    /// Waits until the names are on the medium.
    ///
    /// - Throws: as ``FileDescriptor/sync()``; an error of the system when the directory cannot be opened.
    package func sync() throws(EngineError) { try FileDescriptor(path, O_RDONLY | O_DIRECTORY).sync() }

    private static func rename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
        #if canImport(Glibc)
        unsafe Glibc.rename(old, new)
        #else
        unsafe Darwin.rename(old, new)
        #endif
    }
}

extension FileDescriptor {
    /// Returns the size of the file, in bytes.
    ///
    /// - Throws: ``EngineError/ioFailure(errno:)``, or another error of the system.
    package func size() throws(EngineError) -> UInt64 { try identity().size }

    /// Returns the file's modification time, in milliseconds since 1970-01-01 UTC.
    ///
    /// - Throws: ``EngineError/ioFailure(errno:)``, or another error of the system.
    package func modifiedAt() throws(EngineError) -> Int64 {
        var status = stat()
        if unsafe fstat(number, &status) != 0 { throw EngineError(code: errno, operation: "fstat") }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        let (milliseconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
        return overflow ? (time.tv_sec < 0 ? .min : .max) : milliseconds &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// Sets the file's access and modification time, in milliseconds since 1970-01-01 UTC.
    ///
    /// - Throws: ``EngineError/accessDenied(errno:)``, ``EngineError/ioFailure(errno:)``, or another error of the
    ///   system.
    package func setModifiedAt(_ milliseconds: Int64) throws(EngineError) {
        let part = (milliseconds % 1000 + 1000) % 1000
        let time = timespec(tv_sec: Int((milliseconds - part) / 1000), tv_nsec: Int(part) * 1_000_000)
        let times = [time, time]
        // The first is the time of access, the second that of modification.
        let code = unsafe times.withUnsafeBufferPointer { unsafe futimens(number, $0.baseAddress) }
        if code != 0 { throw EngineError(code: errno, operation: "futimens") }
    }
}

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A directory of plain files that one owner keeps, beside stores.
package struct FileDirectory: Sendable {
    /// Where it lies, from the root on.
    package let path: String

    /// The directory at `path`, made with those above it when there is none.
    ///
    /// - Throws: ``EngineError/untrustedDirectory(_:)`` for a directory of another user, or one that others may write to;
    ///   ``EngineError/accessDenied(errno:)`` and others of the system.
    package init(_ path: String) throws(EngineError) {
        self.path = try StoreDirectory.absolute(path)
        try directory.create()
        try StoreDirectory.checkOwner(of: FileDescriptor(self.path, O_RDONLY | O_DIRECTORY))
    }

    private var directory: StoreDirectory { StoreDirectory(path: path) }

    /// The names of everything in it, in no order.
    package func names() -> [String] { directory.entries() }

    /// Opens a file for reading and writing, made when there is none.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for a file that is not plainly the owner's.
    package func openOrMake(_ name: String) throws(EngineError) -> FileDescriptor {
        // Made or removed by another process between two steps.
        for _ in 0..<8 {
            if let file = try directory.openOrMakeFile(named: name) { return file }
        }
        throw .busy
    }

    /// Opens a file for reading and writing in place of the one there.
    package func make(_ name: String) throws(EngineError) -> FileDescriptor {
        remove(name)
        return try FileDescriptor(path + "/" + name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    /// Opens a file that is there for reading and writing.
    ///
    /// - Throws: as ``openOrMake(_:)``.
    package func open(_ name: String) throws(EngineError) -> FileDescriptor {
        try directory.openFile(named: name, O_RDWR)
    }

    /// Removes a file. What is no file, or cannot be removed, stays.
    package func remove(_ name: String) { unsafe unlink(path + "/" + name) }

    /// Gives a file another name, in place of the file that has it.
    package func rename(_ name: String, to other: String) throws(EngineError) {
        if unsafe Self.rename(path + "/" + name, path + "/" + other) != 0 {
            throw EngineError(code: errno, operation: "rename")
        }
    }

    /// Waits until the names are on the medium.
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
    /// Size of the file, in bytes.
    package func size() throws(EngineError) -> UInt64 { try identity().size }

    /// When the file's content was last changed by its own word, in milliseconds since 1970-01-01 UTC.
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

    /// Gives the file a time of change, in milliseconds since 1970-01-01 UTC.
    package func setModifiedAt(_ milliseconds: Int64) throws(EngineError) {
        let part = (milliseconds % 1000 + 1000) % 1000
        let time = timespec(tv_sec: Int((milliseconds - part) / 1000), tv_nsec: Int(part) * 1_000_000)
        let times = [time, time]
        // Two times: of access and of change.
        let code = unsafe times.withUnsafeBufferPointer { unsafe futimens(number, $0.baseAddress) }
        if code != 0 { throw EngineError(code: errno, operation: "futimens") }
    }
}

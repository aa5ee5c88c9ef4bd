#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// An open file of ours, closed with the last reference. Never `lock.mdb`, which only liblmdb may open.
@safe
package final class FileDescriptor: Sendable {
    let number: Int32
    private let forkCount = ForkCounter.current

    /// Opens `path`, relative to `directory` where one is given; the descriptor does not survive `exec`.
    init(_ path: String, in directory: FileDescriptor? = nil, _ flags: Int32) throws(EngineError) {
        let opened = unsafe openat(directory?.number ?? AT_FDCWD, path, flags | O_CLOEXEC, 0o600)
        if opened < 0 { throw EngineError(code: errno, operation: "open") }
        number = opened
        // A umask may withhold even the owner's rights: the next open would fail.
        if flags & O_CREAT != 0, fchmod(opened, 0o600) != 0 { throw EngineError(code: errno, operation: "fchmod") }
    }

    private init(adopting number: Int32) {
        self.number = number
    }

    /// Opens `path`; returns nil when nothing is there.
    static func existing(_ path: String, _ flags: Int32) throws(EngineError) -> FileDescriptor? {
        let opened = unsafe open(path, flags | O_CLOEXEC)
        if opened >= 0 { return FileDescriptor(adopting: opened) }
        if errno == ENOENT { return nil }
        throw EngineError(code: errno, operation: "open")
    }

    deinit {
        // A child process that is being started shares the open file until its `exec`, and with it the lock: only
        // unlocking releases that at once. A forked child must keep its parent's lock.
        if ForkCounter.current == forkCount { flock(number, LOCK_UN) }
        close(number)
    }

    /// Returns device, inode and size of the file.
    func identity() throws(EngineError) -> (file: FileIdentity, size: UInt64) {
        try Self.identity(of: number)
    }

    /// Returns device, inode and size of the file behind a descriptor that this class does not own.
    static func identity(of number: Int32) throws(EngineError) -> (file: FileIdentity, size: UInt64) {
        var status = stat()
        if unsafe fstat(number, &status) != 0 { throw EngineError(code: errno, operation: "fstat") }
        return (FileIdentity(status), UInt64(status.st_size))
    }

    /// Returns the system's status of the open file.
    func status() throws(EngineError) -> stat {
        var status = stat()
        if unsafe fstat(number, &status) != 0 { throw EngineError(code: errno, operation: "fstat") }
        return status
    }

    /// Returns up to `count` bytes from `offset` on; fewer at the end of the file.
    ///
    /// - Throws: ``EngineError/ioFailure(errno:)``, or another error of the system.
    package func read(_ count: Int, at offset: UInt64) throws(EngineError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let readCount = unsafe bytes.withUnsafeMutableBytes { buffer in
                // In bounds: filled < count is the loop's condition.
                unsafe pread(number, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
            }
            if readCount < 0 {
                if errno == EINTR { continue }
                throw EngineError(code: errno, operation: "pread")
            }
            if readCount == 0 { break }
            filled += readCount
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Writes all of `bytes` at `offset`.
    ///
    /// - Throws: ``EngineError/diskFull``, ``EngineError/ioFailure(errno:)``, or another error of the system.
    package func write(_ bytes: [UInt8], at offset: UInt64) throws(EngineError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // In bounds: written < count is the loop's condition.
                unsafe pwrite(
                    number, buffer.baseAddress! + written, buffer.count - written, off_t(offset) + off_t(written))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw EngineError(code: errno, operation: "pwrite")
            }
            written += count
        }
    }

    /// Waits until the file's content is on the medium.
    ///
    /// - Throws: ``EngineError/diskFull``, ``EngineError/ioFailure(errno:)``, or another error of the system.
    package func sync() throws(EngineError) {
        #if canImport(Darwin)
        let code = fcntl(number, F_FULLFSYNC)
        #else
        let code = fsync(number)
        #endif
        if code != 0 { throw EngineError(code: errno, operation: "fsync") }
    }

    /// Acquires or changes the advisory lock of the open file. It uses `flock`, so that closing another descriptor of
    /// the same file drops nothing.
    ///
    /// - Returns: false when it would have to wait and `waits` is false.
    /// - Throws: ``EngineError/system(code:operation:)``.
    package func lock(exclusive: Bool, waits: Bool) throws(EngineError) -> Bool {
        let operation = (exclusive ? LOCK_EX : LOCK_SH) | (waits ? 0 : LOCK_NB)
        while flock(number, operation) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { return false }
            throw EngineError(code: errno, operation: "flock")
        }
        return true
    }
}

/// The device and inode of a file, equal for all paths to it. Paths themselves miss links and mounts.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ status: stat) {
        // The value is signed on Darwin. Any bits are fine, because they are only compared.
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Returns the identity of the file at `path`, links followed, or nil when nothing is there.
    static func of(_ path: String) throws(EngineError) -> FileIdentity? {
        try status(of: path, followsLinks: true).map { FileIdentity($0) }
    }

    /// Returns the system's status of `path`, relative to `directory` where one is given, or nil when nothing is there.
    /// It throws for any other failure, because a file that cannot be seen must not be replaced by a new one.
    static func status(
        of path: String, in directory: FileDescriptor? = nil, followsLinks: Bool
    ) throws(EngineError) -> stat? {
        var status = stat()
        let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
        if unsafe fstatat(directory?.number ?? AT_FDCWD, path, &status, flags) == 0 { return status }
        if errno == ENOENT { return nil }
        throw EngineError(code: errno, operation: "stat")
    }
}

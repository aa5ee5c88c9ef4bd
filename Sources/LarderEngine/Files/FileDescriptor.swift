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

    /// Opens `path`, which begins in `directory` where one is given; the descriptor does not survive `exec`.
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

    /// Opens `path`, or answers nil when there is nothing.
    static func existing(_ path: String, _ flags: Int32) throws(EngineError) -> FileDescriptor? {
        let opened = unsafe open(path, flags | O_CLOEXEC)
        if opened >= 0 { return FileDescriptor(adopting: opened) }
        if errno == ENOENT { return nil }
        throw EngineError(code: errno, operation: "open")
    }

    deinit {
        // A program that this process is starting shares the open file until it runs, and with it the lock: only unlocking
        // frees that at once. A forked child leaves its parent's lock alone.
        if ForkCounter.current == forkCount { flock(number, LOCK_UN) }
        close(number)
    }

    /// Device, inode and size of the file.
    func identity() throws(EngineError) -> (file: FileIdentity, size: UInt64) {
        try Self.identity(of: number)
    }

    /// Device, inode and size of the file behind a descriptor of somebody else's.
    static func identity(of number: Int32) throws(EngineError) -> (file: FileIdentity, size: UInt64) {
        var status = stat()
        if unsafe fstat(number, &status) != 0 { throw EngineError(code: errno, operation: "fstat") }
        return (FileIdentity(status), UInt64(status.st_size))
    }

    /// What the system knows of the open file.
    func status() throws(EngineError) -> stat {
        var status = stat()
        if unsafe fstat(number, &status) != 0 { throw EngineError(code: errno, operation: "fstat") }
        return status
    }

    /// Up to `count` bytes from `offset` on; fewer at the end of the file.
    package func read(_ count: Int, at offset: UInt64) throws(EngineError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                // In bounds: filled < count is the loop's condition.
                unsafe pread(number, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw EngineError(code: errno, operation: "pread")
            }
            if got == 0 { break }
            filled += got
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Writes all of `bytes` at `offset`.
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
    package func sync() throws(EngineError) {
        #if canImport(Darwin)
        let code = fcntl(number, F_FULLFSYNC)
        #else
        let code = fsync(number)
        #endif
        if code != 0 { throw EngineError(code: errno, operation: "fsync") }
    }

    /// Takes or changes the advisory lock of the open file. `flock`, so that closing another descriptor of the same
    /// file drops nothing.
    ///
    /// - Returns: false when it would have to wait and `waits` is false.
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

/// What makes two paths the same file: its device and inode. Paths themselves miss links and mounts.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ status: stat) {
        // Signed on Darwin, and any bits are fine: they are only compared.
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// The identity of what is at `path`, links followed, or nil when there is nothing.
    static func of(_ path: String) throws(EngineError) -> FileIdentity? {
        try status(of: path, followsLinks: true).map { FileIdentity($0) }
    }

    /// What the system knows of `path`, which begins in `directory` where one is given, or nil when there is nothing. Any
    /// other failure is thrown: taken for absence, it would let a new file replace the one that could not be seen.
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

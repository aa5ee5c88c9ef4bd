#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Allocating space for `lock.mdb` before liblmdb maps it.
extension StoreDirectory {
    /// Allocates blocks of the lock file for this number of readers; creates the file when there is none.
    ///
    /// liblmdb extends the file without writing to it, and writes through the map: on a full disk that ends the
    /// process. The caller holds the directory's lock.
    ///
    /// - Parameter isExclusive: whether no process has the store open. Only then may an existing file be opened, because
    ///   closing it drops this process's locks on it.
    /// - Throws: ``EngineError/diskFull``, ``EngineError/lockFileRemoved``; as ``checkFile(named:)``.
    func prepareLockFile(readers: Int, isExclusive: Bool) throws(EngineError) {
        // A header, one cache line per reader, and the remainder of whole pages.
        let needed = 64 * (readers + 2)
        guard let status = try status(ofFile: Self.lockName) else {
            // On a read-only medium no process writes, and there is no lock file.
            if !isExclusive, unsafe access(path, W_OK) == 0 { throw .lockFileRemoved }
            return try makeLockFile(needed)
        }
        let size = Int(status.st_size)
        let isWhole = size >= needed && Int(status.st_blocks) * 512 >= size
        if isWhole || !isExclusive { return }
        guard let file = try openLockFile(O_RDWR), try file.lockFirstByte() else { return }
        // The content has no use while no process uses the file, and its length may be anything.
        if size > needed, ftruncate(file.number, off_t(needed)) != 0 {
            throw EngineError(code: errno, operation: "ftruncate")
        }
        try file.write([UInt8](repeating: 0, count: needed), at: 0)
    }

    /// Whether a process has the store open through liblmdb; nil where this process may not lock the file. The caller
    /// knows that this process does not have it open: closing a descriptor of the lock file would drop its locks.
    func isLockFileHeld() throws(EngineError) -> Bool? {
        guard try checkFile(named: Self.lockName) else { return false }
        return try openLockFile(O_RDWR).map { file throws(EngineError) in try !file.lockFirstByte() }
    }

    /// Returns device and inode of the lock file, or nil when there is none.
    ///
    /// - Throws: as ``checkFile(named:)``.
    func lockFileIdentity() throws(EngineError) -> FileIdentity? { try identity(ofFile: Self.lockName) }

    private func makeLockFile(_ size: Int) throws(EngineError) {
        guard let file = try openLockFile(O_RDWR | O_CREAT | O_EXCL) else { return }
        do throws(EngineError) {
            try file.write([UInt8](repeating: 0, count: size), at: 0)
        } catch {
            unsafe unlink(path + "/" + Self.lockName)
            throw error
        }
    }

    /// Opens the lock file; returns nil where this process may not write to it. liblmdb then decides: it reads from a
    /// read-only medium without a lock file.
    private func openLockFile(_ flags: Int32) throws(EngineError) -> FileDescriptor? {
        do throws(EngineError) {
            return try openFile(named: Self.lockName, flags)
        } catch {
            if case .accessDenied = error { return nil }
            throw error
        }
    }
}

extension FileDescriptor {
    /// Acquires the lock that liblmdb acquires exclusively to set a lock file up, and shares while the file is in use.
    /// It is dropped when this process closes any descriptor of the file.
    ///
    /// - Returns: false when another process holds it.
    fileprivate func lockFirstByte() throws(EngineError) -> Bool {
        var request = flock()
        request.l_type = Int16(F_WRLCK)
        request.l_whence = Int16(SEEK_SET)
        request.l_len = 1
        if unsafe fcntl(number, F_SETLK, &request) == 0 { return true }
        if errno == EAGAIN || errno == EACCES { return false }
        throw EngineError(code: errno, operation: "fcntl")
    }
}

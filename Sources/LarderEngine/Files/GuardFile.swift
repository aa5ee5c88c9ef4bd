#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// `guard.lock`: says who holds the store, and how it was left.
///
/// Every opener holds a shared lock on it for life, so that maintenance, which needs it exclusive, can see holders.
/// It names the data file and the lock file in use by their inodes; after a clean close it also holds a copy of the
/// meta pages, which carry no checksum of their own. docs/internals/store.md.
struct GuardFile {
    static let name = "guard.lock"

    let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    /// Opens the file, or answers nil when there is none. The caller holds the directory's lock.
    static func existing(in directory: StoreDirectory, isReadOnly: Bool) throws(EngineError) -> GuardFile? {
        guard try directory.checkFile(named: name) else { return nil }
        return GuardFile(try directory.openFile(named: name, isReadOnly ? O_RDONLY : O_RDWR))
    }

    /// Makes the file. The caller holds the directory's lock, and knows that the data file is its own.
    static func make(in directory: StoreDirectory) throws(EngineError) -> GuardFile {
        let file = try directory.openFile(named: name, O_RDWR | O_CREAT | O_EXCL)
        try directory.sync()
        return GuardFile(file)
    }

    /// Withdraws all rights of others: a lock of the file needs the right to read it only.
    func makePrivate() throws(EngineError) {
        if fchmod(file.number, 0o600) != 0 { throw EngineError(code: errno, operation: "fchmod") }
    }

    /// Holds the store for life; see ``isHeldAlone()``.
    func hold(_ wait: LockWait) throws(EngineError) {
        try wait.lock(file, exclusive: false, name: Self.name)
    }

    /// Whether no other opener holds the store. Ask while the directory is locked: the lock is traded for a moment.
    ///
    /// Where the file was removed beside its holders, they hold another one; they are known by `lock.mdb` then. The caller
    /// knows that this process does not have the store open.
    func isHeldAlone(in directory: StoreDirectory) throws(EngineError) -> Bool {
        guard try file.lock(exclusive: true, waits: false) else { return false }
        return try directory.isLockFileHeld() != true
    }

    /// Notes that `data` is in use: whatever happens now, its meta pages are not the noted ones any more.
    ///
    /// On the medium when it returns: after a power cut, a copy that is older than the meta pages would make them look
    /// damaged.
    func markInUse(data: FileIdentity, in directory: StoreDirectory) throws(EngineError) {
        try file.write(GuardRecord(data, lockFile: directory.lockFileIdentity(), pages: nil).bytes, at: 0)
        try file.sync()
    }

    /// Notes which file is in use, for an environment that only reads and is the first, where another one was noted.
    ///
    /// A copy of a store brings the note of the file it was made of; an opener that comes later would take the copy for
    /// a file that was replaced beneath this one. Where the note cannot be written, no writer can come.
    func noteFile(_ data: FileIdentity, in directory: StoreDirectory) {
        guard let record = try? GuardRecord(file), let lockFile = try? directory.lockFileIdentity(),
            !record.isOfAnotherVersion, record.identity != data || record.lockFileInode != lockFile.inode,
            let own = try? directory.openFile(named: Self.name, O_RDWR)
        else { return }
        try? own.write(GuardRecord(data, lockFile: lockFile, pages: nil).bytes, at: 0)
    }

    /// Notes a clean close of `data` with a copy of its meta pages, once these are on the medium.
    func markClean(data: FileDescriptor, in directory: StoreDirectory) throws(EngineError) {
        try data.sync()
        let pages = try MetaPages(data)
        let lockFile = try directory.lockFileIdentity()
        try file.write(GuardRecord(try data.identity().file, lockFile: lockFile, pages: pages.raw).bytes, at: 0)
    }

    /// Whether `data` was closed cleanly with the meta pages it has.
    ///
    /// Other pages may be those of a copy that was put in the file's place, so they are for a thorough check to judge;
    /// but for a change that such a check cannot see, for which this throws.
    func vouches(for pages: MetaPages, of data: FileDescriptor) throws(EngineError) -> Bool {
        let record = try GuardRecord(file)
        guard record.isSound, record.isClean, record.identity == (try data.identity().file) else { return false }
        if record.first == pages.raw.first[...] && record.second == pages.raw.second[...] { return true }
        if record.hasChecksum, pages.differOnlyInCommit(from: (record.first, record.second)) {
            throw .damagedMeta(reason: "changed since the last clean close")
        }
        return false
    }

    /// Whether the other holders of the store have the data file `data` open, as far as the note says. Another one was
    /// replaced beneath them, and what they know through `lock.mdb` does not hold for this one.
    ///
    /// - Throws: ``EngineError/heldByOthers`` when the note is damaged.
    func names(_ data: FileDescriptor) throws(EngineError) -> Bool {
        let record = try GuardRecord(file)
        if record.isDamaged { throw .heldByOthers }
        if !record.isSound { return true }
        return record.identity == (try data.identity().file)
    }

    /// Throws when the holders of the store have another `lock.mdb` open than the one there is now, as far as the note
    /// says: its locks would not keep the writes of this process and theirs apart.
    ///
    /// - Throws: ``EngineError/lockFileRemoved``.
    func checkLockFile(of directory: StoreDirectory) throws(EngineError) {
        guard let noted = try GuardRecord(file).lockFileInode, let present = try directory.lockFileIdentity() else {
            return
        }
        if noted != present.inode { throw .lockFileRemoved }
    }

    /// Whether the file says that the store is one of ours, in use or closed.
    func isMarked() throws(EngineError) -> Bool { try GuardRecord(file).isSound }
}

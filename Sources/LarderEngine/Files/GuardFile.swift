#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// `guard.lock`: the file that shows the holders of a store, and how it was closed last.
///
/// Every opener holds a shared lock on it for life, so that maintenance, which needs it exclusive, can detect holders.
/// It names the data file and the lock file in use by their inodes. After a clean close it also has a copy of the meta
/// pages, which have no checksum of their own. docs/internals/store.md.
struct GuardFile {
    static let name = "guard.lock"

    let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    /// Opens the file; returns nil when there is none. The caller holds the directory's lock.
    static func existing(in directory: StoreDirectory, isReadOnly: Bool) throws(EngineError) -> GuardFile? {
        guard try directory.checkFile(named: name) else { return nil }
        return GuardFile(try directory.openFile(named: name, isReadOnly ? O_RDONLY : O_RDWR))
    }

    /// Creates the file. The caller holds the directory's lock, and knows that the data file is its own.
    static func make(in directory: StoreDirectory) throws(EngineError) -> GuardFile {
        let file = try directory.openFile(named: name, O_RDWR | O_CREAT | O_EXCL)
        try directory.sync()
        return GuardFile(file)
    }

    /// Withdraws all rights of others, because a lock of the file needs only the right to read it.
    func makePrivate() throws(EngineError) {
        if fchmod(file.number, 0o600) != 0 { throw EngineError(code: errno, operation: "fchmod") }
    }

    /// Holds the store for life; see ``isHeldExclusively(in:)``.
    func lockShared(_ wait: LockWait) throws(EngineError) {
        try wait.lock(file, exclusive: false, name: Self.name)
    }

    /// Whether no other opener holds the store. Call it while the directory is locked: the lock is exchanged
    /// briefly.
    ///
    /// When the file was removed while others hold it, they hold another one, and `lock.mdb` shows them instead. The
    /// caller knows that this process does not have the store open.
    func isHeldExclusively(in directory: StoreDirectory) throws(EngineError) -> Bool {
        guard try file.lock(exclusive: true, waits: false) else { return false }
        return try directory.isLockFileHeld() != true
    }

    /// Records that `data` is in use, so that the recorded meta pages are no longer valid.
    ///
    /// The record is on the medium when it returns: after a power cut, a copy that is older than the meta pages would
    /// make them look damaged.
    func markInUse(data: FileIdentity, in directory: StoreDirectory) throws(EngineError) {
        try file.write(Self.record(of: data, directory.lockFileIdentity(), pages: nil), at: 0)
        try file.sync()
    }

    /// Records which file is in use, for an environment that only reads and is the first, where another file was
    /// recorded.
    ///
    /// A copy of a store has the record of the original file, so a later opener would believe that the file was
    /// replaced beneath this one. Where the record cannot be written, no writer can open the store.
    func recordFile(_ data: FileIdentity, in directory: StoreDirectory) {
        guard let record = try? GuardRecord(file), let lockFile = try? directory.lockFileIdentity(),
            !record.isOfAnotherVersion,
            record.identity != data || record.lockFileInode != lockFile.inode
                || record.pidNamespace != Self.pidNamespace,
            let own = try? directory.openFile(named: Self.name, O_RDWR)
        else { return }
        // An environment that only reads leaves the meta pages as they are.
        let isKnown = record.identity == data && record.isClean
        let pages = isKnown ? (first: Array(record.first), second: Array(record.second)) : nil
        try? own.write(Self.record(of: data, lockFile, pages: pages), at: 0)
    }

    private static func record(
        of data: FileIdentity, _ lockFile: FileIdentity?, pages: (first: [UInt8], second: [UInt8])?
    ) -> [UInt8] {
        GuardRecord(data, lockFile: lockFile, pidNamespace: pidNamespace ?? 0, pages: pages).bytes
    }

    /// The PID namespace of this process, by its inode; nil where the system has none, or does not show it.
    private static var pidNamespace: UInt64? {
        #if canImport(Glibc)
        try? FileIdentity.status(of: "/proc/self/ns/pid", followsLinks: true).map { FileIdentity($0).inode }
        #else
        nil
        #endif
    }

    /// Records a clean close of `data` with a copy of its meta pages, once these are on the medium.
    func markClean(data: FileDescriptor, in directory: StoreDirectory) throws(EngineError) {
        try data.sync()
        let pages = try MetaPages(data)
        let lockFile = try directory.lockFileIdentity()
        try file.write(Self.record(of: data.identity().file, lockFile, pages: pages.raw), at: 0)
    }

    /// Whether `data` was closed cleanly with the meta pages that it has.
    ///
    /// Other pages may be those of a copy that replaced the file, so a thorough check decides about them. A change that
    /// such a check cannot detect makes this throw.
    func recordsCleanClose(for pages: MetaPages, of data: FileDescriptor) throws(EngineError) -> Bool {
        let record = try GuardRecord(file)
        guard record.isSound, record.isClean, record.identity == (try data.identity().file) else { return false }
        if record.first == pages.raw.first[...] && record.second == pages.raw.second[...] { return true }
        if record.hasChecksum, pages.differOnlyInCommit(from: (record.first, record.second)) {
            throw .damagedMeta(reason: "changed since the last clean close")
        }
        return false
    }

    /// Whether the other holders of the store have the data file `data` open, according to the record. Otherwise the
    /// file was replaced beneath them, and their information in `lock.mdb` is not about this one.
    ///
    /// - Throws: ``EngineError/heldByOthers`` when the record is damaged.
    func identifies(_ data: FileDescriptor) throws(EngineError) -> Bool {
        let record = try GuardRecord(file)
        if record.isDamaged { throw .heldByOthers }
        if !record.isSound { return true }
        return record.identity == (try data.identity().file)
    }

    /// Checks that this process and the holders of the store exclude each other's writes and know each other's reads,
    /// according to the record.
    ///
    /// - Throws: ``EngineError/lockFileRemoved`` when they have another `lock.mdb` open than the present one, whose locks
    ///   would not exclude their writes; ``EngineError/otherPIDNamespace``, as liblmdb takes the reads of a process with
    ///   its own number for its own, and ends them when it closes.
    func checkHolders(of directory: StoreDirectory) throws(EngineError) {
        let record = try GuardRecord(file)
        if let recorded = record.lockFileInode, let present = try directory.lockFileIdentity(),
            recorded != present.inode
        {
            throw .lockFileRemoved
        }
        if let recorded = record.pidNamespace, let own = Self.pidNamespace, recorded != own { throw .otherPIDNamespace }
    }

    /// Whether the file shows that the store is one of ours, in use or closed.
    func isMarked() throws(EngineError) -> Bool { try GuardRecord(file).isSound }
}

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// `guard.lock`: says who holds the store, and how it was left.
///
/// Every opener holds a shared lock on it for life, so that maintenance, which needs it exclusive, can see holders.
/// It names the data file in use by device and inode; after a clean close it also holds a copy of the meta pages,
/// which carry no checksum of their own. FORMAT.md, guard.lock.
struct GuardFile {
    static let name = "guard.lock"
    private static let size = 1024
    private static let magic: [UInt8] = Array("LARDGRD1".utf8)

    let file: FileDescriptor

    /// Opens the file, made when there is none. The caller holds the directory's lock.
    init(directory: StoreDirectory, isReadOnly: Bool) throws(EngineError) {
        let flags = isReadOnly ? O_RDONLY : O_RDWR
        if try directory.checkFile(named: Self.name) {
            file = try directory.openFile(named: Self.name, flags)
        } else {
            file = try directory.openFile(named: Self.name, flags | O_CREAT | O_EXCL)
            try directory.sync()
        }
        if !isReadOnly, fchmod(file.number, 0o600) != 0 { throw EngineError(code: errno, operation: "fchmod") }
    }

    /// Holds the store for life; see ``isHeldAlone()``.
    func hold() throws(EngineError) {
        _ = try file.lock(exclusive: false, waits: true)
    }

    /// Whether no other opener holds the store. Ask while the directory is locked: the lock is traded for a moment.
    func isHeldAlone() throws(EngineError) -> Bool {
        try file.lock(exclusive: true, waits: false)
    }

    /// Notes that `data` is in use: whatever happens now, its meta pages are not the noted ones any more.
    ///
    /// On the medium when it returns: after a power cut, a copy that is older than the meta pages would make them look
    /// damaged.
    func markInUse(data: FileIdentity) throws(EngineError) {
        try file.write(Array(Self.record(data, isClean: false).prefix(48)), at: 0)
        try file.sync()
    }

    /// Notes a clean close of `data` with a copy of its meta pages, once these are on the medium.
    func markClean(data: FileDescriptor) throws(EngineError) {
        try data.sync()
        let pages = try MetaPages(data)
        var record = Self.record(try data.identity().file, isClean: true)
        record.replaceSubrange(64..<216, with: pages.raw.first)
        record.replaceSubrange(216..<368, with: pages.raw.second)
        try file.write(record, at: 0)
    }

    /// Whether `data` was closed cleanly with the meta pages it has; throws when they have changed since.
    func vouches(for pages: MetaPages, of data: FileDescriptor) throws(EngineError) -> Bool {
        let record = try file.read(Self.size, at: 0)
        guard record.count == Self.size, Self.isSound(record), record[12] & 1 == 1 else { return false }
        let identity = try data.identity().file
        guard record.u64(32) == identity.device, record.u64(40) == identity.inode else { return false }
        if Array(record[64..<216]) != pages.raw.first || Array(record[216..<368]) != pages.raw.second {
            throw .damagedMeta(reason: "changed since the last clean close")
        }
        return true
    }

    /// Throws when the other holders of the store have another data file open than `data`: it was replaced beneath
    /// them, and what they know through `lock.mdb` does not hold for this one.
    func checkSharedFile(_ data: FileDescriptor) throws(EngineError) {
        let record = try file.read(48, at: 0)
        guard record.count == 48, Self.isSound(record) else { return }
        let identity = try data.identity().file
        if record.u64(32) != identity.device || record.u64(40) != identity.inode { throw .replaced }
    }

    /// Whether the file says that the store is one of ours, in use or closed.
    func isMarked() throws(EngineError) -> Bool {
        let record = try file.read(48, at: 0)
        return record.count == 48 && Self.isSound(record)
    }

    private static func isSound(_ record: [UInt8]) -> Bool {
        Array(record[0..<8]) == magic && record.u32(8) == 1
    }

    private static func record(_ identity: FileIdentity, isClean: Bool) -> [UInt8] {
        var record = [UInt8](repeating: 0, count: size)
        record.replaceSubrange(0..<8, with: magic)
        record[8] = 1
        record[12] = isClean ? 1 : 0
        for byte in 0..<8 {
            record[32 + byte] = UInt8(truncatingIfNeeded: identity.device >> (8 * byte))
            record[40 + byte] = UInt8(truncatingIfNeeded: identity.inode >> (8 * byte))
        }
        return record
    }
}

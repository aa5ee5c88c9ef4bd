#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// `guard.lock`: says who holds the store, and how it was left.
///
/// Every opener holds a shared lock on it for life, so that maintenance, which needs it exclusive, can see holders.
/// After a clean close it holds a copy of the meta pages, which carry no checksum of their own. FORMAT.md, guard.lock.
struct GuardFile {
    static let name = "guard.lock"
    private static let size = 1024
    private static let magic: [UInt8] = Array("LARDGRD1".utf8)

    let file: FileDescriptor

    init(directory: String, isReadOnly: Bool) throws(EngineError) {
        let path = directory + "/" + Self.name
        file = try FileDescriptor(path, isReadOnly ? O_RDONLY : O_RDWR | O_CREAT)
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

    /// Notes that the store is in use: whatever happens now, its meta pages are not the noted ones any more.
    func markInUse() throws(EngineError) {
        try file.write(Self.magic + [1, 0, 0, 0, 0, 0, 0, 0], at: 0)
    }

    /// Notes a clean close of `data` with a copy of its meta pages.
    func markClean(data: FileDescriptor) throws(EngineError) {
        let identity = try data.identity().file
        let pages = try MetaPages(data)
        var record = [UInt8](repeating: 0, count: Self.size)
        record.replaceSubrange(0..<8, with: Self.magic)
        record[8] = 1
        record[12] = 1
        for byte in 0..<8 {
            record[32 + byte] = UInt8(truncatingIfNeeded: identity.device >> (8 * byte))
            record[40 + byte] = UInt8(truncatingIfNeeded: identity.inode >> (8 * byte))
        }
        record.replaceSubrange(64..<216, with: pages.raw.first)
        record.replaceSubrange(216..<368, with: pages.raw.second)
        try file.write(record, at: 0)
    }

    /// Throws when `data` was closed cleanly and its meta pages have changed since.
    func validate(_ pages: MetaPages, of data: FileDescriptor) throws(EngineError) {
        let record = try file.read(Self.size, at: 0)
        guard record.count == Self.size, Array(record[0..<8]) == Self.magic, record.u32(8) == 1 else { return }
        guard record[12] & 1 == 1 else { return }
        let identity = try data.identity().file
        guard record.u64(32) == identity.device, record.u64(40) == identity.inode else { return }
        if Array(record[64..<216]) != pages.raw.first || Array(record[216..<368]) != pages.raw.second {
            throw .damagedMeta(reason: "changed since the last clean close")
        }
    }
}

/// The content of `guard.lock`. docs/internals/store.md.
struct GuardRecord {
    private static let size = 1024
    private static let magic: [UInt8] = Array("LARDGRD1".utf8)
    private static let checksumOffset = 368
    private static let cleanFlag: UInt8 = 1
    private static let checksumFlag: UInt8 = 2

    let bytes: [UInt8]

    /// Reads the record of an open file.
    init(_ file: FileDescriptor) throws(EngineError) {
        bytes = try file.read(Self.size, at: 0)
    }

    /// Creates the record of a file in use, or with its meta pages that of a file closed cleanly.
    ///
    /// - Parameters:
    ///   - lockFile: the `lock.mdb` that its users have open; nil when there is none.
    ///   - pidNamespace: the PID namespace of its users; 0 when it is not known.
    init(
        _ identity: FileIdentity, lockFile: FileIdentity?, pidNamespace: UInt64,
        pages: (first: [UInt8], second: [UInt8])?
    ) {
        var record = [UInt8](repeating: 0, count: Self.size)
        record.replaceSubrange(0..<8, with: Self.magic)
        record[8] = 1
        record[12] = Self.checksumFlag | (pages == nil ? 0 : Self.cleanFlag)
        record.replaceSubrange(32..<40, with: Self.littleEndian(identity.device))
        record.replaceSubrange(40..<48, with: Self.littleEndian(identity.inode))
        record.replaceSubrange(48..<56, with: Self.littleEndian(pidNamespace))
        record.replaceSubrange(56..<64, with: Self.littleEndian(lockFile?.inode ?? 0))
        if let pages {
            record.replaceSubrange(64..<216, with: pages.first)
            record.replaceSubrange(216..<368, with: pages.second)
        }
        let end = Self.checksumOffset
        record.replaceSubrange(end..<end + 8, with: Self.littleEndian(Self.checksum(record[..<end])))
        bytes = record
    }

    /// Whether this version can use the record, and it is undamaged.
    var isSound: Bool { hasKnownVersion && !isDamaged }

    /// Whether the record differs from what was written. An empty file has no record; one of another version is not
    /// checked.
    var isDamaged: Bool {
        if bytes.isEmpty { return false }
        guard bytes.count >= 48, Array(bytes[..<8]) == Self.magic else { return true }
        guard hasKnownVersion, hasChecksum else { return false }
        let end = Self.checksumOffset
        return bytes.count < Self.size || bytes.u64(end) != Self.checksum(bytes[..<end])
    }

    /// Whether another version wrote the record, so that this one does not change it.
    var isOfAnotherVersion: Bool { !bytes.isEmpty && !isDamaged && !hasKnownVersion }

    private var hasKnownVersion: Bool { bytes.count >= 48 && bytes.u32(8) == 1 }
    /// Whether the record was written with a checksum; an earlier version writes none.
    var hasChecksum: Bool { bytes.count >= 48 && bytes[12] & Self.checksumFlag != 0 }
    /// Whether the last close was a clean one.
    var isClean: Bool { bytes.count == Self.size && bytes[12] & Self.cleanFlag != 0 }

    /// The data file that the record names; nil when the record is damaged or of another version.
    var identity: FileIdentity? {
        isSound ? FileIdentity(device: bytes.u64(32), inode: bytes.u64(40)) : nil
    }

    /// The inode of the `lock.mdb` that the record names; nil when it names none, or is damaged or of another version.
    var lockFileInode: UInt64? {
        guard isSound, bytes.count == Self.size, bytes.u64(56) != 0 else { return nil }
        return bytes.u64(56)
    }

    /// The PID namespace that the record names; nil when it names none, or is damaged or of another version.
    var pidNamespace: UInt64? {
        guard isSound, bytes.count == Self.size, bytes.u64(48) != 0 else { return nil }
        return bytes.u64(48)
    }

    /// The copies of the meta pages of a clean close.
    var first: ArraySlice<UInt8> { bytes[64..<216] }
    var second: ArraySlice<UInt8> { bytes[216..<368] }

    /// Returns FNV-1a of 64 bits, which detects every change of one byte; forging need not be prevented.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func littleEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

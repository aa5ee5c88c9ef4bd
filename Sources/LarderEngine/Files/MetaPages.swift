/// The two meta pages of an LMDB 0.9 data file, read and checked in Swift before liblmdb maps the file.
///
/// LMDB trusts its meta pages: a short file ends the process with SIGBUS, a page size of zero with SIGFPE. Offsets are
/// those of `MDB_page` and `MDB_meta` on 64-bit machines.
struct MetaPages {
    /// Bytes of each page that LMDB uses: page header and `MDB_meta`.
    static let usedBytes = 152

    /// The used bytes of both pages.
    let raw: (first: [UInt8], second: [UInt8])
    let pageSize: UInt64
    private let newest: [UInt8]

    private static let invalidPage = UInt64.max

    /// Reads the pages of a data file.
    init(_ file: FileDescriptor) throws(EngineError) {
        let (_, size) = try file.identity()
        let first = try file.read(Self.usedBytes, at: 0)
        if first.count < Self.usedBytes { throw .truncated(expected: 8192, actual: size) }
        guard first.u32(16) == 0xBEEF_C0DE else { throw .notADatabase }
        guard first.u32(20) == 1 else { throw .notADatabase }
        pageSize = UInt64(first.u32(40))
        guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else {
            throw .damagedMeta(reason: "page size")
        }
        let second = try file.read(Self.usedBytes, at: pageSize)
        if second.count < Self.usedBytes { throw .truncated(expected: 2 * pageSize, actual: size) }
        raw = (first, second)
        newest = first.u64(144) < second.u64(144) ? second : first
    }

    /// Throws unless both pages are sound, agree with each other and fit the file.
    func validate(_ file: FileDescriptor) throws(EngineError) {
        try validateHeader(raw.first, number: 0)
        try validateHeader(raw.second, number: 1)
        let ids = (raw.first.u64(144), raw.second.u64(144))
        // Commits alternate between the pages, so their numbers are neighbours; an even one lies in page 0.
        let areNeighbours = ids.0 < ids.1 ? ids.1 - ids.0 == 1 : ids.0 - ids.1 <= 1
        guard areNeighbours, ids.0 % 2 == 0, ids.1 % 2 == 1 || ids.1 == 0 else {
            throw .damagedMeta(reason: "commit numbers")
        }
        let older = newest == raw.first ? raw.second : raw.first
        guard newest.u64(136) >= older.u64(136) else { throw .damagedMeta(reason: "last page") }
        let (_, size) = try file.identity()
        let (needed, overflow) = (newest.u64(136) &+ 1).multipliedReportingOverflow(by: pageSize)
        if overflow || newest.u64(136) == .max { throw .damagedMeta(reason: "last page") }
        if size < needed { throw .truncated(expected: needed, actual: size) }
        try validateTree(at: 40, file)
        try validateTree(at: 88, file)
    }

    private func validateHeader(_ page: [UInt8], number: UInt64) throws(EngineError) {
        guard page.u64(0) == number else { throw .damagedMeta(reason: "page number") }
        guard page.u16(10) == 0x08 else { throw .damagedMeta(reason: "page flags") }
        guard page.u32(16) == 0xBEEF_C0DE, page.u32(20) == 1 else { throw .damagedMeta(reason: "magic") }
        guard page.u64(24) == 0 else { throw .damagedMeta(reason: "map address") }
        guard page.u64(32) <= 1 << 47 else { throw .damagedMeta(reason: "map size") }
        guard UInt64(page.u32(40)) == pageSize else { throw .damagedMeta(reason: "page size") }
        // The free list has integer keys; our main table has no flags.
        guard page.u16(44) == 0x08, page.u16(92) == 0, page.u32(88) == 0 else {
            throw .damagedMeta(reason: "tree flags")
        }
    }

    /// Checks the root of the tree described at `offset` of the newest page.
    private func validateTree(at offset: Int, _ file: FileDescriptor) throws(EngineError) {
        let depth = newest.u16(offset + 6)
        let entries = newest.u64(offset + 32)
        let root = newest.u64(offset + 40)
        if root == Self.invalidPage {
            guard depth == 0, entries == 0 else { throw .damagedMeta(reason: "empty tree") }
            return
        }
        guard root >= 2, root <= newest.u64(136), depth >= 1, depth <= 32 else {
            throw .damagedMeta(reason: "root page")
        }
        let page = try file.read(16, at: root * pageSize)
        guard page.count == 16, page.u64(0) == root else { throw .damagedMeta(reason: "root page") }
        guard page.u16(10) & 0x03 == (depth == 1 ? 0x02 : 0x01) else { throw .damagedMeta(reason: "root page kind") }
        if depth == 1 {
            // Two bytes of slot per entry lie between the header and `lower`.
            let count = (UInt64(page.u16(12)) &- 16) / 2
            let isOnePage = newest.u64(offset + 8) == 0 && newest.u64(offset + 16) == 1
            guard count == entries, isOnePage else { throw .damagedMeta(reason: "entry count") }
        }
    }
}

extension [UInt8] {
    /// Little-endian numbers at a byte offset, which the caller knows to be in bounds.
    func u16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }
    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }
}

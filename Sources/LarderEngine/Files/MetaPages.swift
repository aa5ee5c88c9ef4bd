/// The two meta pages of an LMDB 0.9 data file, read and checked in Swift before liblmdb maps the file.
///
/// LMDB trusts its meta pages: a short file ends the process with SIGBUS, a page size of zero with SIGFPE. Offsets are
/// those of `MDB_page` and `MDB_meta` on 64-bit machines.
struct MetaPages {
    /// The bytes of each page that LMDB uses: page header and `MDB_meta`.
    static let usedBytes = 152

    /// The used bytes of both pages.
    let raw: (first: [UInt8], second: [UInt8])
    let pageSize: UInt64
    let newest: Meta
    let older: Meta

    /// Reads the pages of a data file.
    init(_ file: FileDescriptor) throws(EngineError) {
        let (_, size) = try file.identity()
        let first = try file.read(Self.usedBytes, at: 0)
        if first.count < Self.usedBytes { throw .truncated(expected: 8192, actual: size) }
        guard first.u32(16) == 0xBEEF_C0DE, first.u32(20) == 1 else { throw .notADatabase }
        pageSize = UInt64(first.u32(40))
        guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else {
            throw .damagedMeta(reason: "page size")
        }
        let second = try file.read(Self.usedBytes, at: pageSize)
        if second.count < Self.usedBytes { throw .truncated(expected: 2 * pageSize, actual: size) }
        raw = (first, second)
        let metas = (Meta(first), Meta(second))
        (newest, older) = metas.0.commit < metas.1.commit ? (metas.1, metas.0) : (metas.0, metas.1)
    }

    /// Returns what a read view of a commit reads; nil where a later commit has replaced it, or was doing so.
    ///
    /// The commit after the next one is written over it, and a read may return a part of either: therefore the page is
    /// read again. A writer that stops between two of its bytes for as long as both reads take would not be noticed.
    func meta(of commit: UInt64, _ file: FileDescriptor) throws(EngineError) -> Meta? {
        let again = try MetaPages(file)
        let (page, next) = commit % 2 == 0 ? (raw.first, again.raw.first) : (raw.second, again.raw.second)
        let meta = Meta(page)
        return page == next && meta.commit == commit ? meta : nil
    }

    /// Throws unless both pages are sound, agree with each other and fit the file.
    ///
    /// - Parameter isThorough: whether to read the free list and the list of tables as well, which needs a file that no
    ///   process writes to.
    func validate(_ file: FileDescriptor, isThorough: Bool) throws(EngineError) {
        try validateHeader(raw.first, number: 0)
        try validateHeader(raw.second, number: 1)
        let ids = (raw.first.u64(144), raw.second.u64(144))
        // Commits alternate between the pages, so their numbers are consecutive; an even one is in page 0.
        let areConsecutive = ids.0 < ids.1 ? ids.1 - ids.0 == 1 : ids.0 - ids.1 <= 1
        guard areConsecutive, ids.0 % 2 == 0, ids.1 % 2 == 1 || ids.1 == 0 else {
            throw .damagedMeta(reason: "commit numbers")
        }
        guard newest.lastPage >= older.lastPage else { throw .damagedMeta(reason: "last page") }
        let (_, size) = try file.identity()
        let (end, isTooLarge) = newest.lastPage.addingReportingOverflow(1)
        let (needed, overflow) = end.multipliedReportingOverflow(by: pageSize)
        if isTooLarge || overflow || needed > UInt64(Int64.max) { throw .damagedMeta(reason: "last page") }
        if size < needed {
            // LMDB counts pages that a transaction allocated and freed without writing them. Therefore the last pages
            // may be missing from a sound file, when they are free.
            let areFree = try? PageCensus(newest, pageSize: pageSize, fileSize: size).validate(file)
            if areFree != true { throw .truncated(expected: needed, actual: size) }
        }
        for tree in [newest.freeTree, newest.mainTree] { try validateRoot(tree, file) }
        // The older page may contradict itself: when LMDB fails to write a meta page, it restores the old number and
        // last page and leaves the new trees.
        if isThorough { _ = try PageCensus(newest, pageSize: pageSize, fileSize: size).validate(file) }
    }

    /// Whether a page differs from its copy in the commit number only. No commit produces that, because every commit
    /// moves the root of the list of tables as well.
    func differOnlyInCommit(from copies: (first: ArraySlice<UInt8>, second: ArraySlice<UInt8>)) -> Bool {
        [(raw.first, Array(copies.first)), (raw.second, Array(copies.second))].contains { page, copy in
            page != copy && page[..<144] == copy[..<144]
        }
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

    /// Checks the root of a tree of the newest page.
    private func validateRoot(_ tree: TreeDescription, _ file: FileDescriptor) throws(EngineError) {
        if tree.root == TreeDescription.none {
            guard tree.depth == 0, tree.entries == 0 else { throw .damagedMeta(reason: "empty tree") }
            return
        }
        guard tree.root >= 2, tree.root <= newest.lastPage, tree.depth >= 1, tree.depth <= 32 else {
            throw .damagedMeta(reason: "root page")
        }
        let page = try file.read(TreePage.headerSize, at: tree.root * pageSize)
        guard page.count == TreePage.headerSize, page.u64(0) == tree.root else {
            throw .damagedMeta(reason: "root page")
        }
        guard page.u16(10) & 0x03 == (tree.depth == 1 ? 0x02 : 0x01) else {
            throw .damagedMeta(reason: "root page kind")
        }
        if tree.depth == 1 {
            // Two bytes of slot per entry are between the header and `lower`.
            let count = (UInt64(page.u16(12)) &- 16) / 2
            guard count == tree.entries, tree.branchPages == 0, tree.leafPages == 1 else {
                throw .damagedMeta(reason: "entry count")
            }
        }
    }
}

/// The part of one meta page that changes with every commit.
struct Meta {
    let commit: UInt64
    let lastPage: UInt64
    let freeTree: TreeDescription
    let mainTree: TreeDescription

    init(_ bytes: [UInt8]) {
        freeTree = TreeDescription(bytes, at: 40)
        mainTree = TreeDescription(bytes, at: 88)
        lastPage = bytes.u64(136)
        commit = bytes.u64(144)
    }
}

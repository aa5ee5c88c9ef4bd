/// A B-tree of LMDB 0.9, read from the file with every page checked, and without liblmdb.
struct PageTree {
    /// The root of the tree and its stated size: an `MDB_db`.
    let description: TreeDescription
    let pageSize: UInt64
    /// The first page number that does not exist.
    let pageEnd: UInt64

    /// Calls `body` for each leaf's page and node, in order.
    ///
    /// - Throws: ``EngineError/damagedPage(number:reason:)`` for an invalid page; what `body` throws.
    func forEach(
        in file: FileDescriptor, _ body: (TreePage, _ node: Int) throws(EngineError) -> Void
    ) throws(EngineError) {
        guard description.root != TreeDescription.none else { return }
        var visits: UInt64 = 0
        try visit(description.root, level: description.depth, file, &visits, body)
    }

    private func visit(
        _ number: UInt64, level: UInt16, _ file: FileDescriptor, _ visits: inout UInt64,
        _ body: (TreePage, Int) throws(EngineError) -> Void
    ) throws(EngineError) {
        visits += 1
        guard visits <= pageEnd else { throw .damagedPage(number: number, reason: "it is used twice") }
        let page = try page(number, level: level, file)
        for node in page.nodes {
            if page.isLeaf {
                try body(page, node)
            } else {
                try visit(page.child(node), level: level - 1, file, &visits, body)
            }
        }
    }

    /// Returns the leaf and node with `key`, or nil; for a tree whose keys are compared byte by byte.
    ///
    /// - Throws: as ``forEach(in:_:)``.
    func find(_ key: [UInt8], in file: FileDescriptor) throws(EngineError) -> (page: TreePage, node: Int)? {
        guard description.root != TreeDescription.none else { return nil }
        var (number, level) = (description.root, description.depth)
        while true {
            let page = try page(number, level: level, file)
            if page.isLeaf {
                return page.nodes.first { page.bytes[page.key($0)].elementsEqual(key) }.map { (page, $0) }
            }
            // The first key of a branch page represents everything before the second.
            let next = page.nodes.dropFirst().firstIndex { key.lexicographicallyPrecedes(page.bytes[page.key($0)]) }
            (number, level) = (page.child(page.nodes[(next ?? page.nodes.count) - 1]), level - 1)
        }
    }

    private func page(_ number: UInt64, level: UInt16, _ file: FileDescriptor) throws(EngineError) -> TreePage {
        guard level >= 1 else { throw .damagedPage(number: number, reason: "its tree has another depth") }
        return try TreePage(number, isLeaf: level == 1, pageSize: pageSize, end: pageEnd, file)
    }
}

/// LMDB's description of one tree: `MDB_db`.
struct TreeDescription {
    static let size = 48
    /// The root of an empty tree. LMDB: `P_INVALID`.
    static let none = UInt64.max

    let flags: UInt16
    let depth: UInt16
    let branchPages: UInt64
    let leafPages: UInt64
    let overflowPages: UInt64
    let entries: UInt64
    let root: UInt64

    /// Reads the 48 bytes at `offset`, which are in bounds.
    init(_ bytes: [UInt8], at offset: Int = 0) {
        flags = bytes.u16(offset + 4)
        depth = bytes.u16(offset + 6)
        branchPages = bytes.u64(offset + 8)
        leafPages = bytes.u64(offset + 16)
        overflowPages = bytes.u64(offset + 24)
        entries = bytes.u64(offset + 32)
        root = bytes.u64(offset + 40)
    }

    /// The number of pages of any kind, or nil when it overflows.
    var pages: UInt64? {
        let (some, first) = branchPages.addingReportingOverflow(leafPages)
        let (all, second) = some.addingReportingOverflow(overflowPages)
        return first || second ? nil : all
    }
}

extension [UInt8] {
    /// Returns the little-endian number at a byte offset, which the caller knows to be in bounds.
    func u16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }
    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }
}

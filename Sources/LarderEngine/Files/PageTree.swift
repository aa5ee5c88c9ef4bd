/// A B-tree of LMDB 0.9, read from the file with every offset checked, and without liblmdb.
///
/// Offsets are those of `MDB_page` and `MDB_node`.
struct PageTree {
    /// The root of the tree and its stated size: an `MDB_db`.
    let description: TreeDescription
    let pageSize: UInt64
    /// The first page number that does not exist.
    let pageEnd: UInt64

    static let headerSize = 16
    private static let nodeHeaderSize = 8

    /// One entry of a page.
    struct Node {
        let key: ArraySlice<UInt8>
        let flags: UInt16
        /// The size of the value, in bytes.
        let valueSize: UInt64
        /// The bytes in the leaf for the value: the value itself, or the number of the page where it begins.
        let stored: ArraySlice<UInt8>
        /// The page below, for an entry of a branch page, which has a key and nothing else.
        let child: UInt64

        /// Whether the value is in pages of its own. LMDB: `F_BIGDATA`.
        var isLarge: Bool { flags & 0x01 != 0 }
        /// Whether the value describes a tree. LMDB: `F_SUBDATA`.
        var isTree: Bool { flags & 0x02 != 0 }
    }

    /// Calls `body` for each entry in order.
    ///
    /// - Throws: ``EngineError/damagedMeta(reason:)`` for an invalid page; what `body` throws.
    func forEach(in file: FileDescriptor, _ body: (Node) throws(EngineError) -> Void) throws(EngineError) {
        guard description.root != TreeDescription.none else { return }
        var visits: UInt64 = 0
        try visit(description.root, level: description.depth, file, &visits, body)
    }

    private func visit(
        _ number: UInt64, level: UInt16, _ file: FileDescriptor, _ visits: inout UInt64,
        _ body: (Node) throws(EngineError) -> Void
    ) throws(EngineError) {
        visits += 1
        guard visits <= pageEnd else { throw .damagedMeta(reason: "tree page") }
        let page = try page(number, level: level, file)
        for slot in stride(from: Self.headerSize, to: Int(page.u16(12)) - 1, by: 2) {
            let node = try node(of: page, at: Int(page.u16(slot)), isLeaf: level == 1)
            if level == 1 {
                try body(node)
            } else {
                try visit(node.child, level: level - 1, file, &visits, body)
            }
        }
    }

    /// Returns the entry with `key`, or nil; for a tree whose keys are compared byte by byte.
    ///
    /// - Throws: as ``forEach(in:_:)``.
    func find(_ key: [UInt8], in file: FileDescriptor) throws(EngineError) -> Node? {
        guard description.root != TreeDescription.none else { return nil }
        var (number, level) = (description.root, description.depth)
        while true {
            let page = try page(number, level: level, file)
            var child: UInt64?
            for slot in stride(from: Self.headerSize, to: Int(page.u16(12)) - 1, by: 2) {
                let node = try node(of: page, at: Int(page.u16(slot)), isLeaf: level == 1)
                if level == 1 {
                    if node.key.elementsEqual(key) { return node }
                } else {
                    // The first key of a branch page represents everything before the second.
                    if child != nil, key.lexicographicallyPrecedes(node.key) { break }
                    child = node.child
                }
            }
            if level == 1 { return nil }
            guard let child else { throw .damagedMeta(reason: "tree page") }
            (number, level) = (child, level - 1)
        }
    }

    private func page(_ number: UInt64, level: UInt16, _ file: FileDescriptor) throws(EngineError) -> [UInt8] {
        guard level >= 1, number >= 2, number < pageEnd else { throw .damagedMeta(reason: "tree page") }
        let page = try file.read(Int(pageSize), at: number * pageSize)
        guard page.count == Int(pageSize), page.u64(0) == number, page.u16(10) & 0x07 == (level == 1 ? 0x02 : 0x01),
            Int(page.u16(12)) >= Self.headerSize, page.u16(12) <= page.u16(14), Int(page.u16(14)) <= page.count
        else { throw .damagedMeta(reason: "tree page") }
        return page
    }

    private func node(of page: [UInt8], at start: Int, isLeaf: Bool) throws(EngineError) -> Node {
        guard start + Self.nodeHeaderSize <= page.count else { throw .damagedMeta(reason: "tree node") }
        let flags = page.u16(start + 4)
        let key = start + Self.nodeHeaderSize
        let value = key + Int(page.u16(start + 6))
        if !isLeaf {
            guard value <= page.count else { throw .damagedMeta(reason: "tree node") }
            let child = UInt64(page.u32(start)) | UInt64(flags) << 32
            return Node(key: page[key..<value], flags: 0, valueSize: 0, stored: [], child: child)
        }
        let size = Int(page.u32(start))
        let end = value + (flags & 0x01 != 0 ? 8 : size)
        guard end <= page.count else { throw .damagedMeta(reason: "tree node") }
        return Node(key: page[key..<value], flags: flags, valueSize: UInt64(size), stored: page[value..<end], child: 0)
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

/// A census of the pages of one commit: free pages, pages of trees, and pages that the file does not have.
///
/// The content of a meta page is checked against the free list and the list of tables that it refers to. That detects a
/// changed meta page even when no copy of it was kept.
struct PageCensus {
    private let meta: Meta
    private let pageSize: UInt64
    private let fileSize: UInt64

    /// Creates a census from a meta page whose last page ends below 2^63 bytes; the sizes of a page and of the file are
    /// in bytes.
    init(_ meta: Meta, pageSize: UInt64, fileSize: UInt64) {
        self.meta = meta
        self.pageSize = pageSize
        self.fileSize = fileSize
    }

    /// The first page that the file does not have in full.
    private var presentEnd: UInt64 { fileSize / pageSize }

    /// Throws where the commit contradicts itself; reads the whole free list and list of tables.
    ///
    /// - Returns: whether all pages that the file does not have are free.
    func validate(_ file: FileDescriptor) throws(EngineError) -> Bool {
        let trees = [meta.freeTree, meta.mainTree] + (try tables(file).map(\.tree))
        var used: UInt64 = 2
        for tree in trees {
            guard let pages = tree.pages else { throw .damagedMeta(reason: "page count") }
            let (sum, overflow) = used.addingReportingOverflow(pages)
            if overflow { throw .damagedMeta(reason: "page count") }
            used = sum
        }
        let roots = Set(trees.map(\.root))
        var (free, missing) = (UInt64(0), Set<UInt64>())
        try forEachFreePage(file) { page throws(EngineError) in
            if roots.contains(page) { throw .damagedMeta(reason: "free list") }
            free += 1
            if page >= presentEnd { missing.insert(page) }
        }
        let (all, overflow) = used.addingReportingOverflow(free)
        // A page is used or free and never both. One that is neither is lost, which does no harm.
        guard !overflow, all - 1 <= meta.lastPage else { throw .damagedMeta(reason: "page count") }
        return presentEnd > meta.lastPage || UInt64(missing.count) == meta.lastPage - presentEnd + 1
    }

    /// Returns the named tables of the commit.
    func tables(_ file: FileDescriptor) throws(EngineError) -> [(name: String, tree: TreeDescription)] {
        var tables: [(name: String, tree: TreeDescription)] = []
        var plainEntries = 0
        try tree(meta.mainTree).forEach(in: file) { page, node throws(EngineError) in
            let isTree = page.isTree(node)
            // Damage of one bit does not change the size of a value that is one of our tables.
            if !isTree, page.valueSize(node) != TreeDescription.size { throw .foreignDatabase }
            if !isTree, tables.isEmpty {
                plainEntries += 1
                return
            }
            guard isTree, plainEntries == 0, !page.isLarge(node), page.valueSize(node) == TreeDescription.size else {
                throw .damagedMeta(reason: "list of tables")
            }
            let table = TreeDescription(Array(page.stored(node)))
            let isEmpty = table.root == TreeDescription.none
            guard isEmpty || (table.root >= 2 && table.root <= meta.lastPage) else {
                throw .damagedMeta(reason: "list of tables")
            }
            tables.append((String(decoding: page.bytes[page.key(node)], as: UTF8.self), table))
        }
        // A store of ours has many tables, and damage of a few bytes does not change all of them into plain values.
        if tables.isEmpty, plainEntries > 0 { throw .foreignDatabase }
        guard UInt64(tables.count) == meta.mainTree.entries else { throw .damagedMeta(reason: "entry count") }
        return tables
    }

    /// Calls `body` for each leaf page of the free list, and for its root.
    func forEachPageOfFreeList(
        _ file: FileDescriptor, _ body: (UInt64) throws(EngineError) -> Void
    ) throws(EngineError) {
        if meta.freeTree.root != TreeDescription.none { try body(meta.freeTree.root) }
        try tree(meta.freeTree).forEach(in: file) { page, _ throws(EngineError) in try body(page.number) }
    }

    /// Calls `body` for each free page. The numbers of one entry descend: liblmdb merges the entries by their order. Its
    /// key is a commit above 0, the number by which liblmdb notes that it has read no entry: one under 0 would stay in the
    /// list after its pages are used.
    func forEachFreePage(
        _ file: FileDescriptor, _ body: (UInt64) throws(EngineError) -> Void
    ) throws(EngineError) {
        var (entries, lastCommit) = (UInt64(0), UInt64(0))
        try tree(meta.freeTree).forEach(in: file) { leaf, node throws(EngineError) in
            let key = leaf.key(node)
            guard key.count == 8, leaf.bytes.u64(key.lowerBound) > 0 else { throw .damagedMeta(reason: "free list") }
            entries += 1
            lastCommit = max(lastCommit, leaf.bytes.u64(key.lowerBound))
            var last = UInt64.max
            for page in try pages(of: leaf, node, file) {
                guard page >= 2, page <= meta.lastPage, page < last else { throw .damagedMeta(reason: "free list") }
                last = page
                try body(page)
            }
        }
        guard entries == meta.freeTree.entries else { throw .damagedMeta(reason: "entry count") }
        // Every commit after the first frees at least the old list of tables, and lists it under its own number.
        guard meta.commit < 2 ? lastCommit <= meta.commit : lastCommit == meta.commit else {
            throw .damagedMeta(reason: "commit numbers")
        }
    }

    /// Returns the page numbers in one entry of the free list, which has their count, then each.
    private func pages(of leaf: TreePage, _ node: Int, _ file: FileDescriptor) throws(EngineError) -> [UInt64] {
        var bytes = Array(leaf.stored(node))
        let size = leaf.valueSize(node)
        if leaf.isLarge(node) {
            let first = bytes.u64(0)
            // The entry is a count and at most every page once: a damaged size must not cause a read of the whole file.
            guard first >= 2, first < presentEnd, size <= 8 * (meta.lastPage + 1) else {
                throw .damagedMeta(reason: "free list")
            }
            bytes = try file.read(Int(size), ofPage: first, from: UInt64(TreePage.headerSize), pageSize)
        }
        guard bytes.count >= 8, UInt64(bytes.count) == size, bytes.u64(0) <= UInt64(bytes.count / 8 - 1) else {
            throw .damagedMeta(reason: "free list")
        }
        return (0..<Int(bytes.u64(0))).map { bytes.u64(8 * ($0 + 1)) }
    }

    private func tree(_ description: TreeDescription) -> PageTree {
        PageTree(description: description, pageSize: pageSize, pageEnd: min(meta.lastPage + 1, presentEnd))
    }
}

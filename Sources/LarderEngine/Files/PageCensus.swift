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
        let tables = try tables(file)
        let trees = [meta.freeTree, meta.mainTree] + tables
        var used: UInt64 = 2
        for tree in trees {
            guard let pages = tree.pages else { throw .damagedMeta(reason: "page count") }
            let (sum, overflow) = used.addingReportingOverflow(pages)
            if overflow { throw .damagedMeta(reason: "page count") }
            used = sum
        }
        let free = try freePages(file, roots: Set(trees.map(\.root)))
        let (all, overflow) = used.addingReportingOverflow(free.count)
        // A page is used or free and never both. One that is neither is lost, which does no harm.
        guard !overflow, all - 1 <= meta.lastPage else { throw .damagedMeta(reason: "page count") }
        return presentEnd > meta.lastPage || UInt64(free.missing.count) == meta.lastPage - presentEnd + 1
    }

    /// Returns the named tables of the commit.
    private func tables(_ file: FileDescriptor) throws(EngineError) -> [TreeDescription] {
        var tables: [TreeDescription] = []
        var plainEntries = 0
        try tree(meta.mainTree).forEach(in: file) { node throws(EngineError) in
            // Damage of one bit does not change the size of a value that is one of our tables.
            if !node.isTree, node.valueSize != TreeDescription.size { throw .foreignDatabase }
            if !node.isTree, tables.isEmpty {
                plainEntries += 1
                return
            }
            guard node.isTree, plainEntries == 0, !node.isLarge, node.stored.count == TreeDescription.size else {
                throw .damagedMeta(reason: "list of tables")
            }
            let table = TreeDescription(Array(node.stored))
            let isEmpty = table.root == TreeDescription.none
            guard isEmpty || (table.root >= 2 && table.root <= meta.lastPage) else {
                throw .damagedMeta(reason: "list of tables")
            }
            tables.append(table)
        }
        // A store of ours has many tables, and damage of a few bytes does not change all of them into plain values.
        if tables.isEmpty, plainEntries > 0 { throw .foreignDatabase }
        guard UInt64(tables.count) == meta.mainTree.entries else { throw .damagedMeta(reason: "entry count") }
        return tables
    }

    /// Counts the free pages, and collects those that the file does not have.
    private func freePages(
        _ file: FileDescriptor, roots: Set<UInt64>
    ) throws(EngineError) -> (count: UInt64, missing: Set<UInt64>) {
        var (count, entries, lastCommit) = (UInt64(0), UInt64(0), UInt64(0))
        var missing: Set<UInt64> = []
        try tree(meta.freeTree).forEach(in: file) { node throws(EngineError) in
            guard node.key.count == 8 else { throw .damagedMeta(reason: "free list") }
            entries += 1
            lastCommit = max(lastCommit, Array(node.key).u64(0))
            for page in try pages(of: node, file) {
                guard page >= 2, page <= meta.lastPage, !roots.contains(page) else {
                    throw .damagedMeta(reason: "free list")
                }
                count += 1
                if page >= presentEnd { missing.insert(page) }
            }
        }
        guard entries == meta.freeTree.entries else { throw .damagedMeta(reason: "entry count") }
        // Every commit after the first frees at least the old list of tables, and lists it under its own number.
        guard meta.commit < 2 ? lastCommit <= meta.commit : lastCommit == meta.commit else {
            throw .damagedMeta(reason: "commit numbers")
        }
        return (count, missing)
    }

    /// Returns the page numbers in one entry of the free list, which has their count, then each.
    private func pages(of node: PageTree.Node, _ file: FileDescriptor) throws(EngineError) -> [UInt64] {
        var bytes = Array(node.stored)
        if node.isLarge {
            let first = bytes.u64(0)
            // The entry is a count and at most every page once: a damaged size must not cause a read of the whole file.
            guard first >= 2, first < presentEnd, node.valueSize <= 8 * (meta.lastPage + 1) else {
                throw .damagedMeta(reason: "free list")
            }
            bytes = try file.read(Int(node.valueSize), at: first * pageSize + UInt64(PageTree.headerSize))
        }
        guard bytes.count >= 8, UInt64(bytes.count) == node.valueSize, bytes.u64(0) <= UInt64(bytes.count / 8 - 1)
        else {
            throw .damagedMeta(reason: "free list")
        }
        var pages: [UInt64] = []
        for index in 0..<Int(bytes.u64(0)) { pages.append(bytes.u64(8 * (index + 1))) }
        return pages
    }

    private func tree(_ description: TreeDescription) -> PageTree {
        PageTree(description: description, pageSize: pageSize, pageEnd: min(meta.lastPage + 1, presentEnd))
    }
}

internal import CLMDB

/// A named database of an environment, opened once and valid until the environment closes.
///
/// Handles are never closed or dropped one by one: LMDB reuses their numbers, and a stale one reads another table.
public struct Table: Hashable, Sendable {
    /// The name under which the main database lists the table.
    public let name: String

    let identifier: MDB_dbi
}

/// Sizes of one table, in pages and entries. LMDB: `mdb_stat`.
public struct TableStatistics: Hashable, Sendable {
    /// The number of keys in the table.
    public let entries: Int
    /// The height of the tree.
    public let depth: Int
    /// The number of branch pages.
    public let branchPages: Int
    /// The number of leaf pages.
    public let leafPages: Int
    /// The number of pages of values too large for a leaf.
    public let overflowPages: Int
    /// The size of a page, in bytes.
    public let pageSize: Int

    /// Reads the sizes of a table in a transaction of either kind.
    init(of table: Table, in transaction: OpaquePointer) throws(EngineError) {
        var stat = MDB_stat()
        try check(unsafe mdb_stat(transaction, table.identifier, &stat), "mdb_stat")
        entries = stat.ms_entries
        depth = Int(stat.ms_depth)
        branchPages = stat.ms_branch_pages
        leafPages = stat.ms_leaf_pages
        overflowPages = stat.ms_overflow_pages
        pageSize = Int(stat.ms_psize)
    }

    /// Sizes that were stored, in which all pages count as leaves.
    package init(entries: Int, pages: Int, pageSize: Int) {
        self.entries = entries
        depth = 0
        (branchPages, leafPages, overflowPages) = (0, pages, 0)
        self.pageSize = pageSize
    }

    /// The number of pages of any kind.
    public var pages: Int { branchPages + leafPages + overflowPages }
}

internal import CLMDB
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A check of each page before liblmdb reads it for the first time, for a file whose pages no walk has checked.
///
/// liblmdb trusts all that pages say: a wrong separator hides rows, a wrong size is read beyond the file. An open after
/// a clean close reads no pages, so that it is fast whatever the size of the file; therefore each page is checked when
/// a read first meets it (``GuardedCommit``). What was checked is noted in one byte per page and not checked again. A
/// walk over all pages that finds nothing (``PageWalk``) makes the guard unnecessary.
///
/// A page that a process writes while the file is open is made of pages that it has checked before. So a page needs no
/// check when it gets other content.
@safe
final class PageGuard: @unchecked Sendable {
    // Sendable: everything is immutable or atomic, or used under the mutex; the memory of the notes has no other owner.

    /// The number of this guard among those of the process: a file that is opened again has another.
    let number = PageGuard.made.add(1, ordering: .relaxed).newValue
    private static let made = Atomic<UInt64>(0)

    /// The data file, for reads beside the map.
    let data: FileDescriptor
    let pageSize: Int
    /// The commit that was the last one at the open, and its tables by name; nil where a later commit preceded the
    /// first read. The process that made a later one has checked all branch pages and the free list before.
    let first: (meta: Meta, tables: [(name: String, tree: TreeDescription)])?
    /// The number of that commit, and the first page that it cannot have. Each read compares it: `first` has references,
    /// which a copy would count.
    let firstCommit: (number: UInt64, end: UInt64)?
    /// Whether the check before the first write has found all branch pages and the free list sound, and no page with
    /// two users: what a check in steps cannot compare.
    let hasSoundBranches = Atomic<Bool>(false)
    /// Whether a page was damaged.
    let hasFoundDamage = Atomic<Bool>(false)

    let notes: PageNotes
    private let isFreeListRead = Mutex(false)

    /// Creates the guard of a file, and checks its list of tables, which liblmdb reads next.
    ///
    /// - Parameters:
    ///   - transaction: a read view, whose pages no process reuses meanwhile.
    ///   - largestFile: the size, in bytes, beyond which the file does not grow.
    /// - Throws: ``EngineError/damagedPage(number:reason:)``, ``EngineError/damagedMeta(reason:)``; the errors of a
    ///   read.
    init(_ data: FileDescriptor, in transaction: OpaquePointer, largestFile: Int) throws {
        let pages = try MetaPages(data)
        self.data = data
        pageSize = Int(pages.pageSize)
        let commit = UInt64(unsafe mdb_txn_id(transaction))
        if let meta = try pages.meta(of: commit, data) {
            first = (meta, try Self.checkedTables(of: meta, pages.pageSize, data))
            firstCommit = (commit, meta.lastPage + 1)
        } else {
            (first, firstCommit) = (nil, nil)
        }
        notes = try PageNotes(count: largestFile / pageSize + 1)
    }

    deinit {
        notes.free()
    }

    /// Returns the tables of a commit, whose list of tables is checked.
    private static func checkedTables(
        of meta: Meta, _ pageSize: UInt64, _ data: FileDescriptor
    ) throws -> [(name: String, tree: TreeDescription)] {
        let walk = try PageWalk(meta, pageSize: pageSize, data, mostProblems: .max)
        try walk.run(PageProblem.tableList, meta.mainTree)
        if let problem = walk.problems.first { throw problem.error }
        let tables = try PageCensus(meta, pageSize: pageSize, fileSize: data.identity().size).tables(data)
        var roots: Set = [meta.freeTree.root, meta.mainTree.root]
        for (_, tree) in tables {
            let isEmpty = tree.root == TreeDescription.none
            guard tree.flags == 0, isEmpty == (tree.depth == 0), isEmpty || roots.insert(tree.root).inserted else {
                throw EngineError.damagedMeta(reason: "list of tables")
            }
        }
        return tables
    }

    /// Adds to the notes of a page.
    func add(_ note: PageNotes.Note, to page: UInt64) { notes.add(note, to: page) }

    /// Returns the error for a damaged page, and remembers that there was one: the next close is not a clean one.
    func damage(_ page: UInt64, _ reason: String) -> EngineError {
        hasFoundDamage.store(true, ordering: .relaxed)
        return .damagedPage(number: page, reason: reason)
    }

    /// Whether the page is free in the first commit, which the caller reads.
    ///
    /// A damaged number of a page may be that of an earlier version, which looks sound.
    func isFree(_ page: UInt64) throws(EngineError) -> Bool {
        guard let first else { return false }
        try isFreeListRead.withLock { isRead throws(EngineError) in
            if isRead { return }
            isRead = true
            let census = PageCensus(
                first.meta, pageSize: UInt64(pageSize), fileSize: try data.identity().size)
            do throws(EngineError) {
                try census.forEachPageOfFreeList(data) { page throws(EngineError) in self.add(.free, to: page) }
                try census.forEachFreePage(data) { page throws(EngineError) in self.add(.free, to: page) }
            } catch  where error.isOfStoredBytes {
                // No read depends on the list, and the check before the first write reports the damage.
                hasFoundDamage.store(true, ordering: .relaxed)
            }
        }
        return notes.of(page).contains(.free)
    }
}

// MARK: - Roots

extension PageGuard {
    /// Finds the root of `table` in the last commit that `transaction` shows, and notes it; where it is a write
    /// transaction, without its changes.
    func findRoot(
        of table: Table, in commit: UInt64, _ transaction: OpaquePointer
    ) throws(EngineError) -> TableRoot {
        var tree: TreeDescription?
        if let first, first.meta.commit == commit {
            tree = first.tables.first { $0.name == table.name }?.tree
        } else {
            tree = unsafe try described(table, in: transaction)
        }
        guard let tree else { throw damage(first?.meta.mainTree.root ?? 0, "a table is not in the list") }
        let root = TableRoot(page: tree.root, depth: Int(tree.depth))
        notes.store(root, of: table, in: commit)
        return root
    }

    /// Returns what liblmdb's list of tables says of one.
    private func described(
        _ table: Table, in transaction: OpaquePointer
    ) throws(EngineError) -> TreeDescription? {
        var main: MDB_dbi = 0
        try check(unsafe mdb_dbi_open(transaction, nil, 0, &main), "mdb_dbi_open")
        var found = unsafe MDB_val()
        var name = table.name
        let code = name.withUTF8 { bytes in
            // liblmdb reads through it and never writes.
            var key = unsafe MDB_val(
                mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return unsafe mdb_get(transaction, main, &key, &found)
        }
        if code == MDB_NOTFOUND { return nil }
        try check(code, "mdb_get")
        guard unsafe found.mv_size == TreeDescription.size else { return nil }
        return TreeDescription(
            unsafe [UInt8](UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)))
    }
}

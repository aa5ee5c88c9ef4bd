#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// An entry on a leaf page of a damaged file.
package struct SalvagedEntry: Sendable {
    /// The origin of an entry, which says how much it is worth. Entries are delivered in the order of the cases.
    package enum Origin: Hashable, Sendable {
        /// A page that the tree of this table leads to.
        case table(String)
        /// A page that no tree leads to, and that is not known to be free: a page of any table, which may be an old one.
        case unreached
        /// A free page, with the content of an earlier commit; those that were freed last come first.
        case free
    }

    /// The origin of the entry.
    package let origin: Origin
    /// The bytes of the key.
    package let key: [UInt8]
    /// The bytes of the value.
    package let value: [UInt8]
}

/// The pages that a ``SalvageReader`` has met.
package struct SalvagedPages: Hashable, Sendable {
    /// The pages of the file.
    package internal(set) var total = 0
    /// The pages that a tree leads to and that are damaged. What is below a branch page is not counted.
    package internal(set) var damaged = 0
    /// Whether the list of tables of the last commit is readable; where it is not, that of the commit before is used.
    package internal(set) var hasLastCommit = false
    /// The number of entries of each table in the last commit, as far as its list of tables is readable.
    package internal(set) var entries: [String: Int] = [:]
}

/// A reader of everything that can still be read of a damaged data file, by plain reads.
///
/// It reads each page of the file. A page whose header is damaged, or whose keys are out of order, is read node by node:
/// the caller checks each entry by its checksum. Nothing is changed.
///
/// ```swift
/// let reader = try SalvageReader(storeAt: path)
/// try reader.forEachEntry { entry in
///     if case .table(let name) = entry.origin { print(name, entry.key) }
/// }
/// ```
package final class SalvageReader {
    let directory: StoreDirectory
    let lock: FileDescriptor
    let guardFile: GuardFile?
    private let file: FileDescriptor
    private let pageSize: UInt64
    /// The number of pages of the file.
    private let count: UInt64
    /// The commits whose meta page is valid, the newest first.
    private let commits: [Meta]
    /// Whether the first of them is the last commit.
    private let isNewestValid: Bool
    /// The pages met so far; complete when ``forEachEntry(progress:_:)`` returns.
    package private(set) var pages = SalvagedPages()
    /// The keys whose pages cannot be read, by table; complete when the first entry of ``SalvagedEntry/Origin/unreached``
    /// is delivered.
    package private(set) var lost = LostKeys()

    /// Opens the data file of a store that no process has open, and keeps others from opening it until this reader is
    /// released. Blocks while another process opens or closes the store.
    ///
    /// - Throws: ``EngineError/heldByOthers`` while a process has the store open; ``EngineError/notFound``,
    ///   ``EngineError/notADatabase`` for a file in which no page can be read; the errors of a read.
    package init(storeAt path: String, lockTimeout: Duration = EnvironmentOptions.defaultLockTimeout)
        throws(EngineError)
    {
        directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        lock = try directory.lock(LockWait(limit: lockTimeout))
        try directory.endKilledReplacement()
        guard let identity = try directory.dataIdentity() else { throw .notFound }
        if Environment.isOpenInThisProcess(identity) { throw .heldByOthers }
        guardFile = try GuardFile.existing(in: directory, isReadOnly: true)
        if let guardFile, try !guardFile.isHeldExclusively(in: directory) { throw .heldByOthers }
        let file = try directory.openFile(named: StoreDirectory.dataName, O_RDONLY)
        self.file = file
        let size = try file.identity().size
        guard let pageSize = try Self.pageSize(file, size) else { throw .notADatabase }
        self.pageSize = pageSize
        count = size / pageSize
        let metas = try [0, 1].map { number throws(EngineError) in try Self.meta(file, number, at: number * pageSize) }
        commits = metas.compactMap(\.self).sorted { $0.commit > $1.commit }
        // Commits alternate between the pages: others than two in a row say that one of the pages is an old one.
        isNewestValid = commits.count == 2 && commits[0].commit - commits[1].commit <= 1
        pages.total = Int(count)
    }

    /// Calls `body` with each entry that can be read, in the order of ``SalvagedEntry/Origin``: first the entries of the
    /// tables, each table's by key, then those of other pages.
    ///
    /// Blocks. May be called again.
    ///
    /// - Parameter progress: called with the pages read so far and those of the file, from time to time.
    /// - Throws: what `body` and `progress` throw; the errors of a read.
    /// - Complexity: reads the file twice at most; memory of a few bits per page.
    package func forEachEntry(
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }, _ body: (SalvagedEntry) throws -> Void
    ) throws {
        (lost, pages.damaged, pages.hasLastCommit) = (LostKeys(), 0, false)
        var done = Set<UInt64>()
        var free: [UInt64] = []
        if let commit = try firstCommit() {
            pages.hasLastCommit = isNewestValid && commit.meta.commit == commits[0].commit
            done = try walk(commit, progress, body)
            if pages.hasLastCommit {
                free = try freePages(of: commit.meta)
                for table in commit.tables { pages.entries[table.name] = Int(clamping: table.tree.entries) }
            }
        }
        if !pages.hasLastCommit { lost.insertAll() }
        let isFree = Set(free)
        // A leaf that is whole has the last content of its page; a damaged one may have nodes of earlier times too.
        for isWhole in [true, false] {
            for number in stride(from: UInt64(2), to: count, by: 1) where !done.contains(number) {
                if number % 1024 == 0 { try progress(Int(number), Int(count)) }
                if !isFree.contains(number), try deliver(number, .unreached, ifWhole: isWhole, body) {
                    done.insert(number)
                }
            }
        }
        for number in free.reversed() where !done.contains(number) {
            _ = try deliver(number, .free, ifWhole: true, body)
        }
    }
}

// MARK: - Pages that a tree leads to

extension SalvageReader {
    private typealias Commit = (meta: Meta, tables: [(name: String, tree: TreeDescription)])

    /// The newest commit whose list of tables can be read.
    private func firstCommit() throws(EngineError) -> Commit? {
        for meta in commits {
            let census = PageCensus(meta, pageSize: pageSize, fileSize: count * pageSize)
            switch Result(catching: { () throws(EngineError) in try census.tables(file) }) {
            case .success(let tables): return (meta, tables)
            // Another page may lie where the list was.
            case .failure(let error) where error.isOfStoredBytes || error == .foreignDatabase: continue
            case .failure(let error): throw error
            }
        }
        return nil
    }

    /// Delivers the leaves of the tables.
    ///
    /// - Returns: the pages that were delivered.
    private func walk(
        _ commit: Commit, _ progress: (_ done: Int, _ total: Int) throws -> Void,
        _ body: (SalvagedEntry) throws -> Void
    ) throws -> Set<UInt64> {
        var done = Set<UInt64>()
        let total = Int(count)
        try withoutActuallyEscaping(body) { body in
            try withoutActuallyEscaping(progress) { progress in
                let walk = try PageWalk(commit.meta, pageSize: pageSize, file, mostProblems: .max) { pages in
                    if pages % 1024 == 0 { try progress(Int(pages), total) }
                }
                walk.onLeaf = { name, page in
                    done.insert(page.number)
                    for node in page.nodes {
                        if let entry = try self.entry(page.bytes, node, .table(name)) {
                            try body(entry)
                        } else {
                            let key = Array(page.bytes[page.key(node)])
                            self.lost.insert(name, from: key, to: key + [0])
                        }
                    }
                }
                walk.onLoss = { name, low, high in self.lost.insert(name, from: low, to: high) }
                for table in commit.tables { try walk.run(table.name, table.tree) }
                pages.damaged = walk.problems.count
            }
        }
        return done
    }

    /// The free pages of a commit, as far as its list of them can be read, those first that were freed first.
    private func freePages(of meta: Meta) throws(EngineError) -> [UInt64] {
        var free: [UInt64] = []
        let census = PageCensus(meta, pageSize: pageSize, fileSize: count * pageSize)
        // Where the list is damaged, pages behind the damage count as unreached.
        _ = try readable { () throws(EngineError) in
            try census.forEachFreePage(file) { page throws(EngineError) in if page < self.count { free.append(page) } }
        }
        return free
    }
}

// MARK: - Other pages

extension SalvageReader {
    /// Delivers the entries of a page that is a whole leaf, or of one that is not, but has the number or the kind of a leaf.
    ///
    /// - Returns: whether it is.
    private func deliver(
        _ number: UInt64, _ origin: SalvagedEntry.Origin, ifWhole isWhole: Bool,
        _ body: (SalvagedEntry) throws -> Void
    ) throws -> Bool {
        guard
            let bytes = try readable({ () throws(EngineError) in
                try file.read(Int(pageSize), ofPage: number, pageSize)
            })
        else { return false }
        guard bytes.count == Int(pageSize), bytes.u64(0) == number || bytes.u16(10) == 0x02 else { return false }
        if isWhole {
            guard
                let nodes = try readable({ () throws(EngineError) in
                    try TreePage(bytes, number: number, isLeaf: true).nodes
                })
            else { return false }
            for node in nodes { if let entry = try entry(bytes, node, origin) { try body(entry) } }
            return true
        }
        for slot in stride(from: TreePage.headerSize, to: bytes.count - 1, by: 2) {
            let node = Int(bytes.u16(slot))
            // The slots end where the nodes begin; a damaged slot is passed over.
            if node < TreePage.headerSize || node > bytes.count - TreePage.nodeHeaderSize {
                if node == 0 { break }
                continue
            }
            if let entry = try entry(bytes, node, origin) { try body(entry) }
        }
        return true
    }

    /// Returns the entry of a node, or nil where the node is out of bounds or its value cannot be read.
    private func entry(
        _ bytes: [UInt8], _ node: Int, _ origin: SalvagedEntry.Origin
    ) throws(EngineError) -> SalvagedEntry? {
        let start = node + TreePage.nodeHeaderSize
        guard start <= bytes.count else { return nil }
        let (size, flags, keySize) = (UInt64(bytes.u32(node)), bytes.u16(node + 4), Int(bytes.u16(node + 6)))
        let value = start + keySize
        guard keySize >= 1, keySize <= TreePage.longestKey, flags & ~0x01 == 0, value <= bytes.count else { return nil }
        let key = Array(bytes[start..<value])
        if flags == 0 {
            guard size <= UInt64(bytes.count - value) else { return nil }
            return SalvagedEntry(origin: origin, key: key, value: Array(bytes[value..<value + Int(size)]))
        }
        guard value + 8 <= bytes.count, let large = try large(size, at: bytes.u64(value)) else { return nil }
        return SalvagedEntry(origin: origin, key: key, value: large)
    }

    /// Returns a large value, or nil where there is none of that size.
    private func large(_ size: UInt64, at first: UInt64) throws(EngineError) -> [UInt8]? {
        guard first >= 2, first < count, size <= (count - first) * pageSize - UInt64(TreePage.headerSize) else {
            return nil
        }
        let header = UInt64(TreePage.headerSize)
        guard
            let bytes = try readable({ () throws(EngineError) in
                try file.read(Int(size + header), ofPage: first, pageSize)
            }), bytes.count == Int(size + header), bytes.u64(0) == first, bytes.u16(10) == 0x04
        else { return nil }
        return Array(bytes[Int(header)...])
    }

    /// Returns what `body` reads, or nil where the stored bytes are damaged.
    private func readable<Result>(_ body: () throws(EngineError) -> Result) throws(EngineError) -> Result? {
        do throws(EngineError) { return try body() } catch  where error.isOfStoredBytes { return nil }
    }
}

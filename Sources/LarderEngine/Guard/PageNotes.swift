internal import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// The notes of a ``PageGuard``, one byte for each page, and the roots of the tables, shared by all threads without a
/// lock.
///
/// It has the addresses alone, so that a read counts no reference. The guard, which frees the memory, outlives it.
@safe
struct PageNotes: @unchecked Sendable {
    // Sendable: the memory is atomic numbers, and the addresses never change.

    /// The notes of one page.
    struct Note: OptionSet {
        let rawValue: UInt8
        /// The page is laid out as liblmdb leaves it, and its keys ascend.
        static let inside = Note(rawValue: 1)
        /// The same is true for the leaves before and after it in the first commit, up to where their paths meet.
        static let edges = Note(rawValue: 2)
        /// One table of the first commit leads to the page, and no other does: that of ``alone(in:)``.
        static let alone = Note(rawValue: 4)
        /// The page is free in the first commit, or a page of the list of free pages.
        static let free = Note(rawValue: 8)
        /// The bits of the table of ``alone``.
        private static let tableBits = Note(rawValue: 0xF0)

        /// The notes of a page to which this table leads, and no other; nil where the table's identifier, beyond the first
        /// sixteen, has no place in them: its pages are compared each time. LMDB: 0 and 1 are its own two trees.
        @inline(__always)
        static func alone(in table: UInt32) -> Note? {
            table >= 2 && table < 18 ? Note(rawValue: alone.rawValue | UInt8(table - 2) << 4) : nil
        }

        /// Whether these notes have all of others, and the same table.
        @inline(__always)
        func matches(_ others: Note) -> Bool { intersection(others.union(Self.tableBits)) == others }
    }

    private static let rootCount = 20

    private let notes: UnsafeMutablePointer<Atomic<UInt8>>
    /// The number of pages that have notes; a page beyond is checked each time.
    private let count: Int
    /// The roots of the tables in one commit, by the tables' identifiers.
    private let roots: UnsafeMutablePointer<CachedRoot>

    /// - Throws: the errors of `mmap`.
    init(count: Int) throws(EngineError) {
        // Zeros are valid notes, and the system has no memory for a page of them before it is used. `calloc` would clear
        // memory that was used before.
        let mapped = unsafe mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory = unsafe mapped, unsafe memory != MAP_FAILED else {
            throw EngineError(code: errno, operation: "mmap")
        }
        unsafe notes = memory.bindMemory(to: Atomic<UInt8>.self, capacity: count)
        self.count = count
        unsafe roots = .allocate(capacity: Self.rootCount)
        for index in 0..<Self.rootCount { unsafe (roots + index).initialize(to: CachedRoot()) }
    }

    /// Frees the memory, after which nothing may use it; called once.
    func free() {
        // Mapped and allocated by init with these sizes.
        unsafe munmap(notes, count)
        unsafe roots.deinitialize(count: Self.rootCount)
        unsafe roots.deallocate()
    }

    /// Returns the notes of a page.
    @inline(__always)
    func of(_ page: UInt64) -> Note {
        guard page < count else { return [] }
        // In bounds by the guard.
        return Note(rawValue: unsafe notes[Int(page)].load(ordering: .relaxed))
    }

    /// Adds to the notes of a page.
    func add(_ note: Note, to page: UInt64) {
        guard page < count else { return }
        // As above.
        _ = unsafe notes[Int(page)].bitwiseOr(note.rawValue, ordering: .relaxed)
    }

    /// Returns the root that a table has in a commit, where it was stored.
    @inline(__always)
    func root(of table: Table, in commit: UInt64) -> TableRoot? {
        guard table.identifier < Self.rootCount else { return nil }
        // As above.
        return unsafe roots[Int(table.identifier)].load(commit)
    }

    /// Stores the root that a table has in a commit.
    func store(_ root: TableRoot, of table: Table, in commit: UInt64) {
        guard table.identifier < Self.rootCount else { return }
        // As above.
        unsafe roots[Int(table.identifier)].store(root, commit)
    }
}

/// The root of a table.
struct TableRoot {
    /// The number of the page, or ``TreeDescription/none``.
    let page: UInt64
    /// The number of levels.
    let depth: Int
}

/// The root of one table in one commit, which threads share without a lock.
private struct CachedRoot: ~Copyable, Sendable {
    /// The commit; 0 for none.
    private let commit = Atomic<UInt64>(0)
    private let page = Atomic<UInt64>(0)
    private let depth = Atomic<Int>(0)
    /// In place of the commit while the others change.
    private static let changing = UInt64.max

    @inline(__always)
    func load(_ wanted: UInt64) -> TableRoot? {
        guard commit.load(ordering: .acquiring) == wanted else { return nil }
        // A thread that changes them has changed the commit before.
        let root = TableRoot(page: page.load(ordering: .acquiring), depth: depth.load(ordering: .acquiring))
        return commit.load(ordering: .relaxed) == wanted ? root : nil
    }

    func store(_ root: TableRoot, _ number: UInt64) {
        let old = commit.load(ordering: .relaxed)
        // Numbers only rise, so that a reader meets none again after others. That of a change is the highest.
        guard number > old,
            commit.compareExchange(expected: old, desired: Self.changing, ordering: .acquiringAndReleasing).exchanged
        else { return }
        page.store(root.page, ordering: .releasing)
        depth.store(root.depth, ordering: .releasing)
        commit.store(number, ordering: .releasing)
    }
}

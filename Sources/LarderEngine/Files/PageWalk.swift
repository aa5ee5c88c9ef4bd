/// A damaged page, or a page that two users share.
public struct PageProblem: Hashable, Sendable {
    /// The tree that the page belongs to: a table by its name, ``freeList`` or ``tableList``.
    public let tree: String
    /// The number of the page.
    public let page: UInt64
    /// The damage, for display. It contains no stored content.
    public let reason: String
    /// The least key that may be on the page or below it; nil: any key of the tree.
    public let firstKey: [UInt8]?
    /// Whether liblmdb reports the damage itself, as ``EngineError/corrupted`` of the one record: a large value on a page
    /// number that no commit has used. Other records can be read and written.
    public let isContained: Bool

    /// The name of LMDB's list of free pages.
    public static let freeList = "free list"
    /// The name of LMDB's list of tables.
    public static let tableList = "table list"
}

extension PageProblem {
    /// The problem as the error of an operation that it prevents.
    var error: EngineError { .damagedPage(number: page, reason: "\(reason), in \(tree)") }
}

/// A check of every page of one commit by plain reads, before or beside liblmdb, which trusts all that pages say.
///
/// A wrong separator hides rows, a wrong size is read beyond the file, and a wrong free list has used pages overwritten.
/// Therefore the walk checks what liblmdb relies on:
///
/// - each page's number, kind, bounds and nodes (``TreePage``);
/// - that the keys of a page ascend, and lie between the separators above it;
/// - the depth, the counts and the flags of each tree, and the pages of large values;
/// - that a page has one user: a tree, a large value or the free list.
///
/// The pages of the commit must not be reused meanwhile: the caller has the file alone, or holds a read view.
final class PageWalk {
    private let census: PageCensus
    private let meta: Meta
    private let pageSize: UInt64
    /// The first page that the file does not have in full.
    private let end: UInt64
    private let file: FileDescriptor
    private let readsLeaves: Bool
    private let mostProblems: Int
    private let onPage: (UInt64) throws -> Void
    /// Called with each valid leaf, and the name of its table.
    var onLeaf: ((String, TreePage) throws -> Void)?
    /// Called with the range of keys that a damaged page hides, and the name of its table.
    var onLoss: ((String, _ low: [UInt8]?, _ high: [UInt8]?) -> Void)?
    /// A bit for each page of the file that has a user.
    private var used: [UInt64]
    /// The free pages that the file does not have.
    private var missing = Set<UInt64>()
    private(set) var problems: [PageProblem] = []
    /// The number of pages that were read.
    private(set) var pagesRead: UInt64 = 0

    /// The place where the next step of a check begins.
    struct Position: Hashable, Sendable {
        let tree: String
        /// The key from which on pages are read; nil: the first.
        let key: [UInt8]?
    }

    private enum End: Error {
        case problems
        case budget(Position)
    }

    /// The first place of a step; nil for a walk over all.
    private var start: Position?
    private var budget = UInt64.max

    /// One tree under way.
    private struct Tree {
        let name: String
        let description: TreeDescription
        let order: KeyOrder
        var branches: UInt64 = 0
        var leaves: UInt64 = 0
        var overflows: UInt64 = 0
        var entries: UInt64 = 0
    }

    /// Creates a walk over a commit whose meta page is valid.
    ///
    /// - Parameters:
    ///   - readsLeaves: whether leaves and large values are read; without them branch pages and the free list are.
    ///   - mostProblems: the number of problems after which the walk ends.
    ///   - onPage: called with the number of pages read so far, after each.
    init(
        _ meta: Meta, pageSize: UInt64, _ file: FileDescriptor, readsLeaves: Bool = true, mostProblems: Int = 1,
        onPage: @escaping (UInt64) throws -> Void = { _ in }
    ) throws(EngineError) {
        let size = try file.identity().size
        self.meta = meta
        self.pageSize = pageSize
        self.file = file
        self.readsLeaves = readsLeaves
        self.mostProblems = mostProblems
        self.onPage = onPage
        census = PageCensus(meta, pageSize: pageSize, fileSize: size)
        end = min(meta.lastPage + 1, size / pageSize)
        used = [UInt64](repeating: 0, count: Int(end / 64 + 1))
    }

    /// Walks over all trees.
    ///
    /// - Throws: the errors of a read; what `onPage` throws. Damage is in ``problems``.
    func run() throws {
        do {
            try walk(Tree(name: PageProblem.freeList, description: meta.freeTree, order: .numbers))
            try walk(Tree(name: PageProblem.tableList, description: meta.mainTree, order: .bytes))
            // Its entries are readable only where its pages are.
            guard problems.isEmpty else { return }
            for table in try listed({ () throws(EngineError) in try census.tables(file) }) ?? [] {
                try walk(Tree(name: table.name, description: table.tree, order: .bytes))
            }
            _ = try listed { () throws(EngineError) in
                try census.forEachFreePage(file) { page throws(EngineError) in
                    if !self.use(page) { throw .damagedPage(number: page, reason: "it is free, and used") }
                }
            }
        } catch End.problems {
            return
        }
    }

    /// Walks over one table, or the list of tables.
    ///
    /// - Throws: as ``run()``.
    func run(_ table: String, _ description: TreeDescription) throws {
        try walk(Tree(name: table, description: description, order: .bytes))
    }

    /// Walks on from a position, over up to `budget` pages; the lists of tables and of free pages are read by the first
    /// step.
    ///
    /// The commit may be another than that of the last step, so counts, and the users of pages that are read in
    /// different steps, are not compared.
    ///
    /// - Returns: the position of the next step; nil behind the last table.
    /// - Throws: as ``run()``.
    func step(from position: Position?, pages budget: UInt64) throws -> Position? {
        (start, self.budget) = (position ?? Position(tree: "", key: nil), budget)
        do {
            if position == nil {
                try walk(Tree(name: PageProblem.freeList, description: meta.freeTree, order: .numbers))
                try walk(Tree(name: PageProblem.tableList, description: meta.mainTree, order: .bytes))
            }
            for table in try listed({ () throws(EngineError) in try census.tables(file) }) ?? []
            where !Array(table.name.utf8).lexicographicallyPrecedes(Array((start?.tree ?? "").utf8)) {
                if table.name != start?.tree { start = Position(tree: table.name, key: nil) }
                try walk(Tree(name: table.name, description: table.tree, order: .bytes))
            }
            return nil
        } catch End.problems {
            return nil
        } catch End.budget(let next) {
            return next
        }
    }

    /// Returns what `body` reads of the two lists; nil, with a problem, where one is damaged.
    private func listed<Result>(_ body: () throws(EngineError) -> Result) throws -> Result? {
        switch Swift.Result(catching: body) {
        case .success(let result): return result
        case .failure(.damagedMeta(let reason)): try add(meta.mainTree.root, PageProblem.tableList, reason, from: nil)
        case .failure(.damagedPage(let number, let reason)): try add(number, PageProblem.freeList, reason, from: nil)
        case .failure(let error): throw error
        }
        return nil
    }

    private func walk(_ start: Tree) throws {
        var tree = start
        let description = tree.description
        guard description.flags == (tree.order == .numbers ? 0x08 : 0) else {
            onLoss?(tree.name, nil, nil)
            return try add(description.root, tree.name, "the flags of the tree are others", from: nil)
        }
        if description.root != TreeDescription.none {
            let before = problems.count
            try visit(description.root, level: description.depth, nil, nil, in: &tree)
            // Counts that miss what a damaged page has would be a second report of it.
            if problems.count > before || !readsLeaves || self.start != nil { return }
        }
        guard description.root != TreeDescription.none || description.depth == 0,
            tree.branches == description.branchPages, tree.leaves == description.leafPages,
            tree.overflows == description.overflowPages, tree.entries == description.entries
        else { return try add(description.root, tree.name, "the counts of the tree are others", from: nil) }
    }

    /// Visits a page and all below it; its keys are at or above `low` and below `high`.
    private func visit(
        _ number: UInt64, level: UInt16, _ low: [UInt8]?, _ high: [UInt8]?, in tree: inout Tree
    ) throws {
        if let key = start?.key, let high, !tree.order.precedes(key, key.indices, high, high.indices) { return }
        func problem(_ reason: String) throws {
            onLoss?(tree.name, low, high)
            try add(number, tree.name, reason, from: low)
        }
        guard number >= 2, number < end else { return try problem("a page is named that the file does not have") }
        guard use(number) else { return try problem("it is used twice") }
        guard level >= 1 else { return try problem("the tree has another depth") }
        if level == 1, !readsLeaves { return }
        let page: TreePage
        switch Result(catching: { () throws(EngineError) in
            try TreePage(number, isLeaf: level == 1, pageSize: pageSize, end: end, file)
        }) {
        case .success(let valid): page = valid
        case .failure(.damagedPage(_, let reason)): return try problem(reason)
        case .failure(let error): throw error
        }
        pagesRead += 1
        try onPage(pagesRead)
        // The first key of a branch page stands for everything below the second.
        let keys = (page.isLeaf ? page.nodes[...] : page.nodes.dropFirst()).map(page.key)
        guard isOrdered(page, keys, low, high, tree.order) else { return try problem("its keys are out of order") }
        if page.isLeaf {
            tree.leaves += 1
            tree.entries += UInt64(page.nodes.count)
            for (node, key) in zip(page.nodes, keys) {
                if let reason = try valueProblem(page, node, key, &tree) { return try problem(reason) }
            }
            try onLeaf?(tree.name, page)
            if pagesRead >= budget, let high { throw End.budget(Position(tree: tree.name, key: high)) }
        } else {
            tree.branches += 1
            let separators = keys.map { Array(page.bytes[$0]) }
            for (index, node) in page.nodes.enumerated() {
                try visit(
                    page.child(node), level: level - 1, index == 0 ? low : separators[index - 1],
                    index == separators.count ? high : separators[index], in: &tree)
            }
        }
    }

    private func isOrdered(
        _ page: TreePage, _ keys: [Range<Int>], _ low: [UInt8]?, _ high: [UInt8]?, _ order: KeyOrder
    ) -> Bool {
        guard let first = keys.first, let last = keys.last else { return true }
        if let low, order.precedes(page.bytes, first, low, low.indices) { return false }
        if let high, !order.precedes(page.bytes, last, high, high.indices) { return false }
        return zip(keys, keys.dropFirst()).allSatisfy { order.precedes(page.bytes, $0, page.bytes, $1) }
    }

    /// Returns what is wrong with a leaf's node; claims the pages of a large value.
    private func valueProblem(
        _ page: TreePage, _ node: Int, _ key: Range<Int>, _ tree: inout Tree
    ) throws -> String? {
        if key.isEmpty || (tree.order == .numbers && key.count != 8) { return "a key has another size" }
        if page.isTree(node) != (tree.name == PageProblem.tableList) { return "a node has unknown flags" }
        guard page.isLarge(node) else { return nil }
        let first = Array(page.stored(node)).u64(0)
        guard first >= 2, first < end else {
            try add(
                page.number, tree.name, "a large value is beyond the file", from: Array(page.bytes[key]),
                isContained: first > meta.lastPage)
            return nil
        }
        let header: [UInt8]
        switch Result(catching: { () throws(EngineError) in
            try file.read(TreePage.headerSize, ofPage: first, pageSize)
        }) {
        case .success(let bytes): header = bytes
        case .failure(.damagedPage(_, let reason)): return reason
        case .failure(let error): throw error
        }
        let needed = (page.valueSize(node) + UInt64(TreePage.headerSize) + pageSize - 1) / pageSize
        guard header.count == TreePage.headerSize, header.u64(0) == first, header.u16(10) == 0x04 else {
            return "the pages of a large value are others"
        }
        // A value that became shorter within one transaction keeps all of its pages.
        let count = UInt64(header.u32(12))
        guard count >= needed, count <= end - first else { return "the pages of a large value are others" }
        tree.overflows += count
        return (first..<first + count).allSatisfy(use) ? nil : "a page of a large value is used twice"
    }

    /// Returns whether a page had no user, and notes one.
    private func use(_ page: UInt64) -> Bool {
        guard page < end else { return missing.insert(page).inserted }
        let (word, bit) = (Int(page / 64), UInt64(1) << (page % 64))
        defer { used[word] |= bit }
        return used[word] & bit == 0
    }

    private func add(
        _ page: UInt64, _ tree: String, _ reason: String, from key: [UInt8]?, isContained: Bool = false
    ) throws {
        problems.append(
            PageProblem(tree: tree, page: page, reason: reason, firstKey: key, isContained: isContained))
        if problems.count >= mostProblems { throw End.problems }
    }
}

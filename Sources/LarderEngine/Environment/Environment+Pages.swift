private import Synchronization

#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// How far a check of the pages in steps is; see ``Environment/checkPages(_:budget:)``.
public struct PageScrub: Hashable, Sendable {
    fileprivate var position: PageWalk.Position?
    /// Whether a step since the first page has found damage.
    fileprivate var hasFoundDamage = false
    /// The number of the guard under which the first page was read.
    fileprivate var guardNumber: UInt64?

    /// A check that begins with the first page.
    public init() {}

    fileprivate init(guardNumber: UInt64?) { self.guardNumber = guardNumber }

    /// Whether the next step begins with the first page.
    public var isAtStart: Bool { position == nil }
}

extension Environment {
    /// Whether the file is at most ``EnvironmentOptions/fullCheckLimit`` long.
    public var isFullyCheckedAtOpen: Bool { get throws(EngineError) { try info().fileSize <= options.fullCheckLimit } }

    /// The state of the check before the first write.
    enum PageCheck {
        case due, sound
        case damaged(EngineError)
    }

    /// Checks every page of the last commit by plain reads, and returns what is wrong: nothing where liblmdb can read
    /// all of it.
    ///
    /// Holds one read view throughout. Blocks.
    ///
    /// - Parameters:
    ///   - readsLeaves: false checks branch pages and the free list only.
    ///   - most: the number of problems after which the check ends.
    ///   - progress: called with the pages read so far, and the number of all pages, from time to time.
    /// - Throws: what `progress` throws; ``EngineError/replaced``, ``EngineError/closed``, the errors of a read.
    /// - Complexity: reads the used pages once; memory of one bit per page.
    public func pageProblems(
        readsLeaves: Bool = true, atMost most: Int = 1000,
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> [PageProblem] {
        try withoutActuallyEscaping(progress) { progress in
            try withWalk(mostProblems: most, readsLeaves: readsLeaves, progress) { walk in
                try walk.run()
                if readsLeaves, walk.problems.isEmpty { hasSoundPages.store(true, ordering: .relaxed) }
                return walk.problems
            }
        }
    }

    /// Checks the next pages, by plain reads, as ``pageProblems(readsLeaves:atMost:progress:)`` checks all of them: a step
    /// of a check that an idle program makes little by little.
    ///
    /// Each step holds a read view of its own. Blocks.
    ///
    /// ```swift
    /// var scrub = PageScrub()
    /// repeat { problems += try environment.checkPages(&scrub, budget: 256) } while !scrub.isAtStart
    /// ```
    ///
    /// - Parameters:
    ///   - scrub: where the check is, which this moves on; it begins again behind the last page.
    ///   - pages: the number of pages after which the step ends.
    /// - Returns: the damaged pages among those of the step.
    /// - Throws: ``EngineError/replaced``, ``EngineError/closed``, the errors of a read.
    public func checkPages(_ scrub: inout PageScrub, budget pages: Int) throws -> [PageProblem] {
        let position = scrub.position
        return try withWalk(mostProblems: 1000) { walk in
            let next = try walk.step(from: position, pages: UInt64(max(1, pages)))
            if position == nil { scrub = PageScrub(guardNumber: pageGuard?.number) }
            scrub.position = next
            scrub.hasFoundDamage = scrub.hasFoundDamage || !walk.problems.isEmpty
            if next == nil, !scrub.hasFoundDamage, let pageGuard, scrub.guardNumber == pageGuard.number,
                pageGuard.hasSoundBranches.load(ordering: .relaxed)
            {
                hasSoundPages.store(true, ordering: .relaxed)
            }
            return walk.problems
        }
    }

    /// Checks the pages of a store that no process has open, as ``pageProblems(readsLeaves:atMost:progress:)``; returns nil
    /// where one has, and where `guard.lock` does not show that the file is a store's.
    ///
    /// - Parameter limit: the size of a file, in bytes, above which only branch pages and the free list are checked.
    /// - Throws: the cases of ``EngineError`` named under opening, such as ``EngineError/damagedMeta(reason:)``; what
    ///   `progress` throws.
    public static func pageProblems(
        ofStoreAt path: String, limit: UInt64 = .max, atMost most: Int = 1000,
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> [PageProblem]? {
        let directory = StoreDirectory(path: try StoreDirectory.absolute(path))
        let lock = try directory.lock()
        defer { withExtendedLifetime(lock) {} }
        guard let guardFile = try GuardFile.existing(in: directory, isReadOnly: true), try guardFile.isMarked(),
            try guardFile.isHeldExclusively(in: directory)
        else { return nil }
        let data = try directory.openFile(named: StoreDirectory.dataName, O_RDONLY)
        let pages = try MetaPages(data)
        try pages.validate(data, isThorough: false)
        return try withoutActuallyEscaping(progress) { progress in
            let walk = try PageWalk(
                pages.newest, pageSize: pages.pageSize, data,
                readsLeaves: (pages.newest.lastPage + 1) * pages.pageSize <= limit, mostProblems: most,
                onPage: reporting(pages, progress))
            try walk.run()
            return walk.problems
        }
    }

    /// Throws for a damaged page, where leaves are read only of a file up to `limit` bytes; the caller has the file alone.
    ///
    /// - Returns: whether leaves were read, and nothing is wrong. A large value on a page that no commit has used prevents
    ///   nothing now, but does where the file has grown over that page.
    static func checkPages(_ meta: Meta, pageSize: UInt64, _ data: FileDescriptor, limit: UInt64) throws -> Bool {
        let readsLeaves = (meta.lastPage + 1) * pageSize <= limit
        let walk = try PageWalk(meta, pageSize: pageSize, data, readsLeaves: readsLeaves, mostProblems: 1000)
        try walk.run()
        if let problem = walk.problems.first(where: { !$0.isContained }) { throw problem.error }
        return readsLeaves && walk.problems.isEmpty
    }

    /// Checks the pages before the first write after an open, because a write spreads damage. Each later write fails as
    /// the first one.
    func checkPagesOnce() throws {
        switch pageCheck {
        case .sound: return
        case .damaged(let error): throw error
        case .due: break
        }
        let problems = try pageProblems(readsLeaves: isFullyCheckedAtOpen)
        if let problem = problems.first(where: { !$0.isContained }) {
            pageCheck = .damaged(problem.error)
            hasMetDamage.store(true, ordering: .relaxed)
            throw problem.error
        }
        pageCheck = .sound
        pageGuard?.hasSoundBranches.store(true, ordering: .relaxed)
    }

    /// Calls `body` with a walk over the commit of a read view.
    private func withWalk<Result>(
        mostProblems: Int, readsLeaves: Bool = true, _ progress: @escaping (Int, Int) throws -> Void = { _, _ in },
        _ body: (PageWalk) throws -> Result
    ) throws -> Result {
        let data = try StoreDirectory(path: path).openFile(named: StoreDirectory.dataName, O_RDONLY)
        if try data.identity().file != identity { throw EngineError.replaced }
        while true {
            let result = try read { view -> Result? in
                let pages = try MetaPages(data)
                guard let meta = try pages.meta(of: view.commit, data) else { return nil }
                return try body(
                    PageWalk(
                        meta, pageSize: pages.pageSize, data, readsLeaves: readsLeaves, mostProblems: mostProblems,
                        onPage: Self.reporting(pages, progress)))
            }
            if let result { return result }
        }
    }

    private static func reporting(
        _ pages: MetaPages, _ progress: @escaping (Int, Int) throws -> Void
    ) -> (UInt64) throws -> Void {
        let total = Int(pages.newest.lastPage) + 1
        return { done in if done % 1024 == 0 { try progress(Int(done), total) } }
    }
}

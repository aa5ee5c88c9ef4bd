internal import LarderFormat

/// Checks that the pages of a run fit together, and lead to an end, before anything of them is applied.
struct PageOrder: Sendable {
    private let run: FilterRun
    private let limits: SyncLimits
    private var bound: Int64?
    private var lastSequence: Int64?
    private var pages = 0
    private var idlePages = 0
    /// The resources that a bootstrap has listed.
    private var listed: Set<ResourceKey> = []

    init(run: FilterRun, limits: SyncLimits) {
        self.run = run
        self.limits = limits
    }

    /// Whether the server that gives the first page counts fewer changes than its feed had come to before the run: it lags
    /// behind another, or was restored from a backup.
    func isBehind(_ page: SyncPage) -> Bool { bound == nil && page.syncUntilSequence < run.applied.sequence }

    /// Throws unless the page has the run's bound, goes on where the last one ended, stays within the filter, and leads
    /// towards the end of the run.
    mutating func check(_ page: SyncPage, _ filter: ResourceFilter) throws(SyncError) {
        if let bound, bound != page.syncUntilSequence {
            throw .inconsistentRun(reason: "the bound of the run moved")
        }
        bound = page.syncUntilSequence
        if run.kind == .incremental {
            do throws(WireError) {
                lastSequence = try page.validateOrder(after: lastSequence)
            } catch {
                throw .wire(error, request: .page)
            }
        }
        for mutation in page.mutations {
            // What a type means that this version does not know, nobody can say, nor whom it concerns.
            if !mutation.type.isKnown { continue }
            guard filter.matches(group: mutation.resource.group, id: mutation.resource.id) else {
                throw .outsideFilter(ResourceKey(mutation.resource.group, mutation.resource.id))
            }
            if run.kind == .bootstrap, mutation.type != .resourceCreate {
                throw .inconsistentRun(reason: "a bootstrap lists resources only")
            }
            // A path that may not be requested spoils the page before any of it is applied.
            if mutation.type.needsFullCopy { _ = try ServerPath.of(mutation.snapshotURL ?? "", .fullCopy) }
        }
        try checkProgress(page)
    }

    /// Throws when the run has had too many pages, or too many in a row that brought nothing.
    private mutating func checkProgress(_ page: SyncPage) throws(SyncError) {
        pages += 1
        idlePages = bringsNews(page) ? 0 : idlePages + 1
        guard listed.count <= limits.resources else {
            throw .inconsistentRun(reason: "there are more than \(limits.resources) resources")
        }
        guard page.hasMore else { return }
        guard idlePages < limits.idlePages else {
            throw .inconsistentRun(reason: "\(idlePages) pages in a row brought nothing new")
        }
        guard pages < limits.pages else { throw .inconsistentRun(reason: "there are more than \(pages) pages") }
    }

    /// Whether a page has what no earlier page of the run had.
    private mutating func bringsNews(_ page: SyncPage) -> Bool {
        // The sequences of an incremental run ascend: no change of it comes twice.
        if run.kind == .incremental { return !page.mutations.isEmpty }
        var isNew = false
        for mutation in page.mutations where mutation.type.isKnown {
            let resource = ResourceKey(mutation.resource.group, mutation.resource.id)
            if listed.insert(resource).inserted { isNew = true }
        }
        return isNew
    }
}

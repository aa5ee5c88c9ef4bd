internal import LarderFormat

/// A check, before a page is applied, that the pages of a run are consistent and lead to an end.
struct PageValidator: Sendable {
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

    /// Whether the first page of the run has a lower bound than the feed had reached before the run. The server then
    /// lags behind another one, or was restored from a backup.
    func isBehind(_ page: SyncPage) -> Bool { bound == nil && page.syncUntilSequence < run.applied.sequence }

    /// Checks that a page has the run's bound, continues after the one before, stays within the filter, and leads
    /// towards the end of the run.
    ///
    /// - Throws: ``SyncError/inconsistentRun(reason:)``, ``SyncError/wire(_:request:)``,
    ///   ``SyncError/outsideFilter(_:)``.
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
            // The meaning of an unknown type is not known, nor which resource it concerns.
            if !mutation.type.isKnown { continue }
            guard filter.matches(group: mutation.resource.group, id: mutation.resource.id) else {
                throw .outsideFilter(ResourceKey(mutation.resource.group, mutation.resource.id))
            }
            if run.kind == .bootstrap, mutation.type != .resourceCreate {
                throw .inconsistentRun(reason: "a bootstrap lists resources only")
            }
            // A path that must not be requested rejects the page before any of it is applied.
            if mutation.type.needsSnapshot { _ = try ServerPath.parse(mutation.snapshotURL ?? "", .snapshot) }
        }
        try checkProgress(page)
    }

    /// Throws when the run lists too many resources, has too many pages, or too many in a row that bring nothing new.
    private mutating func checkProgress(_ page: SyncPage) throws(SyncError) {
        pages += 1
        idlePages = hasNewContent(page) ? 0 : idlePages + 1
        guard listed.count <= limits.resources else {
            throw .inconsistentRun(reason: "there are more than \(limits.resources) resources")
        }
        guard page.hasMore else { return }
        guard idlePages < limits.idlePages else {
            throw .inconsistentRun(reason: "\(idlePages) pages in a row contained nothing new")
        }
        guard pages < limits.pages else { throw .inconsistentRun(reason: "there are more than \(pages) pages") }
    }

    /// Whether a page contains anything that no earlier page of the run contained.
    private mutating func hasNewContent(_ page: SyncPage) -> Bool {
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

internal import LarderFormat

/// Checks that the pages of a run fit together before anything of them is applied.
struct PageOrder: Sendable {
    private let run: FilterRun
    private var bound: Int64?
    private var lastSequence: Int64?

    init(run: FilterRun) {
        self.run = run
    }

    /// Whether the server has fewer changes than when this filter was last run: it was restored from a backup, and
    /// what is here may be newer than what it has. Counts as a rejected token.
    func isSetBack(_ page: SyncPage) -> Bool {
        guard bound == nil, !run.isRejected, let last = run.lastUntilSequence else { return false }
        return page.syncUntilSequence < last
    }

    /// Throws unless the page has the run's bound, goes on where the last one ended, and stays within the filter.
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
    }
}

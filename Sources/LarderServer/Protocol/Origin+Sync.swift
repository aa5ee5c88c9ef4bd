import Synchronization

extension Origin {
    /// The number of changes, or of resources in a first sync, that a page examines at most.
    public static let scannedChanges = 20_000

    /// Returns the page that a request names.
    ///
    /// A run's bound is the latest change when its first page is made; the cursor carries it to the other pages, so
    /// later changes belong to the next run. A page has fewer changes than requested, or none, where it would take long
    /// to find more; its cursor continues after the changes that were examined. A first sync lists each resource that
    /// was public at its start and still is, under the number of the change that made it public. This order is
    /// ascending and the same on every page.
    ///
    /// - Throws: ``OriginProblem/unknownResourceGroup``; ``OriginProblem/resyncRequired`` for a token or cursor that is
    ///   no longer valid; ``OriginProblem/tokenFilterMismatch``; ``OriginProblem/cursorFilterMismatch``;
    ///   ``OriginProblem/cursorPageSizeMismatch``; status 400 for a text that is no cursor.
    /// - Complexity: O(*n*) for the *n* changes, or resources in a first sync, examined to fill the page: at most
    ///   ``scannedChanges``, or a 40th of all where that is more.
    public func page(_ query: OriginQuery) throws(OriginProblem) -> OriginPage {
        try state.withLock { (state) throws(OriginProblem) in
            let run = try SyncRun(query, at: state.head, hasGroup: state.hasGroup, signer)
            return state.page(of: run, signer)
        }
    }
}

extension OriginState {
    fileprivate var head: SyncHead { SyncHead(sequence: sequence, removedThrough: removedThrough, epoch: epoch) }

    fileprivate func page(of run: SyncRun, _ signer: TicketSigner) -> OriginPage {
        let scan = Scan(run.isBootstrap ? publications : log, run)
        return run.page(
            scan.found, next: scan.next, signer,
            groupsWithContentID: Set(run.filter.groups.filter { rules(of: $0).carriesContentID }))
    }
}

/// The changes of a run that fit on its next page.
private struct Scan {
    private(set) var found: [Origin.Change] = []
    /// The change after which the run goes on; nil when it ends here.
    private(set) var next: Int64?

    /// - Complexity: O(``Origin/scannedChanges``), or O(*n* / 40) for *n* changes where that is more.
    init(_ changes: [Origin.Change], _ run: SyncRun) {
        let first = OriginState.index(after: run.position, in: changes)
        let end = OriginState.index(after: run.bound, in: changes)
        // A client may give up after 100 pages without changes in a row; these are 40 at most.
        let last = min(end, first + max(Origin.scannedChanges, changes.count / 40))
        for change in changes[first..<max(first, last)] where run.filter.matches(change.resource) {
            if found.count == run.pageSize {
                next = found.last?.sequence
                return
            }
            found.append(change)
        }
        if last < end { next = changes[last - 1].sequence }
    }
}

internal import LarderFormat
internal import LarderStore

/// The state of a run: its pages, the resources that it goes on without, and its results.
struct RunState: Sendable {
    /// The number of failures in a row at which the server counts as failing rather than the snapshots. Only the first
    /// failure of a snapshot counts, and only if it is not final.
    private static let mostFailuresInRow = 5

    private(set) var filterRun: FilterRun
    /// The check of the pages.
    private(set) var validator: PageValidator
    private var cycleDetector = PageCycleDetector()
    /// The page to request next; nil after the last one.
    private(set) var next: ServerPath?
    /// The sequence up to which the run goes.
    private(set) var bound: Int64 = 0
    /// The token on the last page.
    private(set) var token: String?
    /// The snapshots that are fetched after the last page.
    var deferred = DeferredSnapshots()
    /// The resources that the run goes on without.
    var missing: [ResourceKey: ResourceFailure] = [:]
    /// The number of failures counted since a snapshot was last swapped in.
    private var failuresInRow = 0
    /// The resources that changes of this run have proven public although they are not stored.
    private(set) var unstored = UnstoredResources()
    var result: SyncReport
    /// The rows of resources that the run has hidden, and those that it wrote before its token was rejected.
    private var otherRows: Int64 = 0

    /// The rows that the run has written or deleted.
    var rowsWritten: Int64 { otherRows.clampedSum(Int64(result.rowsWritten)) }

    /// The state of a run before its first page.
    init(_ run: FilterRun, _ filter: ResourceFilter, _ configuration: SyncConfiguration) {
        filterRun = run
        validator = PageValidator(run: run, limits: configuration.limits)
        let start = run.token.map { SyncRequest.Start.token($0) } ?? .bootstrap
        next = SyncRequest(filter: filter, start: start, perPage: configuration.perPage).path
        result = SyncReport(filter: run.canonicalText, kind: run.kind)
    }

    /// Starts again with a bootstrap, in place of a run whose token was rejected.
    mutating func restart(_ run: FilterRun, _ filter: ResourceFilter, _ configuration: SyncConfiguration) {
        let (failures, rows) = (failuresInRow, rowsWritten)
        self = RunState(run, filter, configuration)
        (failuresInRow, otherRows) = (failures, rows)
        result.wasRejected = true
    }
}

extension RunState {
    /// Records that a page is requested.
    ///
    /// - Throws: ``SyncError/inconsistentRun(reason:)`` for a page that was requested before.
    mutating func recordRequest(_ path: ServerPath) throws(SyncError) {
        guard cycleDetector.advance(to: path) else { throw .inconsistentRun(reason: "the pages form a cycle") }
    }

    /// Adds a page that fits the ones before it.
    ///
    /// - Throws: as ``PageValidator/check(_:_:)``; ``SyncError/wire(_:request:)`` for a path that must not be requested.
    mutating func add(_ page: SyncPage, _ filter: ResourceFilter) throws(SyncError) {
        try validator.check(page, filter)
        next = try page.nextPageURL.map { (text) throws(SyncError) in try ServerPath.parse(text, .page) }
        token = page.nextSyncToken
        bound = page.syncUntilSequence
        result.pages += 1
        result.mutations += page.mutations.count
        result.untilSequence = bound
    }

    /// Returns the changes to apply: all but those of resources that the run goes on without, or that are left to a
    /// deferred snapshot. Deletions are always returned, since they need no rows.
    mutating func remaining(of changes: ArraySlice<Mutation>) -> [Mutation] {
        changes.filter { change in
            if change.type == .resourceDelete { return true }
            let resource = ResourceKey(change.resource.group, change.resource.id)
            return missing[resource] == nil && !deferred.absorb(change, of: resource)
        }
    }

    /// Adds the results of applying changes.
    mutating func add(_ applied: AppliedMutations) {
        result.rowsChanged += applied.rowsChanged
        otherRows.addClamped(applied.hiddenRows)
        unstored.merge(applied.unstored)
        for event in applied.events {
            switch event {
            case .hidden(let resource):
                missing[resource] = nil
                deferred.remove(resource)
                result.hidden += 1
            case .unknownMutation: result.unknownMutations += 1
            default: break
            }
        }
    }

    /// Adds the result of fetching a snapshot.
    ///
    /// - Throws: the error of a failed snapshot, where it ends the run.
    mutating func add(_ snapshot: SnapshotResult) throws(SyncError) {
        switch snapshot {
        case .swapped(let rows, let bytes):
            result.snapshots += 1
            result.snapshotRows += rows
            result.snapshotBytes += bytes
            failuresInRow = 0
        case .hidden(let rows):
            result.hidden += 1
            otherRows.addClamped(rows)
        case .unchanged, .alreadyStored: break
        case .failed(let failure, let error):
            missing[failure.resource] = failure
            if error.endsRun { throw error }
            // A final failure concerns the snapshot, and a repeated one says nothing new about the server. However many
            // of these there are, the snapshots after them are requested.
            if !failure.isFinal, failure.attempts == 1 { failuresInRow += 1 }
            if failuresInRow == Self.mostFailuresInRow { throw error }
        }
    }
}

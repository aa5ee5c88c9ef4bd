internal import LarderFormat
internal import LarderStore

/// What a run knows of its pages, of what it goes on without, and of what it did.
struct RunState: Sendable {
    /// Snapshots that fail in a row, each for the first time and not for good, before it is the server that fails and not
    /// the snapshots.
    private static let mostFailuresInRow = 5

    private(set) var filterRun: FilterRun
    /// Checks the pages.
    private(set) var order: PageOrder
    private var trail = PageTrail()
    /// The page to ask for, nil behind the last one.
    private(set) var next: ServerPath?
    /// The sequence up to which the run goes.
    private(set) var bound: Int64 = 0
    /// The token that the last page brought.
    private(set) var token: String?
    /// The snapshots that are fetched behind the last page.
    var deferred = DeferredSnapshots()
    /// What the run goes on without.
    var missing: [ResourceKey: ResourceFailure] = [:]
    /// The snapshots that failed since one came in.
    private var failuresInRow = 0
    /// Hidden resources that changes of this run have proven public.
    private(set) var proofs = PublicProofs()
    var result: SyncReport

    /// A run in front of its first page.
    init(_ run: FilterRun, _ filter: ResourceFilter, _ configuration: SyncConfiguration) {
        filterRun = run
        order = PageOrder(run: run, limits: configuration.limits)
        let start = run.token.map { SyncRequest.Start.token($0) } ?? .bootstrap
        next = SyncRequest(filter: filter, start: start, perPage: configuration.perPage).path
        result = SyncReport(filter: run.canonicalText, kind: run.kind)
    }

    /// Begins anew with a bootstrap in the place of a run whose token was rejected.
    mutating func restart(_ run: FilterRun, _ filter: ResourceFilter, _ configuration: SyncConfiguration) {
        let failures = failuresInRow
        self = RunState(run, filter, configuration)
        failuresInRow = failures
        result.wasRejected = true
    }
}

extension RunState {
    /// Notes that a page is asked for.
    ///
    /// - Throws: ``SyncError/inconsistentRun(reason:)`` for one that was asked for before.
    mutating func follow(_ path: ServerPath) throws(SyncError) {
        guard trail.leadsOn(to: path) else { throw .inconsistentRun(reason: "the pages go in a circle") }
    }

    /// Adds a page that fits the ones before it.
    ///
    /// - Throws: as ``PageOrder/check(_:_:)``; ``SyncError/wire(_:request:)`` for a path that must not be requested.
    mutating func add(_ page: SyncPage, _ filter: ResourceFilter) throws(SyncError) {
        try order.check(page, filter)
        next = try page.nextPageURL.map { (text) throws(SyncError) in try ServerPath.of(text, .page) }
        token = page.nextSyncToken
        bound = page.syncUntilSequence
        result.pages += 1
        result.mutations += page.mutations.count
        result.untilSequence = bound
    }

    /// Those of some changes that are neither of a resource that the run goes on without, nor left to its snapshot. A deletion
    /// counts all the same: it needs no rows.
    mutating func remaining(of changes: ArraySlice<Mutation>) -> [Mutation] {
        changes.filter { change in
            if change.type == .resourceDelete { return true }
            let resource = ResourceKey(change.resource.group, change.resource.id)
            return missing[resource] == nil && !deferred.absorb(change, of: resource)
        }
    }

    /// Counts what applying changes did.
    mutating func add(_ applied: Applied) {
        result.rowsChanged += applied.rowsChanged
        proofs.merge(applied.proofs)
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

    /// Counts what became of a snapshot.
    ///
    /// - Throws: why it could not be had, where the run ends with it.
    mutating func add(_ snapshot: FullCopyResult) throws(SyncError) {
        switch snapshot {
        case .swapped(let rows, let bytes):
            result.fullCopies += 1
            result.rowsCopied += rows
            result.bytesCopied += bytes
            failuresInRow = 0
        case .hidden: result.hidden += 1
        case .left, .settled: break
        case .failed(let failure, let error):
            missing[failure.resource] = failure
            if error.endsRun { throw error }
            // A refusal is about the snapshot, and one that failed before says nothing new about the server: however many
            // there are of these, what is behind them is asked for.
            if !failure.isFinal, failure.attempts == 1 { failuresInRow += 1 }
            if failuresInRow == Self.mostFailuresInRow { throw error }
        }
    }
}

internal import LarderFormat
internal import LarderStore

/// One pass of one filter, from token to token, as a pure step function: an event in, effects out.
///
/// It holds what the run knows and nothing that acts; ``SyncRun`` performs the effects. A run that ends with an error,
/// or is dropped at any step, leaves the old token in the store. So does one that came to its end without some resources,
/// whose snapshots could not be had: later changes of these are left out, all others are brought in.
package struct RunMachine: Sendable {
    private enum Phase {
        case idle, beginning, fetching, pausing, applying, ordering, copying, noting, holding, finishing, ended
    }

    /// How often a server that counts fewer changes than were applied is asked again before it is believed to be restored
    /// from a backup.
    package static let mostLooks = 3

    /// Snapshots that fail in a row, each for the first time and not for good, before it is the server that fails and not
    /// the snapshots.
    private static let mostFailuresInRow = 5

    private let filter: ResourceFilter
    private let perPage: Int
    private let concurrentFullCopies: Int
    private let limits: SyncLimits
    private var phase = Phase.idle
    private var run: FilterRun?
    private var order: PageOrder?
    private var trail = PageTrail()
    /// The bound of the run, and what is left of its current page.
    private var bound: Int64 = 0
    private var rest: ArraySlice<Mutation> = []
    private var next: ServerPath?
    private var current: ServerPath?
    private var looks = 0
    private var token: String?
    private var waiting: ArraySlice<FullCopyOrder> = []
    private var deferred = DeferredSnapshots()
    private var outstanding = 0
    private var failure: SyncError?
    /// What the run goes on without, and the snapshots that failed since one came in.
    private var missing: [ResourceKey: ResourceFailure] = [:]
    private var failuresInRow = 0
    /// Hidden resources that changes of this run have proven public.
    private var proofs = PublicProofs()
    private var wasRejected = false
    private var result: SyncReport

    /// A run of `filter` that has not begun.
    package init(
        filter: ResourceFilter, perPage: Int, concurrentFullCopies: Int, limits: SyncLimits = SyncLimits()
    ) {
        self.limits = limits
        self.filter = filter
        self.perPage = perPage
        self.concurrentFullCopies = concurrentFullCopies
        result = SyncReport(filter: filter.description, kind: .incremental)
    }

    /// Begins the run; called once.
    package mutating func start() -> [RunEffect] {
        phase = .beginning
        return [.begin(filter: filter.description)]
    }

    /// Takes what came of an effect, and says what to do next.
    package mutating func step(_ event: RunEvent) -> [RunEffect] {
        if failure != nil { return settle() }
        switch (phase, event) {
        case (_, .failed(let error)): return fail(error)
        case (.beginning, .begun(let run)): return begin(run)
        case (.fetching, .page(let page)): return take(page)
        case (.fetching, .pageRejected): return reject(.token)
        case (.pausing, .paused): return fetchPage()
        case (.applying, .applied(let applied)): return took(applied)
        case (.ordering, .ordered(let orders)): return fetch(orders)
        case (.copying, .copied(_, let copy)): return took(copy)
        case (.noting, .pageNoted): return turnPage()
        case (.holding, .held): return endIncomplete()
        case (.finishing, .finished(let swept)): return end(swept)
        default: preconditionFailure("an event that nothing asked for in the phase \(phase)")
        }
    }
}

// MARK: - Pages

extension RunMachine {
    private mutating func begin(_ run: FilterRun) -> [RunEffect] {
        self.run = run
        order = PageOrder(run: run, limits: limits)
        trail = PageTrail()
        looks = 0
        missing = [:]
        deferred = DeferredSnapshots()
        proofs = PublicProofs()
        result = SyncReport(filter: run.canonicalText, kind: run.kind)
        result.wasRejected = wasRejected
        let start = run.token.map { SyncRequest.Start.token($0) } ?? .bootstrap
        next = SyncRequest(filter: filter, start: start, perPage: perPage).path
        let rejected = wasRejected ? [RunEffect.report(.tokenRejected(filter: run.canonicalText))] : []
        return rejected + [.report(.began(filter: run.canonicalText, kind: run.kind))] + turnPage()
    }

    /// Asks for the next page, or ends the run behind the last one.
    private mutating func turnPage() -> [RunEffect] {
        guard let run else { preconditionFailure("a page of a run that has not begun") }
        if let path = next {
            guard trail.leadsOn(to: path) else { return fail(.inconsistentRun(reason: "the pages go in a circle")) }
            current = path
            return fetchPage()
        }
        guard let token else { return fail(.inconsistentRun(reason: "no token at the end")) }
        if !proofs.isEmpty {
            phase = .ordering
            defer { proofs = PublicProofs() }
            return [.orderProven(proofs, run)]
        }
        let last = deferred.removeAll()
        if !last.isEmpty { return copy(last) }
        if let until = missing.values.map(\.retryAt).min() {
            if run.kind == .incremental { return endIncomplete() }
            phase = .holding
            return [.hold(run, until: until)]
        }
        phase = .finishing
        return [.finish(run, token: token, until: bound)]
    }

    private mutating func fetchPage() -> [RunEffect] {
        guard let current else { preconditionFailure("a page of a run that has not begun") }
        phase = .fetching
        return [.fetchPage(current)]
    }

    /// Asks a server again that counts fewer changes than were applied: the one that answers may lag behind another. One that
    /// goes on doing so was restored from a backup, and a new timeline begins.
    private mutating func lookAgain() -> [RunEffect] {
        if looks == Self.mostLooks { return reject(.restored) }
        looks += 1
        phase = .pausing
        return [.pause(attempt: looks)]
    }

    /// Goes over into a bootstrap. A token can be rejected once; in a new timeline nothing was applied that a server could be
    /// behind.
    private mutating func reject(_ rejection: Rejection) -> [RunEffect] {
        guard let run, rejection == .restored || !run.isRejected else { return fail(.endlessResync) }
        wasRejected = true
        phase = .beginning
        return [.beginBootstrap(run, rejection)]
    }

    private mutating func take(_ page: SyncPage) -> [RunEffect] {
        if order?.isBehind(page) == true { return lookAgain() }
        do throws(SyncError) {
            try order?.check(page, filter)
            next = try page.nextPageURL.map { (text) throws(SyncError) in try ServerPath.of(text, .page) }
        } catch {
            return fail(error)
        }
        token = page.nextSyncToken
        bound = page.syncUntilSequence
        rest = page.mutations[...]
        result.pages += 1
        result.mutations += page.mutations.count
        result.untilSequence = bound
        return [.report(.page(number: result.pages, mutations: page.mutations.count))] + applyNext()
    }

    /// Goes on with the page's changes in their order: those of rows in one commit, full copies between them.
    private mutating func applyNext() -> [RunEffect] {
        guard let run else { preconditionFailure("a page of a run that has not begun") }
        while let first = rest.first {
            let isCopy = first.type.needsFullCopy
            let segment = rest.prefix { $0.type.needsFullCopy == isCopy }
            rest = rest.dropFirst(segment.count)
            let changes = segment.filter { !isLeftOut($0) }
            if changes.isEmpty { continue }
            phase = isCopy ? .ordering : .applying
            return [isCopy ? .order(changes, run, bound: bound) : .apply(changes, run)]
        }
        guard run.kind == .bootstrap else { return turnPage() }
        phase = .noting
        return [.notePage(result.pages, run)]
    }

    /// Whether a change is of a resource that the run goes on without, or whose snapshot is to contain it. A deletion counts
    /// all the same: it needs no rows.
    private mutating func isLeftOut(_ change: Mutation) -> Bool {
        if change.type == .resourceDelete { return false }
        let resource = ResourceKey(change.resource.group, change.resource.id)
        return missing[resource] != nil || deferred.absorb(change, of: resource)
    }

    private mutating func took(_ applied: Applied) -> [RunEffect] {
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
        return applied.events.map { .report($0) } + applyNext()
    }
}

// MARK: - Full copies

extension RunMachine {
    private mutating func fetch(_ all: SnapshotOrders) -> [RunEffect] {
        for failure in all.held { missing[failure.resource] = failure }
        guard let run else { preconditionFailure("snapshots of a run that has not begun") }
        let orders = deferred.add(all, run.kind)
        return orders.isEmpty ? applyNext() : copy(orders)
    }

    /// Begins to fetch `orders`, at most so many at a time as the configuration allows.
    private mutating func copy(_ orders: [FullCopyOrder]) -> [RunEffect] {
        let first = orders.prefix(concurrentFullCopies)
        waiting = orders.dropFirst(first.count)
        outstanding = first.count
        if first.isEmpty { return applyNext() }
        phase = .copying
        return first.map { .copy($0) }
    }

    private mutating func took(_ copy: FullCopyResult) -> [RunEffect] {
        switch copy {
        case .swapped(let rows, let bytes):
            result.fullCopies += 1
            result.rowsCopied += rows
            result.bytesCopied += bytes
            failuresInRow = 0
        case .hidden: result.hidden += 1
        case .left, .settled: break
        case .failed(let failure, let error):
            missing[failure.resource] = failure
            if error.endsRun { return fail(error) }
            // A refusal is about the snapshot, and one that failed before says nothing new about the server: however many
            // there are of these, what is behind them is asked for.
            if !failure.isFinal, failure.attempts == 1 { failuresInRow += 1 }
            if failuresInRow == Self.mostFailuresInRow { return fail(error) }
        }
        if let order = waiting.popFirst() { return [.copy(order)] }
        outstanding -= 1
        return outstanding == 0 ? applyNext() : []
    }
}

// MARK: - The end

extension RunMachine {
    private mutating func end(_ swept: [ResourceKey]) -> [RunEffect] {
        phase = .ended
        result.hidden += swept.count
        return swept.map { .report(.swept($0)) } + [.report(.finished(result)), .end(.success(result))]
    }

    /// Ends the run without a token: what it goes without would be lost for ever.
    private mutating func endIncomplete() -> [RunEffect] {
        phase = .ended
        let failures = missing.values.sorted { $0.resource < $1.resource }
        return [.end(.failure(.incomplete(failures)))]
    }

    /// Ends the run, once the full copies under way have come to their end.
    private mutating func fail(_ error: SyncError) -> [RunEffect] {
        failure = error
        if outstanding <= 1 {
            phase = .ended
            return [.end(.failure(error))]
        }
        outstanding -= 1
        return [.cancel]
    }

    /// Counts down what was under way when the run failed.
    private mutating func settle() -> [RunEffect] {
        guard let failure, phase != .ended else { preconditionFailure("an event after the end of the run") }
        outstanding -= 1
        if outstanding > 0 { return [] }
        phase = .ended
        return [.end(.failure(failure))]
    }
}

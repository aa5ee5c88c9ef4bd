internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging

/// One sync of one filter, from token to token.
///
/// A run that fails or is dropped at any step stores no new token. The same holds for a run that completes without some
/// resources, because their snapshots could not be fetched. It leaves out later changes of these, and applies all
/// others.
package struct SyncRun: Sendable {
    /// The number of times a page with a bound below the applied sequence is requested again, before the server counts
    /// as restored from a backup.
    package static let maximumRollbackChecks = 3

    let filter: ResourceFilter
    let store: Store
    let client: ServerClient
    let claims: KeyedSemaphore<ResourceKey>
    let configuration: SyncConfiguration
    /// Whether the run was requested manually.
    let isManual: Bool
    let onEvent: @Sendable (SyncEvent) -> Void

    /// Runs to the end, continuing as a bootstrap when the token is rejected.
    ///
    /// - Throws: ``SyncError/superseded`` at once while another process syncs the store; otherwise the reason the run
    ///   failed.
    func execute() async throws(SyncError) -> SyncReport {
        do {
            guard try store.beginSyncing() else { throw SyncError.superseded }
            defer { store.endSyncing() }
            var run = RunState(try await begin(), filter, configuration)
            do {
                return try await completeOrRestart(&run)
            } catch {
                await recordFailure(of: run, SyncError(error))
                throw error
            }
        } catch {
            throw SyncError(error)
        }
    }

    private func completeOrRestart(_ run: inout RunState) async throws -> SyncReport {
        while true {
            report(.began(filter: run.filterRun.canonicalText, kind: run.filterRun.kind))
            do {
                return try await complete(&run)
            } catch let rejection as Rejection {
                run.restart(try await replace(run.filterRun, after: rejection), filter, configuration)
                report(.tokenRejected(filter: run.filterRun.canonicalText))
            }
        }
    }

    /// Records a run that failed. One that was ended, or waits for the server, before it had written anything is none.
    private func recordFailure(of run: RunState, _ error: SyncError) async {
        let rowsWritten = run.rowsWritten
        switch error {
        case .cancelled, .superseded, .serverWait: if rowsWritten == 0 { return }
        default: break
        }
        let (filterRun, reason, now) = (run.filterRun, error.description, store.host.now())
        // A task of its own, because this one may be cancelled.
        let writing = Task { [store] in
            do {
                try await store.write { transaction in
                    try transaction.recordFailure(filterRun, reason, rowsWritten: rowsWritten, now: now)
                }
            } catch {
                // The record is informative only: the run's own error is the one to report.
                store.host.logger.debug("could not record a run that failed", metadata: ["error": "\(error)"])
            }
        }
        await writing.value
    }

    private func begin() async throws -> FilterRun {
        try await store.restoreSyncState(for: filter)
        let (now, text) = (store.host.now(), filter.description)
        return try await store.write { [isManual, configuration] transaction in
            try transaction.bindServer(configuration.server, to: .sync)
            return try transaction.beginRun(text, now: now, isManual: isManual)
        }
    }

    /// Begins a bootstrap in place of a run. In a new timeline nothing is applied yet, so that no server can be behind
    /// it.
    ///
    /// - Throws: ``SyncError/endlessResync`` when a token is rejected for the second time.
    private func replace(_ run: FilterRun, after rejection: Rejection) async throws -> FilterRun {
        guard rejection == .rolledBack || !run.isRejected else { throw SyncError.endlessResync }
        let now = store.host.now()
        return try await store.write { transaction in
            try transaction.replaceRejected(run, after: rejection, now: now)
        }
    }

    /// Fetches all pages and the snapshots that they request, and stores the token.
    ///
    /// - Throws: a ``Rejection`` when the token is no longer valid.
    private func complete(_ run: inout RunState) async throws -> SyncReport {
        while let path = run.next {
            let page = try await fetchPage(path, &run)
            try run.add(page, filter)
            report(.page(number: run.result.pages, mutations: page.mutations.count))
            try await apply(page, &run)
        }
        guard let token = run.token else { throw SyncError.inconsistentRun(reason: "no token at the end") }
        if !run.unstored.isEmpty { try await fetch(snapshotRequests(for: run.unstored, run.filterRun), &run) }
        try await fetch(run.deferred.removeAll(), &run)
        try await endIfIncomplete(run)
        return try await finish(&run, token)
    }

    /// Throws ``SyncError/incomplete(_:)`` when resources are missing: once a token is stored, their changes would be
    /// lost.
    private func endIfIncomplete(_ run: RunState) async throws {
        guard let until = run.missing.values.map(\.retryAt).min() else { return }
        if run.filterRun.kind == .bootstrap {
            try await store.write { [filterRun = run.filterRun] transaction in
                try transaction.delayBootstrap(filterRun, until: until)
            }
        }
        throw SyncError.incomplete(run.missing.values.sorted { $0.resource < $1.resource })
    }

    private func finish(_ run: inout RunState, _ token: String) async throws -> SyncReport {
        let (filterRun, bound, now) = (run.filterRun, run.bound, store.host.now())
        let swept = try await store.write { [rowsWritten = run.rowsWritten] transaction in
            try transaction.finishRun(
                filterRun, token: token, untilSequence: bound, rowsWritten: rowsWritten, now: now)
        }
        // The commit above has released only as many local writes as one commit should. The token is stored: if this
        // fails, the end of the next run continues.
        try? await releaseMore(after: filterRun.end(bound: bound))
        run.result.hidden += swept.count
        for resource in swept { report(.swept(resource)) }
        report(.finished(run.result))
        return run.result
    }

    private func releaseMore(after end: RunEnd) async throws {
        guard try store.read({ view in try view.hasConfirmedOverlays() }) else { return }
        var place: ReleasePlace?
        repeat {
            place = try await store.write { [place] transaction in
                try transaction.releaseOverlays(after: end, from: place)
            }
        } while place != nil
    }

    private func report(_ event: SyncEvent) {
        switch event {
        case .unknownMutation(_, let resource):
            // The type is text of the server, with any characters; only the event contains it.
            store.host.logger.warning(
                "skipped a change of unknown type", metadata: ["resource": "\(resource)"])
        case .unknownGroup(let resource):
            store.host.logger.warning(
                "skipped a snapshot of an unknown group", metadata: ["resource": "\(resource)"])
        default: break
        }
        onEvent(event)
    }
}

// MARK: - Pages

extension SyncRun {
    /// Requests a page, and requests it again while its bound is below the applied sequence: the server that responds
    /// may lag behind another.
    ///
    /// - Throws: ``Rejection/rolledBack`` when the bound stays below: the server was restored from a backup, and a new
    ///   timeline begins.
    private func fetchPage(_ path: ServerPath, _ run: inout RunState) async throws -> SyncPage {
        try run.recordRequest(path)
        var checks = 0
        while true {
            let page = try await requestPage(path)
            if !run.validator.isBehind(page) { return page }
            if checks == Self.maximumRollbackChecks { throw Rejection.rolledBack }
            checks += 1
            try await store.host.sleep(configuration.rollbackPause(checks))
        }
    }

    private func requestPage(_ path: ServerPath) async throws -> SyncPage {
        try Task.checkCancellation()
        switch try await client.get(path, .page) {
        case .resyncRequired: throw Rejection.token
        case .snapshotNotFound: throw SyncError.inconsistentRun(reason: "a page request received a snapshot's response")
        case .body(let body, _):
            do {
                return try SyncPage(decoding: try await body.collect(upTo: SyncPage.maximumBody))
            } catch let error as WireError {
                throw SyncError.wire(error, request: .page)
            }
        }
    }

    /// Applies the page's changes in their order: consecutive changes without a snapshot in one commit, snapshots
    /// between them.
    private func apply(_ page: SyncPage, _ run: inout RunState) async throws {
        var rest = page.mutations[...]
        while let first = rest.first {
            let needsSnapshot = first.type.needsSnapshot
            let segment = rest.prefix { $0.type.needsSnapshot == needsSnapshot }
            rest = rest.dropFirst(segment.count)
            let changes = run.remaining(of: segment)
            if changes.isEmpty { continue }
            if needsSnapshot {
                try await fetch(snapshotRequests(changes, run.filterRun, run.bound), &run)
            } else {
                let applied = try await store.write { [filterRun = run.filterRun] transaction in
                    try transaction.apply(changes, filterRun)
                }
                run.add(applied)
                for event in applied.events { report(event) }
            }
        }
        guard run.filterRun.kind == .bootstrap else { return }
        try await store.write { [number = run.result.pages, filterRun = run.filterRun] transaction in
            try transaction.setPagesDone(number, filterRun)
        }
    }
}

// MARK: - Snapshots

extension SyncRun {
    /// Lists the resources whose snapshots the changes request, and returns the snapshots to fetch.
    private func snapshotRequests(_ changes: [Mutation], _ run: FilterRun, _ bound: Int64) async throws
        -> SnapshotRequests
    {
        let now = store.host.now()
        let requirements = SnapshotRequirements(changes)
        try await store.write { transaction in try transaction.listMembers(requirements, run, bound: bound) }
        return try store.read { view in try requirements.requests(run, bound: bound, in: view, now: now) }
    }

    /// Returns the snapshots to fetch of resources that are public after all.
    private func snapshotRequests(for proofs: UnstoredResources, _ run: FilterRun) throws -> SnapshotRequests {
        let now = store.host.now()
        return try store.read { view in try proofs.requests(run, in: view, now: now) }
    }

    private func fetch(_ all: SnapshotRequests, _ run: inout RunState) async throws {
        for failure in all.heldBack { run.missing[failure.resource] = failure }
        try await fetch(run.deferred.add(all, run.filterRun.kind), &run)
    }

    /// Fetches snapshots, at most as many at a time as the configuration allows. When one ends the run, the others are
    /// cancelled.
    private func fetch(_ requests: [SnapshotRequest], _ run: inout RunState) async throws {
        try await withThrowingTaskGroup(of: SnapshotResult.self) { group in
            for (index, request) in requests.enumerated() {
                if index >= configuration.concurrentSnapshots, let result = try await group.next() {
                    try run.add(result)
                }
                group.addTask { try await fetch(request) }
            }
            while let result = try await group.next() { try run.add(result) }
        }
    }

    private func fetch(_ request: SnapshotRequest) async throws(SyncError) -> SnapshotResult {
        let fetch = SnapshotFetch(
            request: request, store: store, client: client, claims: claims, configuration: configuration, report: report
        )
        return try await fetch.execute()
    }
}

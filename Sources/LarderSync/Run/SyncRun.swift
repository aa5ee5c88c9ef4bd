internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging

/// Performs what the pure ``RunMachine`` asks for. Decides nothing.
struct SyncRun: Sendable {
    let filter: ResourceFilter
    let store: Store
    let client: ServerClient
    let claims: TurnQueue<ResourceKey>
    let configuration: SyncConfiguration
    /// Whether a person asked for it.
    let isByHand: Bool
    let report: @Sendable (SyncEvent) -> Void

    /// Runs to the end, over into a bootstrap when the token is rejected.
    ///
    /// - Throws: ``SyncError/superseded`` at once while another process syncs the store.
    func execute() async throws(SyncError) -> SyncReport {
        let isOwner: Bool
        do { isOwner = try store.beginSyncing() } catch { throw SyncError(error) }
        guard isOwner else { throw .superseded }
        defer { store.endSyncing() }
        var machine = RunMachine(
            filter: filter, perPage: configuration.perPage, concurrentFullCopies: configuration.concurrentFullCopies,
            limits: configuration.limits)
        let outcome = await withTaskGroup(of: RunEvent.self) { group in
            var effects = machine.start()
            while true {
                for effect in effects {
                    switch effect {
                    case .report(let event): tell(event)
                    case .cancel: group.cancelAll()
                    case .end(let outcome): return outcome
                    default: group.addTask { await self.perform(effect) }
                    }
                }
                guard let event = await group.next() else { preconditionFailure("a run that waits for nothing") }
                effects = machine.step(event)
            }
        }
        return try outcome.get()
    }

    private func perform(_ effect: RunEffect) async -> RunEvent {
        do {
            switch effect {
            case .begin(let text):
                try await store.restoreSyncState(for: filter)
                let now = store.host.now()
                return .begun(
                    try await store.write { [isByHand, configuration] transaction in
                        try transaction.bindServer(configuration.server, to: .sync)
                        return try transaction.beginRun(text, now: now, isByHand: isByHand)
                    })
            case .beginBootstrap(let run, let rejection):
                let now = store.host.now()
                return .begun(
                    try await store.write { transaction in
                        try transaction.replaceRejected(run, after: rejection, now: now)
                    })
            case .fetchPage(let path):
                return try await fetchPage(path)
            case .pause(let attempt):
                try await store.host.sleep(configuration.restorationPause(attempt))
                return .paused
            case .apply(let changes, let run):
                return .applied(try await store.write { transaction in try transaction.apply(changes, run) })
            case .order(let changes, let run, let bound):
                return .ordered(try await order(changes, run, bound))
            case .orderProven(let proofs, let run):
                let now = store.host.now()
                return .ordered(try store.read { view in try proofs.orders(run, in: view, now: now) })
            case .hold(let run, let until):
                try await store.write { transaction in try transaction.hold(run, until: until) }
                return .held
            case .copy(let order):
                return .copied(order.resource, try await copy(order))
            case .notePage(let number, let run):
                try await store.write { transaction in try transaction.notePage(number, run) }
                return .pageNoted
            case .finish(let run, let token, let bound):
                return .finished(swept: try await finish(run, token, bound))
            case .cancel, .report, .end:
                preconditionFailure("nothing to wait for")
            }
        } catch {
            return .failed(SyncError(error))
        }
    }

    private func fetchPage(_ path: ServerPath) async throws -> RunEvent {
        try Task.checkCancellation()
        switch try await client.get(path, .page) {
        case .resyncRequired: return .pageRejected
        case .fullCopyNotFound: throw SyncError.inconsistentRun(reason: "a page was answered as a full copy")
        case .body(let body, _):
            do {
                return .page(try SyncPage(decoding: try await body.collect(upTo: SyncPage.maximumBody)))
            } catch let error as WireError {
                throw SyncError.wire(error, request: .page)
            }
        }
    }

    private func order(_ changes: [Mutation], _ run: FilterRun, _ bound: Int64) async throws -> SnapshotOrders {
        let now = store.host.now()
        let requests = CopyRequests(changes)
        try await store.write { transaction in try transaction.list(requests, run, bound: bound) }
        return try store.read { view in try requests.orders(run, bound: bound, in: view, now: now) }
    }

    private func finish(_ run: FilterRun, _ token: String, _ bound: Int64) async throws -> [ResourceKey] {
        let now = store.host.now()
        let swept = try await store.write { transaction in
            try transaction.finishRun(run, token: token, untilSequence: bound, now: now)
        }
        // The commit above has released local writes, as many as one should. The token is stored: when this fails, the end
        // of the next run goes on.
        try? await releaseMore(after: run.end(bound: bound))
        return swept
    }

    private func releaseMore(after end: RunEnd) async throws {
        guard try store.read({ view in try view.hasConfirmedOverlays() }) else { return }
        var place: ReleasePlace?
        repeat {
            place = try await store.write { [place] transaction in try transaction.settle(after: end, from: place) }
        } while place != nil
    }

    private func copy(_ order: FullCopyOrder) async throws(SyncError) -> FullCopyResult {
        let fetch = SnapshotFetch(
            order: order, store: store, client: client, claims: claims, configuration: configuration, report: tell)
        return try await fetch.execute()
    }

    private func tell(_ event: SyncEvent) {
        switch event {
        case .unknownMutation(_, let resource):
            // The type is the server's text, of any characters; the event has it.
            store.host.logger.warning(
                "passed over a change of unknown type", metadata: ["resource": "\(resource)"])
        case .unknownGroup(let resource):
            store.host.logger.warning(
                "passed over a full copy of an unknown group", metadata: ["resource": "\(resource)"])
        default: break
        }
        report(event)
    }
}

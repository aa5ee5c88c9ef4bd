internal import LarderFormat
internal import LarderStore
internal import LarderTransport

/// One pass of one filter, from token to token.
struct SyncRun: Sendable {
    let filter: ResourceFilter
    let store: Store
    let client: ServerClient
    let configuration: SyncConfiguration
    let report: @Sendable (SyncEvent) -> Void

    /// Runs to the end, over into a bootstrap when the token is rejected.
    func execute() async throws(SyncError) -> SyncReport {
        do {
            let text = filter.description
            let run = try await store.write { transaction in try transaction.beginRun(text) }
            switch try await pass(run) {
            case .finished(let result): return result
            case .rejected where run.kind == .bootstrap && run.isRejected: throw SyncError.endlessResync
            case .rejected:
                report(.tokenRejected(filter: text))
                let bootstrap = try await store.write { transaction in
                    try transaction.check(run)
                    return try transaction.beginBootstrap(text, isRejected: true)
                }
                guard case .finished(let result) = try await pass(bootstrap) else { throw SyncError.endlessResync }
                return result
            }
        } catch {
            throw Self.syncError(error)
        }
    }

    private enum PassOutcome {
        case finished(SyncReport)
        case rejected
    }

    /// Applies every page of the run, then stores its token.
    private func pass(_ run: FilterRun) async throws -> PassOutcome {
        report(.began(filter: run.canonicalText, kind: run.kind))
        var result = SyncReport(filter: run.canonicalText, kind: run.kind)
        var order = PageOrder(run: run)
        var trail = PageTrail()
        var next: ServerPath? = firstPath(run)
        var token: String?
        while let path = next {
            try Task.checkCancellation()
            guard trail.leadsOn(to: path) else { throw SyncError.inconsistentRun(reason: "the pages go in a circle") }
            guard let page = try await page(path) else { return .rejected }
            if order.isSetBack(page) { return .rejected }
            try order.check(page, filter)
            next = try page.nextPageURL.map { (text) throws(SyncError) in try Self.path(text, .page) }
            token = page.nextSyncToken
            result.pages += 1
            result.mutations += page.mutations.count
            result.untilSequence = page.syncUntilSequence
            report(.page(number: result.pages, mutations: page.mutations.count))
            try await apply(page, run, pageNumber: result.pages, &result)
        }
        guard let token else { throw SyncError.inconsistentRun(reason: "no token at the end") }
        try await finish(run, token, &result)
        return .finished(result)
    }

    private func firstPath(_ run: FilterRun) -> ServerPath {
        let start = run.token.map { SyncRequest.Start.token($0) } ?? .bootstrap
        return SyncRequest(filter: filter, start: start, perPage: configuration.perPage).path
    }

    /// Fetches and decodes a page; nil when the server wants a bootstrap.
    private func page(_ path: ServerPath) async throws(SyncError) -> SyncPage? {
        switch try await client.get(path, .page) {
        case .resyncRequired: return nil
        case .fullCopyNotFound: throw .inconsistentRun(reason: "a page was answered as a full copy")
        case .body(let body, _):
            do {
                return try SyncPage(decoding: try await body.collect(upTo: SyncPage.maximumBody))
            } catch let error as WireError {
                throw .wire(error, request: .page)
            } catch {
                throw Self.syncError(error)
            }
        }
    }

    private func finish(_ run: FilterRun, _ token: String, _ result: inout SyncReport) async throws {
        let now = store.host.now()
        let bound = result.untilSequence
        let filter = filter
        let covered =
            run.isRejected
            ? try store.read { view in
                try view.resources().map(\.key).filter { filter.matches(group: $0.group, id: $0.id) }
            } : []
        let swept = try await store.write { transaction in
            try transaction.finishRun(run, token: token, untilSequence: bound, now: now, covered: covered)
        }
        for resource in swept { report(.swept(resource)) }
        result.hidden += swept.count
        report(.finished(result))
    }

    static func path(_ text: String, _ kind: SyncError.RequestKind) throws(SyncError) -> ServerPath {
        do throws(WireError) {
            return try ServerPath(text)
        } catch {
            throw .wire(error, request: kind)
        }
    }

    /// Whatever a run stumbled over, as what its caller is told.
    static func syncError(_ error: any Error) -> SyncError {
        switch error {
        case let error as SyncError: error
        case is CancellationError: .cancelled
        case TransportError.cancelled: .cancelled
        case let error as TransportError: .transport(error)
        default: .store(error)
        }
    }
}

internal import LarderFormat
internal import LarderStore
internal import LarderTransport

/// Performs what the pure ``CopyMachine`` asks for. Decides nothing.
struct CopyRun: Sendable {
    let order: FullCopyOrder
    let store: Store
    let client: ServerClient
    /// One run at a time fetches a resource: filters that overlap would else fetch the same snapshot beside each other. The next in line may
    /// find that it has nothing left to fetch.
    let claims: TurnQueue<ResourceKey>
    let configuration: SyncConfiguration
    let report: @Sendable (SyncEvent) -> Void

    /// Fetches a full copy until one is new enough, and swaps it in.
    func execute() async throws(SyncError) -> FullCopyResult {
        var machine = CopyMachine(
            order, attempts: configuration.fullCopyAttempts, mapping: configuration.keyMapping,
            bodyLimit: configuration.limits.fullCopyBytes)
        var body: TransportBody.AsyncIterator?
        var claimed: ResourceKey?
        defer { if let claimed { claims.release(claimed) } }
        var effects = machine.start()
        while true {
            var asked: CopyEffect?
            for effect in effects {
                switch effect {
                case .report(let event): report(event)
                case .end(let outcome): return try outcome.get()
                default: asked = effect
                }
            }
            guard let asked else { preconditionFailure("a full copy that waits for nothing") }
            do {
                effects = machine.step(try await perform(asked, &body, &claimed))
            } catch StoreError.stagingSuperseded {
                effects = machine.step(.superseded)
            } catch {
                effects = machine.step(.failed(SyncError(error)))
            }
        }
    }

    private func perform(
        _ effect: CopyEffect, _ body: inout TransportBody.AsyncIterator?, _ claimed: inout ResourceKey?
    ) async throws -> CopyEvent {
        switch effect {
        case .claim(let order):
            guard await claims.acquire(order.resource) else { throw CancellationError() }
            claimed = order.resource
            let known = try store.read { view in try view.resource(order.resource) }
            guard order.isSettled(by: known) else { return .claimed(isSettled: false) }
            return .claimed(isSettled: try await store.write { transaction in try transaction.settle(order) })
        case .fetch(let path):
            body = nil
            return try await fetch(path, &body)
        case .read(let staging):
            let chunk = try await body?.next()
            if let staging { store.giveWay(staging) }
            return chunk.map { .chunk($0) } ?? .bodyEnded
        case .open(let resource):
            return .opened(try await store.beginStaging(resource), now: store.host.now())
        case .stage(let batch, let staging):
            try await store.stage(batch, in: staging)
            return .staged
        case .swap(let staging, let header, let order):
            return try await swap(staging, header, order)
        case .discard(let staging):
            await store.discard(staging)
            return .discarded
        case .hide(let order):
            return .hid(try await store.write { transaction in try transaction.hideMissing(order) })
        case .noteFailure(let order, let kind, let reason, let isLagging):
            let now = store.host.now()
            return .noted(
                try await store.write { transaction in
                    try transaction.noteFailure(of: order, kind, reason: reason, isLagging: isLagging, now: now)
                })
        case .pause(let attempt):
            try await store.host.sleep(configuration.laggingPause * attempt)
            return .paused
        case .report, .end:
            preconditionFailure("nothing to wait for")
        }
    }

    private func fetch(_ path: ServerPath, _ body: inout TransportBody.AsyncIterator?) async throws -> CopyEvent {
        switch try await client.get(path, .fullCopy) {
        case .resyncRequired: throw SyncError.inconsistentRun(reason: "a full copy was answered as a page")
        case .fullCopyNotFound: return .missing
        case .body(let answer, let length):
            body = answer.makeAsyncIterator()
            return .answered(length: length)
        }
    }

    private func swap(
        _ staging: Staging, _ header: FullCopyHeader, _ order: FullCopyOrder
    ) async throws -> CopyEvent {
        let now = store.host.now()
        let start = store.host.elapsed()
        do {
            try await store.swap(staging) { transaction, record in
                try transaction.accept(header, order, &record, now: now)
            }
            return .swapped(took: store.host.elapsed() - start)
        } catch is LaggingCopy {
            return .lagging
        }
    }
}

internal import LarderFormat
internal import LarderStore
internal import LarderTransport

/// Fetches the snapshot of one resource, from the claim to the swap.
///
/// A snapshot that is older than it may be is fetched again a few times. A half-fetched one is never resumed.
struct SnapshotFetch: Sendable {
    /// The bytes of a body that are read before the turn to write is waited for, so that a snapshot up to this size holds the
    /// turn only when it is there as a whole.
    static let readAhead = 1 << 20

    let order: FullCopyOrder
    let store: Store
    let client: ServerClient
    /// One run at a time fetches a resource: filters that overlap would else fetch the same snapshot beside each other. The next in line may
    /// find that it has nothing left to fetch.
    let claims: TurnQueue<ResourceKey>
    let configuration: SyncConfiguration
    let report: @Sendable (SyncEvent) -> Void

    /// Fetches the snapshot until one is new enough, and swaps it in.
    ///
    /// - Throws: what is not the snapshot's own fault, and all that a snapshot which belongs to no run fails with.
    func execute() async throws(SyncError) -> FullCopyResult {
        guard await claims.acquire(order.resource) else { throw .cancelled }
        defer { claims.release(order.resource) }
        do {
            if try await isCompleteAlready() { return .settled }
            return try await fetchUntilNewEnough()
        } catch {
            return try await giveUp(SyncError(error))
        }
    }

    /// Whether another filter's snapshot, which came in meanwhile, is new enough.
    private func isCompleteAlready() async throws -> Bool {
        let known = try store.read { view in try view.resource(order.resource) }
        guard order.isSettled(by: known) else { return false }
        return try await store.write { transaction in try transaction.settle(order) }
    }

    /// Asks a server that lags, or was superseded while it sent, again.
    ///
    /// So it asks one that has no snapshot: the server that said that there is one may be ahead of it. It is believed in the end.
    private func fetchUntilNewEnough() async throws -> FullCopyResult {
        var attempt = 1
        while true {
            let isLast = attempt >= configuration.fullCopyAttempts
            do {
                if let (body, length) = try await request() { return try await load(body, length) }
                if isLast { return try await hide() }
            } catch is LaggingCopy, StoreError.stagingSuperseded {
                if isLast { throw SyncError.laggingFullCopy(order.resource) }
            }
            report(.lagging(order.resource))
            try await store.host.sleep(configuration.laggingPause * attempt)
            attempt += 1
        }
    }

    /// The body of the server's answer, with its length where the server said it; nil when it has no snapshot.
    private func request() async throws(SyncError) -> (TransportBody, length: Int?)? {
        switch try await client.get(order.path, .fullCopy) {
        case .resyncRequired: throw .inconsistentRun(reason: "a full copy was answered as a page")
        case .fullCopyNotFound: nil
        case .body(let body, let length): (body, length)
        }
    }

    private func hide() async throws -> FullCopyResult {
        guard try await store.write({ transaction in try transaction.hideMissing(order) }) else { return .left }
        report(.hidden(order.resource))
        return .hidden
    }
}

// MARK: - From the body to the swap

extension SnapshotFetch {
    /// Writes the rows of a body into a generation of their own, and swaps it in; it is discarded when that fails.
    private func load(_ body: TransportBody, _ length: Int?) async throws -> FullCopyResult {
        var chunks = body.makeAsyncIterator()
        let beginning = try await readAhead(&chunks)
        let staging = try await store.beginStaging(order.resource)
        var intake = FullCopyIntake(
            order.resource, staging, configuration.keyMapping, bodyLimit: configuration.limits.fullCopyBytes,
            now: store.host.now())
        do {
            let header = try await stage(beginning, &chunks, length, &intake)
            try await swap(staging, header, intake)
        } catch {
            await store.discard(staging)
            throw error
        }
        return .swapped(rows: intake.rows, bytes: intake.bytes)
    }

    /// The whole body, or its beginning.
    private func readAhead(_ chunks: inout TransportBody.AsyncIterator) async throws -> [UInt8] {
        let limit = min(Self.readAhead, configuration.limits.fullCopyBytes)
        var beginning: [UInt8] = []
        while beginning.count < limit, let chunk = try await chunks.next() { beginning += chunk }
        return beginning
    }

    /// Writes the rows of `beginning` and of what follows it, and returns what the snapshot says of itself at its end.
    private func stage(
        _ beginning: [UInt8], _ chunks: inout TransportBody.AsyncIterator, _ length: Int?,
        _ intake: inout FullCopyIntake
    ) async throws -> FullCopyHeader {
        // A body that has ended already ends again behind it.
        var next: [UInt8]? = beginning
        while let chunk = next {
            try intake.take(chunk)
            if intake.isFull {
                try await store.stage(intake.takeBatch(), in: intake.staging)
                report(.fullCopy(order.resource, rows: intake.rows, bytes: intake.bytes, totalBytes: length))
            }
            next = try await chunks.next()
            // The generation that is being written gives way to others when its turn is over.
            store.giveWay(intake.staging)
        }
        let header = try intake.finish()
        try await store.stage(intake.takeBatch(), in: intake.staging)
        return header
    }

    private func swap(_ staging: Staging, _ header: FullCopyHeader, _ intake: FullCopyIntake) async throws {
        let now = store.host.now()
        let start = store.host.elapsed()
        try await store.swap(staging) { [order] transaction, record in
            try transaction.accept(header, order, &record, now: now)
        }
        let took = store.host.elapsed() - start
        if let old = order.knownSchema, old != header.schemaVersion {
            report(.schemaChanged(order.resource, from: old, to: header.schemaVersion))
        }
        report(.swapped(order.resource, rows: intake.rows, bytes: intake.bytes, took: took))
    }
}

// MARK: - Giving up

extension SnapshotFetch {
    /// Notes with the resource what fails for it alone, or may; the run goes on without a snapshot whose rows cannot be named.
    private func giveUp(_ error: SyncError) async throws(SyncError) -> FullCopyResult {
        let isPassedOver = error.failureKind == .passedOver
        if isPassedOver { report(.unknownGroup(order.resource)) }
        var failure: ResourceFailure?
        if order.run != nil, error.mayConcernResource { failure = try await note(error) }
        if isPassedOver { return .left }
        guard let failure else { throw error }
        report(.resourceFailed(failure))
        return .failed(failure, error)
    }

    private func note(_ error: SyncError) async throws(SyncError) -> ResourceFailure {
        let now = store.host.now()
        let kind = error.failureKind
        let reason = kind == .passedOver ? "The rows of the snapshot cannot be named." : error.description
        let isLagging = if case .laggingFullCopy = error { true } else { false }
        do {
            return try await store.write { [order] transaction in
                try transaction.noteFailure(of: order, kind, reason: reason, isLagging: isLagging, now: now)
            }
        } catch {
            throw SyncError(error)
        }
    }
}

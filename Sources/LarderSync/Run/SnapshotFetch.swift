internal import LarderFormat
internal import LarderStore
internal import LarderTransport

/// The fetch of one resource's snapshot, from the claim to the swap.
///
/// A snapshot that is older than required is fetched again a few times. A half-fetched one is never resumed.
struct SnapshotFetch: Sendable {
    /// The number of bytes of a body to read before waiting for the turn to write. A snapshot up to this size therefore
    /// holds the turn only when it is complete.
    static let readAhead = 1 << 20

    let order: FullCopyOrder
    let store: Store
    let client: ServerClient
    /// The claims that let one run at a time fetch a resource: overlapping filters would otherwise fetch the same
    /// snapshot twice. The next run may find that it has nothing left to fetch.
    let claims: TurnQueue<ResourceKey>
    let configuration: SyncConfiguration
    let report: @Sendable (SyncEvent) -> Void

    /// Fetches the snapshot until one is new enough, and swaps it in.
    ///
    /// - Throws: an error that does not concern the snapshot alone; for an order that belongs to no run, every error
    ///   except ``WireError/unknownGroup``.
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

    /// Whether a snapshot that another filter swapped in meanwhile is new enough.
    private func isCompleteAlready() async throws -> Bool {
        let known = try store.read { view in try view.resource(order.resource) }
        guard order.isSettled(by: known) else { return false }
        return try await store.write { transaction in try transaction.settle(order) }
    }

    /// Requests the snapshot again while it is older than required, or was superseded during the transfer.
    ///
    /// A missing snapshot is requested again as well: the server that announced it may be ahead of the one that
    /// responds. On the last attempt, its absence is accepted.
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

    /// Returns the body of the response, with its length where the server stated it; nil when there is no snapshot.
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
    /// Writes the rows of a body into a new generation and swaps it in; the generation is discarded when that fails.
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

    /// Returns the whole body, or its beginning.
    private func readAhead(_ chunks: inout TransportBody.AsyncIterator) async throws -> [UInt8] {
        let limit = min(Self.readAhead, configuration.limits.fullCopyBytes)
        var beginning: [UInt8] = []
        while beginning.count < limit, let chunk = try await chunks.next() { beginning += chunk }
        return beginning
    }

    /// Writes the rows of `beginning` and of the chunks after it, and returns the header of the snapshot.
    private func stage(
        _ beginning: [UInt8], _ chunks: inout TransportBody.AsyncIterator, _ length: Int?,
        _ intake: inout FullCopyIntake
    ) async throws -> FullCopyHeader {
        // The iterator of a body that has already ended returns nil again.
        var next: [UInt8]? = beginning
        while let chunk = next {
            try intake.take(chunk)
            if intake.isFull {
                try await store.stage(intake.takeBatch(), in: intake.staging)
                report(.fullCopy(order.resource, rows: intake.rows, bytes: intake.bytes, totalBytes: length))
            }
            next = try await chunks.next()
            // Another snapshot may be written when the turn of this one is over.
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

// MARK: - Failures

extension SnapshotFetch {
    /// Stores an error that may concern this resource alone and returns it as the result; throws all others. The run
    /// goes on without a snapshot whose rows cannot be named.
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

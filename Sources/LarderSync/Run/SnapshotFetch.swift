internal import LarderFormat
internal import LarderStore
internal import LarderTransport

/// The fetch of one resource's snapshot, from the claim to the swap.
///
/// A snapshot that is older than required is fetched again a few times. A half-fetched one is never resumed.
struct SnapshotFetch: Sendable {
    /// The number of bytes of a body to read before waiting for the turn to write. A snapshot up to this size therefore
    /// acquires the turn only when it is complete.
    static let readAhead = 1 << 20

    let request: SnapshotRequest
    let store: Store
    let client: ServerClient
    /// The claims that let one run at a time fetch a resource: overlapping filters would otherwise fetch the same
    /// snapshot twice. The next run may find that it has nothing left to fetch.
    let claims: KeyedSemaphore<ResourceKey>
    let configuration: SyncConfiguration
    let report: @Sendable (SyncEvent) -> Void

    /// Fetches the snapshot until one is new enough, and swaps it in.
    ///
    /// - Throws: an error that does not concern the snapshot alone; for a request that belongs to no run, every error
    ///   except ``WireError/unknownGroup``.
    func execute() async throws(SyncError) -> SnapshotResult {
        guard await claims.acquire(request.resource) else { throw .cancelled }
        defer { claims.release(request.resource) }
        do {
            if try await isAlreadyStored() { return .alreadyStored }
            return try await fetchUntilNewEnough()
        } catch {
            return try await handleFailure(SyncError(error))
        }
    }

    /// Whether a snapshot that another filter swapped in meanwhile is new enough.
    private func isAlreadyStored() async throws -> Bool {
        let known = try store.read { view in try view.resource(request.resource) }
        guard request.isSatisfied(by: known) else { return false }
        return try await store.write { transaction in try transaction.completeIfStored(request) }
    }

    /// Requests the snapshot again while it is older than required, or was superseded during the transfer.
    ///
    /// A missing snapshot is requested again as well: the server that announced it may be ahead of the one that
    /// responds. On the last attempt, its absence is accepted.
    private func fetchUntilNewEnough() async throws -> SnapshotResult {
        var attempt = 1
        while true {
            let isLast = attempt >= configuration.snapshotAttempts
            do {
                if let (body, length) = try await fetchBody() { return try await load(body, length) }
                if isLast { return try await hide() }
            } catch is LaggingSnapshot, StoreError.stagingSuperseded {
                if isLast { throw SyncError.laggingSnapshot(request.resource) }
            }
            report(.lagging(request.resource))
            try await store.host.sleep(configuration.laggingPause * attempt)
            attempt += 1
        }
    }

    /// Returns the body of the response, with its length where the server stated it; nil when there is no snapshot.
    private func fetchBody() async throws(SyncError) -> (TransportBody, length: Int?)? {
        switch try await client.get(request.path, .snapshot) {
        case .resyncRequired: throw .inconsistentRun(reason: "a snapshot request received a page's response")
        case .snapshotNotFound: nil
        case .body(let body, let length): (body, length)
        }
    }

    private func hide() async throws -> SnapshotResult {
        let rows = try await store.write { transaction in try transaction.hideMissing(request) }
        guard let rows else { return .unchanged }
        report(.hidden(request.resource))
        return .hidden(rows: rows)
    }
}

// MARK: - From the body to the swap

extension SnapshotFetch {
    /// Replaces the rows by those of a body, all at once where it is whole and small.
    private func load(_ body: TransportBody, _ length: Int?) async throws -> SnapshotResult {
        var chunks = body.makeAsyncIterator()
        var decoder = SnapshotRowDecoder(
            request.resource, configuration.keyMapping, bodyLimit: configuration.limits.snapshotBytes,
            now: store.host.now())
        let isWhole = try await readAhead(&chunks, &decoder)
        if isWhole, decoder.isSmall, try await replaceAtOnce(decoder) {
            return .swapped(rows: decoder.rows, bytes: decoder.bytes)
        }
        let staging = try await store.beginStaging(request.resource)
        do {
            let header = try await stage(&chunks, length, &decoder, in: staging)
            _ = try await swap(header, decoder) { finish in
                try await store.swap(staging, finish)
                return true
            }
        } catch {
            await store.discard(staging)
            throw error
        }
        return .swapped(rows: decoder.rows, bytes: decoder.bytes)
    }

    /// Decodes the beginning of the body, and returns whether that is all of it.
    private func readAhead(
        _ chunks: inout TransportBody.AsyncIterator, _ decoder: inout SnapshotRowDecoder
    ) async throws -> Bool {
        let limit = min(Self.readAhead, configuration.limits.snapshotBytes)
        while decoder.bytes < limit {
            guard let chunk = try await chunks.next() else { return true }
            try decoder.consume(chunk)
        }
        return false
    }

    /// Returns false, with nothing changed, where the rows have to be staged.
    private func replaceAtOnce(_ decoder: SnapshotRowDecoder) async throws -> Bool {
        var decoder = decoder
        return try await swap(try decoder.finish(), decoder) { [rows = decoder.gathered] finish in
            try await store.replaceAtOnce(rows, finish)
        }
    }

    /// Writes the rows that were decoded and those of the chunks after them, and returns the header of the snapshot.
    private func stage(
        _ chunks: inout TransportBody.AsyncIterator, _ length: Int?, _ decoder: inout SnapshotRowDecoder,
        in staging: Staging
    ) async throws -> SnapshotHeader {
        var isEnded = false
        while !isEnded {
            if decoder.isFull {
                try await store.stage(decoder.removeBatch(for: staging), in: staging)
                report(.snapshot(request.resource, rows: decoder.rows, bytes: decoder.bytes, totalBytes: length))
            }
            // The iterator of a body that has already ended returns nil again.
            if let chunk = try await chunks.next() { try decoder.consume(chunk) } else { isEnded = true }
            // Another snapshot may be written when the turn of this one is over.
            store.yieldStagingTurn(staging)
        }
        let header = try decoder.finish()
        try await store.stage(decoder.removeBatch(for: staging), in: staging)
        return header
    }

    /// Changes the record of the resource in the commit that swaps the rows in, and reports that commit.
    ///
    /// - Parameter commit: returns false where it has changed nothing.
    /// - Returns: what `commit` returns.
    private func swap(
        _ header: SnapshotHeader, _ decoder: SnapshotRowDecoder,
        _ commit: (@escaping @Sendable (inout Transaction, inout ResourceRecord) throws -> Void) async throws -> Bool
    ) async throws -> Bool {
        let now = store.host.now()
        let start = store.host.elapsed()
        let isSwapped = try await commit { [request] transaction, record in
            try transaction.applySnapshotHeader(header, request, &record, now: now)
        }
        if !isSwapped { return false }
        let took = store.host.elapsed() - start
        if let old = request.knownSchema, old != header.schemaVersion {
            report(.schemaChanged(request.resource, from: old, to: header.schemaVersion))
        }
        report(.swapped(request.resource, rows: decoder.rows, bytes: decoder.bytes, took: took))
        return true
    }
}

// MARK: - Failures

extension SnapshotFetch {
    /// Stores an error that may concern this resource alone and returns it as the result; throws all others. The run
    /// goes on without a snapshot whose rows cannot be named.
    private func handleFailure(_ error: SyncError) async throws(SyncError) -> SnapshotResult {
        let isPassedOver = error.failureKind == .unusable
        if isPassedOver { report(.unknownGroup(request.resource)) }
        var failure: ResourceFailure?
        if request.run != nil, error.mayConcernResource { failure = try await storeFailure(error) }
        if isPassedOver { return .unchanged }
        guard let failure else { throw error }
        report(.resourceFailed(failure))
        return .failed(failure, error)
    }

    private func storeFailure(_ error: SyncError) async throws(SyncError) -> ResourceFailure {
        let now = store.host.now()
        let kind = error.failureKind
        let reason = kind == .unusable ? "The rows of the snapshot cannot be named." : error.description
        let isLagging = if case .laggingSnapshot = error { true } else { false }
        do {
            return try await store.write { [request] transaction in
                try transaction.setFailure(of: request, kind, reason: reason, isLagging: isLagging, now: now)
            }
        } catch {
            throw SyncError(error)
        }
    }
}

public import LarderFormat
internal import LarderStore
internal import LarderTransport

extension ContentSync {
    /// Returns an estimate of the space that keeping a resource offline needs.
    ///
    /// - Throws: ``KeepError/unknownResource(_:)`` when no filter holds it, ``KeepError/notOffered(_:)`` when the
    ///   server has hidden it, ``KeepError/store(_:)``.
    public func keepEstimate(_ resource: ResourceKey) throws(KeepError) -> KeepEstimate {
        do {
            let use = try store.spaceUse()
            return try store.read { view in
                try KeepEstimate(view.member(resource), in: view, use: use)
            }
        } catch {
            throw KeepError(error)
        }
    }

    /// Keeps a resource offline: pins it, and fetches its snapshot unless its rows are in the store.
    ///
    /// A pinned resource is never evicted, and the filters that hold it keep it current. Another call does what is left
    /// to do.
    ///
    /// - Parameters:
    ///   - resource: the resource to keep.
    ///   - onStatus: called with the progress, ``KeepStatus/completed(rows:bytes:)`` last; must be quick.
    /// - Throws: the reason it is not kept. After ``KeepError/noSpace(_:)``, ``KeepError/notOffered(_:)`` and
    ///   ``KeepError/unknownResource(_:)`` it is pinned only if it was before. After ``KeepError/noSnapshot(_:)`` and
    ///   ``KeepError/sync(_:)`` it stays pinned, to be fetched later. ``KeepError/store(_:)`` may come before the pin.
    public func keep(
        _ resource: ResourceKey, onStatus: @escaping @Sendable (KeepStatus) -> Void = { _ in }
    ) async throws(KeepError) {
        let estimate = try keepEstimate(resource)
        onStatus(.estimated(estimate))
        if let shortage = estimate.shortage { throw .noSpace(shortage) }
        let wasPinned: Bool
        do {
            wasPinned = try await store.write { transaction in
                let wasPinned = try transaction.resource(resource)?.isPinned ?? false
                try transaction.pin(resource)
                return wasPinned
            }
        } catch {
            throw KeepError(error)
        }
        do throws(KeepError) {
            try await restore(resource) { event in
                switch event {
                case .snapshot(resource, let rows, let bytes, let total):
                    onStatus(.fetching(rows: rows, bytes: bytes, totalBytes: total))
                case .swapped(resource, let rows, let bytes, _):
                    onStatus(.fetching(rows: rows, bytes: bytes, totalBytes: bytes))
                default: break
                }
            }
        } catch {
            throw await unpinIfFinal(resource, error, isPinned: wasPinned)
        }
        let known = try? store.read { view in try view.resource(resource) }
        onStatus(.completed(rows: known?.rowCount ?? 0, bytes: Int64(known?.byteCount ?? 0)))
    }

    /// Keeps a resource as ``keep(_:onStatus:)``, and returns its statuses, which end with
    /// ``KeepStatus/completed(rows:bytes:)`` or ``KeepStatus/failed(_:)``. Ending the reading cancels the fetch. A slow
    /// reader receives the newest 16.
    public func keeping(_ resource: ResourceKey) -> AsyncStream<KeepStatus> {
        keepStatuses { (onStatus) async throws(KeepError) in try await self.keep(resource, onStatus: onStatus) }
    }

    /// Stops keeping a resource offline: unpins it and drops its rows.
    ///
    /// The filters that hold it still do, and it is fetched again when it is opened. Local changes that are not
    /// confirmed stay, and the rows with them.
    ///
    /// - Returns: whether rows were dropped.
    /// - Throws: ``KeepError/store(_:)`` when the store fails.
    @discardableResult
    public func stopKeeping(_ resource: ResourceKey) async throws(KeepError) -> Bool {
        do {
            return try await store.write { transaction in
                try transaction.pin(resource, false)
                return try transaction.evict(resource)
            }
        } catch {
            throw KeepError(error)
        }
    }

    /// Fetches the snapshot of a resource whose rows are not in the store, from the path stored with it.
    ///
    /// Call it when a reader opens an evicted resource. It does nothing when the rows are in the store.
    ///
    /// - Throws: ``KeepError/unknownResource(_:)`` when no filter holds it, ``KeepError/noSnapshot(_:)`` without a
    ///   path, ``KeepError/notOffered(_:)``, ``KeepError/noSpace(_:)``, ``KeepError/sync(_:)`` when the fetch failed,
    ///   ``KeepError/store(_:)``.
    public func restore(_ resource: ResourceKey) async throws(KeepError) {
        try await restore(resource) { _ in }
    }

    private func restore(
        _ resource: ResourceKey, _ onEvent: @escaping @Sendable (SyncEvent) -> Void
    ) async throws(KeepError) {
        do {
            guard let request = try store.read({ view in try SnapshotRequest(restoring: resource, in: view) }) else {
                return
            }
            let reportEvent = report
            let fetch = SnapshotFetch(
                request: request, store: store, client: client(), claims: claims, configuration: configuration,
                report: { event in
                    reportEvent(event)
                    onEvent(event)
                })
            switch try await fetch.execute() {
            case .swapped, .alreadyStored: return
            case .hidden, .unchanged: throw KeepError.notOffered(resource)
            case .failed(_, let error): throw error
            }
        } catch SyncError.store(StoreError.full(let shortage)) {
            let pinned = (try? store.read { view in try view.pinned() }) ?? []
            throw .noSpace(KeepShortage(shortage, pinned: pinned.filter { $0.resource != resource }))
        } catch {
            throw KeepError(error)
        }
    }

    /// Removes the pin, unless it was there before or the fetch may be repeated, and returns the error to throw.
    private func unpinIfFinal(_ resource: ResourceKey, _ error: KeepError, isPinned: Bool) async -> KeepError {
        switch error {
        case .noSpace, .notOffered, .unknownResource:
            if isPinned { return error }
            do {
                try await store.write { transaction in try transaction.pin(resource, false) }
                return error
            } catch {
                return KeepError(error)
            }
        default: return error
        }
    }
}

extension KeepShortage {
    fileprivate init(_ shortage: SpaceShortage, pinned: [PinnedResource]) {
        self.init(missing: shortage.missing, pinned: pinned, use: shortage.use)
    }
}

extension ReadView {
    /// Returns a resource that a filter holds: nothing would keep another one current, or remove it.
    fileprivate borrowing func member(_ resource: ResourceKey) throws -> Resource {
        let known = try self.resource(resource)
        if known?.state == .hidden { throw KeepError.notOffered(resource) }
        guard let known, try isMember(resource) else { throw KeepError.unknownResource(resource) }
        return known
    }
}

extension SnapshotRequest {
    /// The snapshot to fetch to restore the rows of a resource; nil when they are in the store.
    fileprivate init?(restoring resource: ResourceKey, in view: borrowing ReadView) throws {
        let known = try view.member(resource)
        if known.state == .ready, known.generation != nil { return nil }
        guard let path = known.snapshotPath else { throw KeepError.noSnapshot(resource) }
        self.init(
            resource: resource, path: try ServerPath.parse(path, .snapshot),
            // The swap rejects a snapshot that is older than the evicted rows.
            timeline: try view.appliedPosition().timeline, changeSequence: .min, bound: .min,
            knownSchema: known.schemaVersion, run: nil, changedAt: nil)
    }
}

/// Returns a stream of the statuses that `keep` reports, and of its error.
func keepStatuses(
    _ keep: @escaping @Sendable (@escaping @Sendable (KeepStatus) -> Void) async throws(KeepError) -> Void
) -> AsyncStream<KeepStatus> {
    let (stream, continuation) = AsyncStream.makeStream(of: KeepStatus.self, bufferingPolicy: .bufferingNewest(16))
    let task = Task {
        do throws(KeepError) {
            try await keep { continuation.yield($0) }
        } catch {
            continuation.yield(.failed(error))
        }
        continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
}

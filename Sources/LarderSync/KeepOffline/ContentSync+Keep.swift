public import LarderFormat
internal import LarderStore
internal import LarderTransport

extension ContentSync {
    /// What keeping a resource offline would take.
    ///
    /// - Throws: ``KeepError/unknownResource(_:)``, ``KeepError/notOffered(_:)``, ``KeepError/store(_:)``.
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

    /// Keeps a resource offline: pins it, and fetches its full copy unless its rows are here.
    ///
    /// What is pinned is never evicted, and what syncs it keeps it current. Asked for again it does what is left to do.
    ///
    /// - Parameter onStatus: told how far it is, ``KeepStatus/kept(rows:bytes:)`` last; must be quick.
    /// - Throws: why it is not kept. After ``KeepError/noRoom(_:)``, ``KeepError/notOffered(_:)`` and
    ///   ``KeepError/unknownResource(_:)`` it is pinned only if it was before; after the others it stays pinned, for when it can be
    ///   fetched.
    public func keep(
        _ resource: ResourceKey, onStatus: @escaping @Sendable (KeepStatus) -> Void = { _ in }
    ) async throws(KeepError) {
        let estimate = try keepEstimate(resource)
        onStatus(.estimated(estimate))
        if let shortage = estimate.shortage { throw .noRoom(shortage) }
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
                case .fullCopy(resource, let rows, let bytes, let total):
                    onStatus(.fetching(rows: rows, bytes: bytes, totalBytes: total))
                case .swapped(resource, let rows, let bytes, _):
                    onStatus(.fetching(rows: rows, bytes: bytes, totalBytes: bytes))
                default: break
                }
            }
        } catch {
            throw await giveUp(resource, error, isPinned: wasPinned)
        }
        let known = try? store.read { view in try view.resource(resource) }
        onStatus(.kept(rows: known?.rowCount ?? 0, bytes: Int64(known?.byteCount ?? 0)))
    }

    /// As ``keep(_:onStatus:)``, as a sequence that ends with ``KeepStatus/kept(rows:bytes:)`` or
    /// ``KeepStatus/failed(_:)``. Ending the reading cancels the fetch. A slow reader gets the newest 16.
    public func keeping(_ resource: ResourceKey) -> AsyncStream<KeepStatus> {
        keepStatuses { (tell) async throws(KeepError) in try await self.keep(resource, onStatus: tell) }
    }

    /// Keeps a resource offline no longer: it is unpinned, and its rows are dropped.
    ///
    /// The filters that hold it still do; it comes back when it is opened. Local changes that are not confirmed stay, and
    /// the rows with them.
    ///
    /// - Returns: whether rows were dropped.
    /// - Throws: ``KeepError/store(_:)``.
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

    /// Fetches the full copy of a resource whose rows are not here, from the path that is kept with it.
    ///
    /// For a reader that opens what was evicted. Nothing happens when the rows are here.
    ///
    /// - Throws: why they are not here.
    public func restore(_ resource: ResourceKey) async throws(KeepError) {
        try await restore(resource) { _ in }
    }

    private func restore(
        _ resource: ResourceKey, _ onEvent: @escaping @Sendable (SyncEvent) -> Void
    ) async throws(KeepError) {
        do {
            guard let order = try store.read({ view in try FullCopyOrder(restoring: resource, in: view) }) else {
                return
            }
            let told = report
            let fetch = SnapshotFetch(
                order: order, store: store, client: client(), claims: claims, configuration: configuration,
                report: { event in
                    told(event)
                    onEvent(event)
                })
            switch try await fetch.execute() {
            case .swapped, .settled: return
            case .hidden, .left: throw KeepError.notOffered(resource)
            case .failed(_, let error): throw error
            }
        } catch SyncError.store(StoreError.full(let shortage)) {
            let pinned = (try? store.read { view in try view.pinned() }) ?? []
            throw .noRoom(KeepShortage(shortage, pinned: pinned.filter { $0.resource != resource }))
        } catch {
            throw KeepError(error)
        }
    }

    /// Takes the pin back, unless it was there before or the fetch may be repeated.
    private func giveUp(_ resource: ResourceKey, _ error: KeepError, isPinned: Bool) async -> KeepError {
        switch error {
        case .noRoom, .notOffered, .unknownResource:
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
    /// A resource that a filter holds: nothing would keep another one current, or remove it.
    fileprivate borrowing func member(_ resource: ResourceKey) throws -> Resource {
        let known = try self.resource(resource)
        if known?.state == .hidden { throw KeepError.notOffered(resource) }
        guard let known, try isMember(resource) else { throw KeepError.unknownResource(resource) }
        return known
    }
}

extension FullCopyOrder {
    /// What to fetch to have the rows of a resource here again; nil when they are.
    fileprivate init?(restoring resource: ResourceKey, in view: borrowing ReadView) throws {
        let known = try view.member(resource)
        if known.state == .ready, known.generation != nil { return nil }
        guard let path = known.fullCopyPath else { throw KeepError.noFullCopy(resource) }
        self.init(
            resource: resource, path: try ServerPath.of(path, .fullCopy),
            // Not older than what was here, as no copy is.
            timeline: try view.appliedPosition().timeline, changeSequence: .min, bound: .min,
            knownSchema: known.schemaVersion, run: nil, changedAt: nil)
    }
}

/// The statuses that `keep` tells, and how it ends.
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

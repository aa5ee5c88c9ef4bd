package import LarderFormat
package import LarderStore

/// An error for a snapshot that is older than required, or than the rows it would replace.
package struct LaggingSnapshot: Error {}

extension Transaction {
    /// Updates the record of a resource for the snapshot that is being swapped in. The applied sequence is checked in
    /// the commit that swaps.
    ///
    /// - Throws: ``LaggingSnapshot`` for a snapshot that is too old. ``SyncError/superseded`` when its run is no longer
    ///   current; without a run, when the resource was hidden, no filter holds it, or the timeline has ended.
    package mutating func applySnapshotHeader(
        _ header: SnapshotHeader, _ request: SnapshotRequest, _ record: inout ResourceRecord, now: Int64
    ) throws {
        try checkBeforeSwap(request, record)
        let position = ServerPosition(request.timeline, header.sequence)
        guard position >= request.minimum, position >= record.applied else { throw LaggingSnapshot() }
        record.applied = position
        record.snapshotPath = request.path.text
        record.schemaVersion = header.schemaVersion
        record.syncedAt = now
        record.changedAt = request.changedAt ?? record.changedAt
        record.failure = nil
        try finishMember(request)
    }

    /// Throws unless the snapshot may be swapped in: its run has to be current. For a request of the host, the resource
    /// must not be hidden, a filter has to hold it, and the timeline has to be the same.
    private func checkBeforeSwap(_ request: SnapshotRequest, _ record: ResourceRecord) throws {
        if let run = request.run { return try checkCurrent(run) }
        guard record.state != .hidden, try isMember(request.resource),
            try appliedPosition().timeline == request.timeline
        else {
            throw SyncError.superseded
        }
    }

    /// Completes a request without a fetch, when another filter has stored rows that are as new as it requires.
    ///
    /// - Returns: false when the snapshot has to be fetched.
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError`` or ``EngineError`` when the
    ///   store fails.
    package mutating func completeIfStored(_ request: SnapshotRequest) throws -> Bool {
        if let run = request.run { try checkCurrent(run) }
        guard let resource = try resource(request.resource), request.isSatisfied(by: resource) else { return false }
        try finishMember(request)
        try update(request.resource) { $0.failure = nil }
        return true
    }

    private mutating func finishMember(_ request: SnapshotRequest) throws {
        guard let run = request.run else { return }
        try putMember(
            ofFilter: run.number, request.resource, MemberRecord(listedInRun: run.run, finishedInRun: run.run))
    }

    /// Stores with a resource that the snapshot of a request could not be fetched.
    ///
    /// - Parameter isLagging: whether the snapshot is older than the position it is compared with. After
    ///   ``attemptsBeforeRollbackCheck`` failures in a row, of which the last came minutes after the one before, the server is
    ///   not expected to reach that position. A position that a local write left is then reset. One of synced content
    ///   counts as a position of the feed, so that the next run finds the server restored.
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError`` or ``EngineError`` when the
    ///   store fails.
    package mutating func setFailure(
        of request: SnapshotRequest, _ kind: SnapshotFailure.Kind, reason: String, isLagging: Bool, now: Int64
    ) throws -> ResourceFailure {
        if let run = request.run { try checkCurrent(run) }
        let before = try record(of: request.resource)
        let failure = try setFailure(of: request.resource, kind, reason: reason, now: now)
        // An early attempt, as a manual sync makes it, says nothing about how long the server has been behind.
        let isEarly = before?.failure.map { ResourceFailure(request.resource, $0).isBackingOff(now: now) } ?? true
        if isLagging, !isEarly, failure.count >= Self.attemptsBeforeRollbackCheck, let before,
            before.applied.timeline == request.timeline
        {
            if before.isLocalOnly {
                try update(request.resource) { $0.applied = ServerPosition(request.timeline, 0) }
            } else {
                try advanceAppliedSequence(to: before.applied.sequence)
            }
        }
        return ResourceFailure(request.resource, failure)
    }

    /// The number of attempts at a snapshot that fail in a row before it is doubted that the server reaches the stored
    /// position.
    package static var attemptsBeforeRollbackCheck: Int64 { 4 }

    /// Hides a resource whose snapshot the server does not have (404).
    ///
    /// - Returns: the number of its rows; nil, with nothing changed, when the stored rows, or those that were evicted,
    ///   are new enough. The response may then be older; if it is not, the change that hides the resource is still to
    ///   come. It is also nil for a request that belongs to no run.
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError`` or ``EngineError`` when the
    ///   store fails.
    package mutating func hideMissing(_ request: SnapshotRequest) throws -> Int64? {
        guard let run = request.run else { return nil }
        try checkCurrent(run)
        let known = try resource(request.resource)
        if let known, known.applied >= request.minimum,
            known.state == .evicted || known.state == .ready && known.syncedAt != nil
        {
            return nil
        }
        try removeMember(ofFilter: run.number, request.resource)
        try withdraw(request.resource, at: run.position(request.changeSequence), as: .hidden)
        // A later change would prove the resource public; its snapshot is then at this path.
        try update(request.resource) { $0.snapshotPath = request.path.text }
        return Int64(known?.rowCount ?? 0)
    }
}

extension SnapshotRequest {
    /// Whether nothing has to be fetched for the request: the snapshot of another filter, with the changes since, is as
    /// new as it requires.
    package func isSatisfied(by known: Resource?) -> Bool {
        guard let known, isNewEnough(known) else { return false }
        guard let run else { return true }
        // After a rejection only the server's snapshot counts, not the stored rows.
        if run.isRejected { return false }
        // Content newer than the bound may date from before a restoration of the server, unless it was fetched during
        // this run.
        return bound == .min || known.applied.sequence <= bound || known.syncedAt.map { $0 >= run.beganAt } == true
    }

    /// Whether the stored rows of the resource are as new as the snapshot has to be.
    fileprivate func isNewEnough(_ known: Resource) -> Bool {
        known.state == .ready && known.generation != nil && known.applied >= minimum
            // A record without it may have been damaged; the snapshot brings its other fields.
            && known.syncedAt != nil
    }
}

/// The resources whose snapshots some changes request, each with the last such change.
package struct SnapshotRequirements: Sendable {
    /// The resources, in the order in which they are first requested.
    package private(set) var resources: [ResourceKey] = []
    private var latest: [ResourceKey: Mutation] = [:]

    /// The requests of `changes`.
    package init(_ changes: [Mutation]) {
        for change in changes {
            let resource = ResourceKey(change.resource.group, change.resource.id)
            if latest.updateValue(change, forKey: resource) == nil { resources.append(resource) }
        }
    }

    /// Whether the request for the snapshot of an evicted resource is only recorded: the rows come back when the
    /// resource is opened or pinned. A bootstrap fetches everything that it names once.
    func skipsFetch(_ record: ResourceRecord, _ member: MemberRecord, _ run: FilterRun) -> Bool {
        guard record.state == .evicted, !record.isPinned else { return false }
        return run.kind == .incremental || member.finishedInRun == run.run
    }

    /// Stores in the record where the snapshot is, and the position that it has to contain at least.
    func setRequirement(_ resource: ResourceKey, _ run: FilterRun, bound: Int64, in record: inout ResourceRecord) throws
    {
        guard let change = latest[resource] else { return }
        record.snapshotPath = try ServerPath.parse(change.snapshotURL ?? "", .snapshot).text
        record.changedAt = change.changedAt ?? record.changedAt
        // Changes up to the bound that a bootstrap does not list are on no later page either.
        record.applied = max(
            record.applied, run.position(run.kind == .bootstrap ? max(bound, change.sequence) : change.sequence))
    }

    /// Returns the sequence of the last change that requests a resource's snapshot; 0 without one.
    func sequence(of resource: ResourceKey) -> Int64 { latest[resource]?.sequence ?? 0 }

    /// Returns the snapshots that have to be fetched.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``SyncError/wire(_:request:)`` for a path that must not be requested; ``StoreError`` or
    ///   ``EngineError`` when the store fails.
    package func requests(
        _ run: FilterRun, bound: Int64, in view: borrowing ReadView, now: Int64
    ) throws -> SnapshotRequests {
        let requests = try resources.compactMap { resource in
            try latest[resource].flatMap { try Self.request(for: $0, resource, run, bound, view) }
        }
        return try SnapshotRequests(requests, run, in: view, now: now)
    }

    /// Returns the request for a change, or nil when the stored rows contain it already.
    private static func request(
        for change: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ bound: Int64, _ view: borrowing ReadView
    ) throws -> SnapshotRequest? {
        let known = try view.resource(resource)
        let applied = known?.applied ?? .zero
        let isDone = try view.member(ofFilter: run.number, resource)?.finishedInRun == run.run
        if run.kind == .bootstrap {
            // This bootstrap finished the resource before it was interrupted, and its position is still exactly the
            // bound.
            if isDone, known?.isReadyOrEvicted == true, applied == run.position(bound) { return nil }
        } else if run.position(change.sequence) <= applied, known?.needsSnapshot == false {
            return nil
        }
        return SnapshotRequest(
            resource: resource, path: try ServerPath.parse(change.snapshotURL ?? "", .snapshot),
            timeline: run.applied.timeline, changeSequence: change.sequence,
            bound: run.kind == .bootstrap ? bound : .min, knownSchema: known?.schemaVersion, run: run,
            changedAt: change.changedAt)
    }
}

extension Resource {
    /// Whether its snapshot is stored, or was stored and then evicted.
    fileprivate var isReadyOrEvicted: Bool { state == .ready || (state == .evicted && !isPinned) }

    /// Whether it needs a snapshot whatever its position: it was swept, or it never had one and its rows are local.
    fileprivate var needsSnapshot: Bool { state == .empty || state == .ready && syncedAt == nil }
}

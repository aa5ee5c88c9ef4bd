package import LarderFormat
package import LarderStore

/// A full copy is older than what it would replace.
package struct LaggingCopy: Error {}

extension Transaction {
    /// Notes whose copy it is that is being swapped in, unless it is older than it may be. The floor is looked at in the
    /// commit that swaps.
    ///
    /// - Throws: ``LaggingCopy``; ``SyncError/superseded``.
    package mutating func accept(
        _ header: FullCopyHeader, _ order: FullCopyOrder, _ record: inout ResourceRecord, now: Int64
    ) throws {
        try checkBeforeSwap(order, record)
        let position = ServerPosition(order.timeline, header.sequence)
        guard position >= order.minimum, position >= record.applied else { throw LaggingCopy() }
        record.applied = position
        record.snapshotPath = order.path.text
        record.schemaVersion = header.schemaVersion
        record.syncedAt = now
        record.changedAt = order.changedAt ?? record.changedAt
        record.failure = nil
        try finishMember(order)
    }

    /// Throws unless the snapshot may be swapped in: its run is current, or the resource that the host requested is not hidden, and a
    /// filter still holds it.
    private func checkBeforeSwap(_ order: FullCopyOrder, _ record: ResourceRecord) throws {
        if let run = order.run { return try check(run) }
        guard record.state != .hidden, try isMember(order.resource), try appliedPosition().timeline == order.timeline
        else {
            throw SyncError.superseded
        }
    }

    /// Whether what is here is as new as `order` asks for, by another filter's doing; its resource then counts as
    /// finished.
    package mutating func settle(_ order: FullCopyOrder) throws -> Bool {
        if let run = order.run { try check(run) }
        guard let resource = try resource(order.resource), order.isSettled(by: resource) else { return false }
        try finishMember(order)
        try update(order.resource) { $0.failure = nil }
        return true
    }

    private mutating func finishMember(_ order: FullCopyOrder) throws {
        guard let run = order.run else { return }
        try putMember(
            ofFilter: run.number, order.resource, MemberRecord(listedInRun: run.run, finishedInRun: run.run))
    }

    /// Notes with a resource that the snapshot which a run ordered could not be had.
    ///
    /// - Parameter isLagging: whether the snapshot is older than the position it is held against. After ``attemptsBeforeDoubt``
    ///   failures in a row, of which the last came minutes after the one before, the server is not expected to get there: the
    ///   position that an own write left gives way, and one of synced content counts as a place of the feed, so that the next
    ///   run finds the server restored.
    package mutating func noteFailure(
        of order: FullCopyOrder, _ kind: SnapshotFailure.Kind, reason: String, isLagging: Bool, now: Int64
    ) throws -> ResourceFailure {
        if let run = order.run { try check(run) }
        let before = try record(of: order.resource)
        let failure = try noteFailure(of: order.resource, kind, reason: reason, now: now)
        // An attempt before its time, as a manual sync makes it, says nothing about how long the server has been behind.
        let isEarly = before?.failure.map { ResourceFailure(order.resource, $0).isHeldBack(now: now) } ?? true
        if isLagging, !isEarly, failure.count >= Self.attemptsBeforeDoubt, let before,
            before.applied.timeline == order.timeline
        {
            if before.isMadeHere {
                try update(order.resource) { $0.applied = ServerPosition(order.timeline, 0) }
            } else {
                try noteApplied(before.applied.sequence)
            }
        }
        return ResourceFailure(order.resource, failure)
    }

    /// The attempts at a snapshot that fail in a row before it is doubted that the server ever gets to what is here.
    package static var attemptsBeforeDoubt: Int64 { 4 }

    /// Hides a resource whose full copy the server does not have (404).
    ///
    /// - Returns: false, with nothing changed, when what is here, or was before it was evicted, is new enough: the answer may
    ///   be older, and if it is not, the change that hides it is still to come. So it is for a copy that belongs to no run.
    package mutating func hideMissing(_ order: FullCopyOrder) throws -> Bool {
        guard let run = order.run else { return false }
        try check(run)
        if let known = try resource(order.resource), known.applied >= order.minimum,
            known.state == .evicted || known.state == .ready && known.syncedAt != nil
        {
            return false
        }
        try removeMember(ofFilter: run.number, order.resource)
        try withdraw(order.resource, at: run.position(order.changeSequence), as: .hidden)
        // A later change would prove it public; this is where its snapshot is then.
        try update(order.resource) { $0.snapshotPath = order.path.text }
        return true
    }
}

extension FullCopyOrder {
    /// Whether nothing has to be fetched for it any more, or never had to: another filter's copy, and the changes since,
    /// are as new as it asks for.
    package func isSettled(by known: Resource?) -> Bool {
        guard let known, isNewEnough(known) else { return false }
        guard let run else { return true }
        // After a rejection the server's word counts, not what is here.
        if run.isRejected { return false }
        // Content newer than the bound may date from before a restoration of the server, unless it was fetched during this run.
        return bound == .min || known.applied.sequence <= bound || known.syncedAt.map { $0 >= run.beganAt } == true
    }

    /// Whether what is here of the resource is as new as the copy has to be.
    fileprivate func isNewEnough(_ known: Resource) -> Bool {
        known.state == .ready && known.generation != nil && known.applied >= minimum
            // What else a damaged record said comes with the snapshot.
            && known.syncedAt != nil
    }
}

/// The resources whose full copies some changes ask for, each with the last change that does.
package struct CopyRequests: Sendable {
    /// In the order in which they are first asked for.
    package private(set) var resources: [ResourceKey] = []
    private var latest: [ResourceKey: Mutation] = [:]

    /// What `changes` ask for.
    package init(_ changes: [Mutation]) {
        for change in changes {
            let resource = ResourceKey(change.resource.group, change.resource.id)
            if latest.updateValue(change, forKey: resource) == nil { resources.append(resource) }
        }
    }

    /// Whether a change that asks for the full copy of an evicted resource is only noted: the rows come back when
    /// somebody opens or pins it. A bootstrap brings in everything that it names once.
    func isOnlyNoted(_ record: ResourceRecord, _ member: MemberRecord, _ run: FilterRun) -> Bool {
        guard record.state == .evicted, !record.isPinned else { return false }
        return run.kind == .incremental || member.finishedInRun == run.run
    }

    /// Notes it: where the copy is, and what it has to contain at least.
    func note(_ resource: ResourceKey, _ run: FilterRun, bound: Int64, in record: inout ResourceRecord) throws {
        guard let change = latest[resource] else { return }
        record.snapshotPath = try ServerPath.of(change.snapshotURL ?? "", .fullCopy).text
        record.changedAt = change.changedAt ?? record.changedAt
        // What a bootstrap does not list is in no later page either, up to its bound.
        record.applied = max(
            record.applied, run.position(run.kind == .bootstrap ? max(bound, change.sequence) : change.sequence))
    }

    /// The sequence of the last change that asks for a resource's copy.
    func sequence(of resource: ResourceKey) -> Int64 { latest[resource]?.sequence ?? 0 }

    /// What has to be fetched of them.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    package func orders(
        _ run: FilterRun, bound: Int64, in view: borrowing ReadView, now: Int64
    ) throws -> SnapshotOrders {
        let orders = try resources.compactMap { resource in
            try latest[resource].flatMap { try Self.order(for: $0, resource, run, bound, view) }
        }
        return try SnapshotOrders(orders, run, in: view, now: now)
    }

    /// What to fetch for a change, or nil when the rows here contain it already.
    private static func order(
        for change: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ bound: Int64, _ view: borrowing ReadView
    ) throws -> FullCopyOrder? {
        let known = try view.resource(resource)
        let applied = known?.applied ?? .zero
        let isDone = try view.member(ofFilter: run.number, resource)?.finishedInRun == run.run
        if run.kind == .bootstrap {
            // Finished by this bootstrap before it was interrupted, and still as new as it has to be, and not newer.
            if isDone, known?.isSettled == true, applied == run.position(bound) { return nil }
        } else if run.position(change.sequence) <= applied, known?.needsCopy == false {
            return nil
        }
        return FullCopyOrder(
            resource: resource, path: try ServerPath.of(change.snapshotURL ?? "", .fullCopy),
            timeline: run.applied.timeline, changeSequence: change.sequence,
            bound: run.kind == .bootstrap ? bound : .min, knownSchema: known?.schemaVersion, run: run,
            changedAt: change.changedAt)
    }
}

extension Resource {
    /// Whether its copy is here, or was and gave way to others.
    fileprivate var isSettled: Bool { state == .ready || (state == .evicted && !isPinned) }

    /// Whether it needs a copy, however new it is: it was swept, or none ever came and there are rows made here only.
    fileprivate var needsCopy: Bool { state == .empty || state == .ready && syncedAt == nil }
}

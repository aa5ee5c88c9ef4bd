internal import LarderFormat
package import LarderStore

/// The results of applying some changes.
package struct AppliedMutations: Sendable {
    var rowsChanged = 0
    /// The rows of the resources that were hidden.
    var hiddenRows: Int64 = 0
    var events: [SyncEvent] = []
    /// The resources that the changes have proven public although they are not stored.
    var unstored = UnstoredResources()
}

extension Transaction {
    /// Applies changes that need no snapshot, in their order. Changes at or below the applied sequence of their
    /// resource do nothing, except for the filter's own membership.
    ///
    /// - Throws: ``SyncError/superseded`` when the run is no longer current; ``StoreError`` or ``EngineError`` when the
    ///   store fails.
    package mutating func apply(_ mutations: [Mutation], _ run: FilterRun) throws -> AppliedMutations {
        try checkCurrent(run)
        var applied = AppliedMutations()
        var rest = mutations[...]
        while let mutation = rest.first {
            let resource = mutation.resourceKey
            if mutation.type.isRow {
                let series = rest.prefix { $0.type.isRow && $0.resourceKey == resource }
                try applyRows(series, resource, run, &applied)
                try addMember(resource, run)
                rest = rest.dropFirst(series.count)
                continue
            }
            rest.removeFirst()
            switch mutation.type {
            case .resourceDelete:
                try applyDelete(mutation, resource, run, &applied)
            case .resourceUpdate:
                try applyUpdate(mutation, resource, run, &applied)
                try addMember(resource, run)
            default:
                applied.events.append(.unknownMutation(type: mutation.type.rawValue, resource))
            }
        }
        return applied
    }

    /// Applies row changes of one resource, whose record is read before the first and changed once, after the last.
    private mutating func applyRows(
        _ series: ArraySlice<Mutation>, _ resource: ResourceKey, _ run: FilterRun, _ applied: inout AppliedMutations
    ) throws {
        let record = try record(of: resource) ?? ResourceRecord()
        let isMissing = try isMissing(record, resource, run)
        let isStored = record.state == .ready && record.liveGeneration != nil
        var position = record.applied
        for mutation in series where run.position(mutation.sequence) > position {
            if !isStored { applied.events.append(.notStored(resource)) }
            if isMissing {
                // The applied sequence stays: if it were raised, a run that is interrupted now would find no proof when
                // it is repeated.
                applied.unstored.add(resource, mutation)
                continue
            }
            // Row changes of a resource that is not stored are dropped: its snapshot will contain them.
            if isStored {
                try applyRow(mutation, resource)
                applied.rowsChanged += 1
            }
            position = run.position(mutation.sequence)
        }
        guard position > record.applied else { return }
        try update(resource) { $0.applied = position }
        try advanceAppliedSequence(to: position.sequence)
    }

    private mutating func applyRow(_ mutation: Mutation, _ resource: ResourceKey) throws {
        guard let type = mutation.recordType, let key = mutation.recordKey else {
            preconditionFailure("a decoded row change has a key")
        }
        let row = RowKey(resource: resource, type: type, key: key)
        if let data = mutation.data, mutation.type != .rowDelete {
            try put(data, at: row, updatedAt: mutation.changedAt ?? 0)
        } else {
            try removeRow(at: row)
        }
    }

    /// Whether the resource is not stored although the server has it, so that its snapshot has to be requested.
    ///
    /// The server logs changes of public resources only. A change above the applied sequence therefore proves that
    /// hiding the resource was wrong, or older than its publication. The same holds where the filter dropped the
    /// resource after a 404, and another filter swept it since.
    private borrowing func isMissing(_ record: ResourceRecord, _ resource: ResourceKey, _ run: FilterRun) throws -> Bool
    {
        guard record.snapshotPath != nil else { return false }
        switch record.state {
        case .hidden: return true
        case .empty: return try member(ofFilter: run.number, resource) == nil
        case .ready, .evicted: return false
        }
    }

    /// Lists a resource that another filter has fetched since this one received a 404 for it. A change proves it
    /// public, and no snapshot is needed. For evicted rows none is needed either: they are fetched when the resource is
    /// opened.
    private mutating func addMember(_ resource: ResourceKey, _ run: FilterRun) throws {
        guard try member(ofFilter: run.number, resource) == nil, let state = try record(of: resource)?.state,
            state == .ready || state == .evicted
        else { return }
        try putMember(ofFilter: run.number, resource, MemberRecord(listedInRun: run.run, finishedInRun: run.run))
    }

    private mutating func applyDelete(
        _ mutation: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ applied: inout AppliedMutations
    ) throws {
        let record = try record(of: resource)
        let isKnown = record.map { run.position(mutation.sequence) <= $0.applied } ?? false
        // The resource is shown although it was deleted: its later creation is already applied, and this run has yet to
        // reach it. Without the membership, no filter would hold it if the run ended in between.
        if isKnown, record?.state == .ready { return }
        try removeMember(ofFilter: run.number, resource)
        if isKnown { return }
        try withdraw(resource, at: run.position(mutation.sequence), as: .hidden)
        try advanceAppliedSequence(to: mutation.sequence)
        applied.hiddenRows.addClamped(record?.rowCount ?? 0)
        applied.events.append(.hidden(resource))
    }

    private mutating func applyUpdate(
        _ mutation: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ applied: inout AppliedMutations
    ) throws {
        guard let record = try record(of: resource), run.position(mutation.sequence) > record.applied else { return }
        if try isMissing(record, resource, run) { applied.unstored.add(resource, mutation) }
        try update(resource) { $0.changedAt = mutation.changedAt ?? $0.changedAt }
    }

    /// Lists resources as members, because changes request their snapshots.
    ///
    /// - Parameter bound: the sequence up to which the run goes.
    /// - Throws: ``SyncError/superseded`` when the run is no longer current, ``SyncError/wire(_:request:)`` for a path
    ///   that must not be requested; ``StoreError`` or ``EngineError`` when the store fails.
    package mutating func listMembers(_ requirements: SnapshotRequirements, _ run: FilterRun, bound: Int64) throws {
        try checkCurrent(run)
        try advanceAppliedSequence(to: bound)
        for resource in requirements.resources {
            let known = try record(of: resource)
            // The change that hid it is later than this one, and may already be applied: a response can be old.
            if run.kind == .incremental, let known, known.state == .hidden,
                run.position(requirements.sequence(of: resource)) <= known.applied
            {
                continue
            }
            var member = try member(ofFilter: run.number, resource) ?? MemberRecord(listedInRun: run.run)
            member.listedInRun = run.run
            try putMember(ofFilter: run.number, resource, member)
            if var updated = known, requirements.skipsFetch(updated, member, run),
                run.position(requirements.sequence(of: resource)) > updated.applied || run.kind == .bootstrap
            {
                try requirements.setRequirement(resource, run, bound: bound, in: &updated)
                try update(resource) { [updated] in $0 = updated }
            }
            // Every member has a record, so that its state can be reported.
            if known == nil { try update(resource) { _ in } }
        }
    }
}

extension Mutation {
    fileprivate var resourceKey: ResourceKey { ResourceKey(resource.group, resource.id) }
}

internal import LarderFormat
package import LarderStore

/// What applying some changes did.
package struct Applied: Sendable {
    var rowsChanged = 0
    var events: [SyncEvent] = []
    /// Hidden resources that are public after all.
    var proofs = PublicProofs()
}

extension Transaction {
    /// Applies changes that need no full copy, in their order. Those at or below the floor of their resource do nothing,
    /// but for the filter's own membership.
    package mutating func apply(_ mutations: [Mutation], _ run: FilterRun) throws -> Applied {
        try check(run)
        var applied = Applied()
        for mutation in mutations {
            let resource = ResourceKey(mutation.resource.group, mutation.resource.id)
            switch mutation.type {
            case .rowCreate, .rowUpdate, .rowDelete:
                try applyRow(mutation, resource, run, &applied)
                try addMember(resource, run)
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

    private mutating func applyRow(
        _ mutation: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ applied: inout Applied
    ) throws {
        guard let type = mutation.recordType, let key = mutation.recordKey else {
            preconditionFailure("a decoded row change has a key")
        }
        let record = try record(of: resource) ?? ResourceRecord()
        guard run.position(mutation.sequence) > record.applied else { return }
        if try isMissing(record, resource, run) {
            // The floor stays: were it raised here, a run that dies now would find no proof when it is repeated.
            applied.proofs.note(resource, mutation)
            return applied.events.append(.notStored(resource))
        }
        // Rows of a resource that is not here are noted and not stored: its full copy will have them.
        if record.state == .ready, record.liveGeneration != nil {
            let row = RowKey(resource: resource, type: type, key: key)
            if let data = mutation.data, mutation.type != .rowDelete {
                try put(data, at: row, updatedAt: mutation.changedAt ?? 0)
            } else {
                try removeRow(at: row)
            }
            applied.rowsChanged += 1
        } else {
            applied.events.append(.notStored(resource))
        }
        try update(resource) { $0.applied = run.position(mutation.sequence) }
        try noteApplied(mutation.sequence)
    }

    /// Whether the resource is not here although the server has it, so that its snapshot is to be asked for.
    ///
    /// The server logs changes of public resources only: a change above the floor proves that one which hid it was wrong, or is
    /// older than its publication. So it does where the filter gave the resource up at a 404, and another one swept it since.
    private borrowing func isMissing(_ record: ResourceRecord, _ resource: ResourceKey, _ run: FilterRun) throws -> Bool
    {
        guard record.snapshotPath != nil else { return false }
        switch record.state {
        case .hidden: return true
        case .empty: return try member(ofFilter: run.number, resource) == nil
        case .ready, .evicted: return false
        }
    }

    /// Lists a resource that another filter has brought since this one was answered 404 for it: a change proves it public,
    /// and no snapshot is needed. Nor is it where the rows were evicted: it is fetched when it is opened.
    private mutating func addMember(_ resource: ResourceKey, _ run: FilterRun) throws {
        guard try member(ofFilter: run.number, resource) == nil, let state = try record(of: resource)?.state,
            state == .ready || state == .evicted
        else { return }
        try putMember(ofFilter: run.number, resource, MemberRecord(listedInRun: run.run, finishedInRun: run.run))
    }

    private mutating func applyDelete(
        _ mutation: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ applied: inout Applied
    ) throws {
        let record = try record(of: resource)
        let isKnown = record.map { run.position(mutation.sequence) <= $0.applied } ?? false
        // Shown although it was deleted: its creation since is here already, and this run has yet to come to it. A member
        // let go now would be nobody's if the run died in between.
        if isKnown, record?.state == .ready { return }
        try removeMember(ofFilter: run.number, resource)
        if isKnown { return }
        try withdraw(resource, at: run.position(mutation.sequence), as: .hidden)
        try noteApplied(mutation.sequence)
        applied.events.append(.hidden(resource))
    }

    private mutating func applyUpdate(
        _ mutation: Mutation, _ resource: ResourceKey, _ run: FilterRun, _ applied: inout Applied
    ) throws {
        guard let record = try record(of: resource), run.position(mutation.sequence) > record.applied else { return }
        if try isMissing(record, resource, run) { applied.proofs.note(resource, mutation) }
        try update(resource) { $0.changedAt = mutation.changedAt ?? $0.changedAt }
    }

    /// Lists resources as members, on account of changes that ask for their full copies.
    ///
    /// - Parameter bound: the sequence up to which the run goes.
    package mutating func list(_ requests: CopyRequests, _ run: FilterRun, bound: Int64) throws {
        try check(run)
        try noteApplied(bound)
        for resource in requests.resources {
            let known = try record(of: resource)
            // What hid it came later than this, and may have come already: an answer can be an old one.
            if run.kind == .incremental, let known, known.state == .hidden,
                run.position(requests.sequence(of: resource)) <= known.applied
            {
                continue
            }
            var member = try member(ofFilter: run.number, resource) ?? MemberRecord(listedInRun: run.run)
            member.listedInRun = run.run
            try putMember(ofFilter: run.number, resource, member)
            if var noted = known, requests.isOnlyNoted(noted, member, run),
                run.position(requests.sequence(of: resource)) > noted.applied || run.kind == .bootstrap
            {
                try requests.note(resource, run, bound: bound, in: &noted)
                try update(resource) { [noted] in $0 = noted }
            }
            // Every member has a record, so that its state can be told.
            if known == nil { try update(resource) { _ in } }
        }
    }
}

// Checker: compares the store with the server's history after every commit.

internal import LarderFormat
internal import LarderStore

/// Looks at the store after every commit, and compares it with what the server ever was.
struct Checker {
    /// The store after the last commit.
    private(set) var state = StoreState()
    /// The server's era that a resource's rows came from, and the resources into which rows of two eras came: a run that
    /// was under way when the server was restored cannot detect it. The next run of its filter is a bootstrap, which
    /// corrects it.
    private var timelines: [ResourceKey: Int] = [:]
    private var mixed: Set<ResourceKey> = []
    /// The snapshots that this process is writing, with the times in milliseconds when they began.
    private var staging: [ResourceKey: Int64] = [:]
    private static let turn: Int64 = 20_000
    private var looks = 0
    private var hiddenByLag: Set<ResourceKey> = []
    /// Up to which change each filter's bootstraps have passed over what they found hidden so: they list a resource as it
    /// was created, and no change between that and their end.
    private var passedOver: [String: [ResourceKey: Int64]] = [:]

    /// Looks at the store after a commit. What the commit did follows from what it changed, and from what the server has
    /// answered.
    ///
    /// - Parameters:
    ///   - hiddenByLag: public resources that a replica which stays behind had no snapshot of.
    ///   - removed: the filter that the commit has removed.
    ///   - evicted: the resource whose rows it has dropped.
    ///   - now: the virtual time in milliseconds.
    mutating func checkCommit(
        at store: Store, _ answered: ServerResponses, _ server: ModelServer, hiddenByLag: Set<ResourceKey>,
        removed: String?,
        evicted: ResourceKey?, now: Int64
    ) throws {
        looks += 1
        self.hiddenByLag = hiddenByLag
        let old = state
        // Rows under an unchanged record are read again now and then.
        do {
            state = try StoreState(store, rowsFrom: looks % 32 == 0 ? nil : old)
        } catch {
            throw Violation(.store, "\(error)")
        }
        for text in old.filters.keys.sorted() where state.filters[text] == nil && text != removed {
            throw Violation(.tokenBehindRows, "the record of \(text) is gone")
        }
        record(answered, server, since: old)
        try checkStaging(since: old, at: now)
        try checkRows(since: old, server)
        try checkAppliedSequences(since: old)
        try checkVisibility(since: old, answered, server, evicted)
        try checkTokens(since: old, answered, server)
    }

    /// Notes of which era the rows of each changed resource are.
    private mutating func record(_ answered: ServerResponses, _ server: ModelServer, since old: StoreState) {
        for (key, resource) in state.resources where old.resources[key] != resource {
            let before = old.resources[key]
            if resource.state == .ready, resource.generation != before?.generation {
                timelines[key] = answered.copies[key]?.timeline ?? server.timeline
                mixed.remove(key)
            } else if resource.appliedSequence != before?.appliedSequence,
                answered.isOfOtherTimeline(key, than: timelines[key])
            {
                mixed.insert(key)
            }
            // What nobody brings from the server any more is changed by an accepted write alone.
            if state.rows[key] != old.rows[key], !state.isMember(key) { mixed.insert(key) }
        }
    }

    /// A process begins with nothing being written; what a dead one left behind goes by and by.
    mutating func reset() { staging = [:] }

    /// A snapshot has the slot for a turn, before another begins.
    private mutating func checkStaging(since old: StoreState, at now: Int64) throws {
        for (key, resource) in state.resources
        where resource.stagingGeneration != old.resources[key]?.stagingGeneration {
            staging[key] = nil
            if resource.stagingGeneration == nil { continue }
            if let other = staging.first(where: { now - $0.value < Self.turn })?.key {
                throw Violation(.staging, "\(key) begins to be written in the turn of \(other)")
            }
            staging[key] = now
        }
    }

    /// The visible rows of a resource are the server's rows at the applied sequence.
    private func checkRows(since old: StoreState, _ server: ModelServer) throws {
        for (key, rows) in state.rows {
            guard let resource = state.resources[key] else { continue }
            if old.resources[key] == resource, old.rows[key] == rows { continue }
            let id = ModelServer.ResourceID(key)
            if resource.generation == nil || resource.generation == resource.stagingGeneration {
                throw Violation(.staging, "\(key) shows a generation that is being written")
            }
            if mixed.contains(key) {
                for (row, payload) in rows
                where !server.wasEver(payload, at: row, of: id) && !payload.contains("\"note\":") {
                    throw Violation(.wholeGeneration, "\(key) \(row) shows what the server never had: \(payload)")
                }
            } else if !server.wasState(rows, of: id, at: resource.appliedSequence) {
                throw Violation(
                    .wholeGeneration,
                    "\(key) at applied sequence \(resource.appliedSequence) shows "
                        + "\(rows.map { "\($0.key): \($0.value)" }.sorted())")
            }
        }
    }

    /// Never lower, whatever the server has become.
    private func checkAppliedSequences(since old: StoreState) throws {
        for (key, before) in old.resources {
            guard let after = state.resources[key] else {
                throw Violation(.appliedSequencesRise, "the record of \(key) is gone")
            }
            if after.applied < before.applied {
                throw Violation(.appliedSequencesRise, "\(key) falls from \(before.applied) to \(after.applied)")
            }
        }
    }

    /// What was visible stays so, unless the server withdrew it, the host dropped it or nobody holds it.
    private func checkVisibility(
        since old: StoreState, _ answered: ServerResponses, _ server: ModelServer, _ evicted: ResourceKey?
    ) throws {
        let isSwept = old.filters.contains { text, before in
            state.filters[text].map { $0.tokenUpdatedAt != before.tokenUpdatedAt || $0.token != before.token } ?? true
        }
        for (key, before) in old.resources where before.state == .ready && state.resources[key]?.state != .ready {
            if key == evicted || (isSwept && !state.isMember(key)) { continue }
            if answered.copies[key]?.isMissing == true { continue }
            let appliedSequence = state.resources[key]?.appliedSequence ?? 0
            if appliedSequence == before.appliedSequence { throw Violation(.sharedResources, "\(key) vanishes") }
            if answered.isOfOtherTimeline(key, than: server.timeline) { continue }
            if !server.wasState(nil, of: ModelServer.ResourceID(key), at: appliedSequence) {
                throw Violation(.wholeGeneration, "\(key) is hidden at \(appliedSequence), where it was public")
            }
        }
    }

    /// A token goes with its filter, or for a bootstrap; the next one is that of the last page, at the end of its run.
    private mutating func checkTokens(since old: StoreState, _ answered: ServerResponses, _ server: ModelServer) throws
    {
        for (text, filter) in state.filters {
            let before = old.filters[text]
            guard let token = filter.token else {
                guard let before, before.token != nil else { continue }
                if !filter.isBootstrapping {
                    throw Violation(.tokenBehindRows, "the token of \(text) is gone, and no bootstrap is begun")
                }
                // Rows of an earlier timeline say nothing of the present one.
                if filter.timeline == before.timeline, !answered.rejected.contains(text) {
                    throw Violation(.tokenBehindRows, "the token of \(text) is gone, and the server did not reject it")
                }
                continue
            }
            guard token != before?.token || filter.tokenUpdatedAt != before?.tokenUpdatedAt else { continue }
            guard token == answered.pages[text]?.token else {
                throw Violation(.tokenBehindRows, "the token of \(text) is not that of its last page")
            }
            try checkFinished(filter, token, wasBootstrap: before?.isBootstrapping == true, server)
        }
    }

    /// Everything that a token stands for is here.
    private mutating func checkFinished(
        _ filter: FilterState, _ token: String, wasBootstrap: Bool, _ server: ModelServer
    ) throws {
        let text = filter.filter
        guard ModelTicket.timeline(ofToken: token) == server.timeline,
            let sequence = ModelTicket.sequence(ofToken: token),
            let scope = ModelFilter(text)
        else { return }
        if wasBootstrap {
            for key in hiddenByLag where state.resources[key]?.state == .hidden {
                passedOver[text, default: [:]][key] = sequence
            }
        }
        for resource in server.resources where scope.covers(resource.id) {
            try check(resource, isCoveredBy: filter, at: sequence)
        }
    }

    private func check(_ resource: ModelServer.Resource, isCoveredBy filter: FilterState, at sequence: Int64) throws {
        let key = ResourceKey(resource.id.group, resource.id.id)
        let known = state.resources[key]
        // Later changes may be applied already.
        let position = { ServerPosition(filter.timeline, $0) }
        if let known, known.applied > position(sequence) { return }
        let version = resource.versions.last { $0.sequence <= sequence }
        guard let version, version.content != nil else {
            // Another filter may still show it; and a run that failed may have listed it because of later changes.
            let isBackLater = resource.versions.contains { $0.sequence > sequence && $0.content != nil }
            if known?.state == .ready, filter.members.contains(key), !isBackLater {
                throw Violation(
                    .tokenBehindRows, "\(filter.filter) at \(sequence) holds \(key), which was not public then")
            }
            return
        }
        let isHere = known?.state == .ready || known?.state == .evicted
        if isHere, let known, known.applied >= position(version.sequence) { return }
        // Nothing has changed since it was not to be had: a change proves it public.
        if known?.state == .hidden, let known, hiddenByLag.contains(key) {
            if max(known.appliedSequence, passedOver[filter.filter]?[key] ?? 0) >= version.sequence { return }
        }
        // Withdrawn since, which the answer to a snapshot request has reported already.
        if resource.versions.contains(where: { $0.sequence > sequence && $0.content == nil }) { return }
        throw Violation(
            .tokenBehindRows,
            "\(filter.filter) at \(sequence): \(key) is \(known.map { "\($0.state)" } ?? "unknown") at "
                + "\(known?.appliedSequence ?? 0), its last change is \(version.sequence)")
    }
}

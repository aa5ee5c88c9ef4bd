internal import LarderFormat
internal import LarderStore

/// Looks at the store after every commit, and compares it with what the server ever was.
struct Checker {
    /// The store after the last commit.
    private(set) var state = StoreState()
    /// The server's era that a resource's rows came from, and the resources into which rows of two eras came: a run that
    /// was under way when the server was restored cannot tell. The next run of its filter is a bootstrap, which mends it.
    private var eras: [ResourceKey: Int] = [:]
    private var mixed: Set<ResourceKey> = []
    private var looks = 0
    private var hiddenByLag: Set<ResourceKey> = []
    /// Up to which change each filter's bootstraps have passed over what they found hidden so: they list a resource as it
    /// was created, and no change between that and their end.
    private var passedOver: [String: [ResourceKey: Int64]] = [:]

    /// Looks at the store after a commit.
    ///
    /// - Parameter hiddenByLag: public resources that a replica which stays behind had no full copy of.
    mutating func look(
        at store: Store, after step: StoreStep, _ server: ModelServer, hiddenByLag: Set<ResourceKey>
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
        note(step, old)
        try checkRows(since: old, server)
        try checkFloors(since: old)
        try checkVisibility(since: old, after: step, server)
        try checkTokens(since: old, after: step, server)
    }

    private mutating func note(_ step: StoreStep, _ old: StoreState) {
        switch step {
        case .swapped(_, let resource, let era):
            eras[resource] = era
            mixed.remove(resource)
        case .applied(_, let resources, let era):
            for resource in resources
            where eras[resource] != era && state.resources[resource]?.floor != old.resources[resource]?.floor {
                mixed.insert(resource)
            }
        case .wrote:
            // What nobody brings from the server any more is changed here alone.
            for (key, rows) in state.rows where rows != old.rows[key] && !state.isMember(key) { mixed.insert(key) }
        default: break
        }
    }

    /// What is visible of a resource is what the server had at its floor.
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
            } else if !server.wasState(rows, of: id, at: resource.floor) {
                throw Violation(
                    .wholeGeneration,
                    "\(key) at floor \(resource.floor) shows "
                        + "\(rows.map { "\($0.key): \($0.value)" }.sorted())")
            }
        }
    }

    /// Never lower, whatever the server has become.
    private func checkFloors(since old: StoreState) throws {
        for (key, before) in old.resources {
            guard let after = state.resources[key] else {
                throw Violation(.floorsRise, "the record of \(key) is gone")
            }
            if after.applied < before.applied {
                throw Violation(.floorsRise, "\(key) falls from \(before.applied) to \(after.applied)")
            }
        }
    }

    /// What was visible stays so, unless the server withdrew it or nobody holds it.
    private func checkVisibility(since old: StoreState, after step: StoreStep, _ server: ModelServer) throws {
        for (key, before) in old.resources where before.state == .ready && state.resources[key]?.state != .ready {
            switch step {
            case .finished, .removed:
                if state.isMember(key) { throw Violation(.sharedResources, "\(key) is swept and still held") }
            case .applied(_, let resources, let era) where resources.contains(key):
                let floor = state.resources[key]?.floor ?? 0
                if era == server.era, !server.wasState(nil, of: ModelServer.ResourceID(key), at: floor) {
                    throw Violation(.wholeGeneration, "\(key) is hidden at \(floor), where it was public")
                }
            case .missing(_, key, _): break
            default: throw Violation(.sharedResources, "\(key) vanishes")
            }
        }
    }

    private func isBegunAnew(_ text: String) -> Bool {
        state.filters[text]?.token == nil && state.filters[text]?.isBootstrapping == true
    }

    private mutating func checkTokens(since old: StoreState, after step: StoreStep, _ server: ModelServer) throws {
        for (text, before) in old.filters where state.filters[text]?.token != before.token {
            switch step {
            case .finished(text, _), .rejected(text), .removed(text): break
            // It was of an older timeline.
            case .began(text) where isBegunAnew(text): break
            default: throw Violation(.tokenBehindRows, "the token of \(text) changes outside the end of a run")
            }
        }
        guard case .finished(let text, let token) = step, let filter = state.filters[text] else { return }
        guard filter.token == token else { throw Violation(.tokenBehindRows, "another token is stored for \(text)") }
        guard ModelTicket.era(ofToken: token) == server.era, let sequence = ModelTicket.sequence(ofToken: token),
            let scope = ModelFilter(text)
        else { return }
        if old.filters[text]?.isBootstrapping == true {
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
        // Later news may be here already.
        let position = { ServerPosition(filter.timeline, $0) }
        if let known, known.applied > position(sequence) { return }
        let version = resource.versions.last { $0.sequence <= sequence }
        guard let version, version.content != nil else {
            // Another filter may still show it; and a run that failed may have listed it on account of later news.
            let isBackLater = resource.versions.contains { $0.sequence > sequence && $0.content != nil }
            if known?.state == .ready, filter.members.contains(key), !isBackLater {
                throw Violation(
                    .tokenBehindRows, "\(filter.filter) at \(sequence) holds \(key), which was not public then")
            }
            return
        }
        if known?.state == .ready, let known, known.applied >= position(version.sequence) { return }
        // Nothing has changed since it was not to be had: a change proves it public.
        if known?.state == .hidden, let known, hiddenByLag.contains(key) {
            if max(known.floor, passedOver[filter.filter]?[key] ?? 0) >= version.sequence { return }
        }
        // Withdrawn since, which a copy that was asked for told already.
        if resource.versions.contains(where: { $0.sequence > sequence && $0.content == nil }) { return }
        throw Violation(
            .tokenBehindRows,
            "\(filter.filter) at \(sequence): \(key) is \(known.map { "\($0.state)" } ?? "unknown") at "
                + "\(known?.floor ?? 0), its last change is \(version.sequence)")
    }
}

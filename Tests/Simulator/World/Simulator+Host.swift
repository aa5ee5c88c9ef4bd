internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

extension Simulator {
    /// Lets something happen around the client.
    func perform(_ act: HostAct) throws {
        switch act {
        case .mutate(let seed): mutate(seed)
        case .breakCopy(let group, let id, let status): server.broken[ModelServer.ResourceID(group, id)] = status
        case .mendCopies: server.broken = [:]
        case .network(let state): try change(to: state)
        case .portal(let isOn): hasPortal = isOn
        case .power(let state):
            power = state
            try tell(.power(state))
        case .forcedOffline(let isForced):
            isForcedOffline = isForced
            try tell(.forcedOffline(isForced))
        case .foreground:
            try trigger(.launch)
            try tellWriters(.foreground)
        case .push(let filter): try trigger(.push(filter))
        case .open(let group, let id): try trigger(.opened(ResourceKey(group, id)))
        case .manual(let filter): try trigger(.manual(filter))
        case .signedIn: try trigger(.signedIn)
        case .add(let filter, let priority): try add(filter, priority)
        case .remove(let filter): try remove(filter)
        case .die(let perPage):
            self.perPage = perPage
            try die(relaunchAfter: Int64(delays.below(3_000)))
        case .restart:
            isStopping = coordinator != nil
            try tell(.stop)
            if isStopping { try tellWriters(.stop) }
        case .setClock(let jump):
            wallOffset += jump
            // A process that begins now dates what is stored by another clock.
            writers.askedUntil = nil
        case .write(let seed): try write(seed)
        case .expire: desk.areCredentialsStale = true
        case .retryWrites:
            writers.askedUntil = nil
            try tellWriters(.reviveAll)
        case .outage(let seconds, let says): desk.outage = WriteDesk.Outage(end: now + seconds * 1000, says: says)
        case .strayTimer:
            // The coordinator believes that its timer is gone: the one that was set goes with it.
            agenda.remove { $0 == .timer }
            try tell(.timer)
        }
    }

    func change(to state: NetworkState) throws {
        link = state
        linkNumber += 1
        try tell(.network(state))
        try tellWriters(.network(isUsable: state.level != .offline))
    }

    func trigger(_ trigger: SyncTrigger) throws {
        guard let coordinator else { return }
        watch.note(trigger, coordinator: coordinator, wanted: wanted.map(\.filter), isStopping: isStopping)
        let isRefused = canRun == false && !isStopping
        let refusedBefore = watch.refusals
        try tell(.trigger(trigger))
        if case .manual(let filter) = trigger, isRefused {
            let asked = wanted.count { entry in
                let text = entry.filter.description
                // A run under way is the answer, unless it is being ended.
                let isAnswered = (run(of: text) != nil || watch.isEnding(text)) && !watch.isBeingEnded(text)
                return (filter == nil || entry.filter == filter) && !isAnswered
            }
            if watch.refusals - refusedBefore != asked {
                throw Violation(
                    .conditions,
                    "\(asked) filters were asked for without a network, "
                        + "\(watch.refusals - refusedBefore) were refused")
            }
        }
    }

    private func add(_ filter: ResourceFilter, _ priority: SyncPriority) throws {
        if server.era > 0 || wanted.contains(where: { $0.filter == filter }) { return }
        wanted.append((filter, priority))
        guard store != nil else { return }
        // What is still to be removed goes first, as the host that removes and adds a filter waits for the one.
        if agenda.count(of: .removal) > 0 {
            agenda.remove { $0 == .removal }
            try removeUnwanted(but: filter.description)
        }
        try take(filter, priority)
    }

    private func removeUnwanted(but kept: String) throws {
        guard let store else { return }
        let known = try working { try store.read { view in try view.filters() } }.map(\.filter)
        for text in known where text == kept || !wanted.contains(where: { $0.filter.description == text }) {
            try removeFromStore(text)
        }
    }

    private func remove(_ filter: ResourceFilter) throws {
        let text = filter.description
        guard wanted.count > 1, server.era == 0, let index = wanted.firstIndex(where: { $0.filter == filter }) else {
            return
        }
        wanted.remove(at: index)
        watch.isRemoved(text)
        try tell(.removed(text))
        if store != nil {
            agenda.add(
                at: now + delay(), .removal, "remove \(text)", .other { [unowned self] in try removeFromStore(text) })
        }
    }

    func run(of text: String) -> SimulatedRun? { runs.values.first { $0.text == text } }

    /// Whether anything at all may be run, as far as the host can see.
    var canRun: Bool { link.level != .offline && !isForcedOffline && !watch.knowsPortal }

    /// Whether anything may be run that is wanted, whatever its priority.
    var canRunAll: Bool { canRun && link.level == .online && power == .normal }
}

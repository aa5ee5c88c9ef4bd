// Simulator+Host: performs the acts of the host.

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
        case .failSnapshot(let group, let id, let status): server.broken[ModelServer.ResourceID(group, id)] = status
        case .restoreSnapshots: server.broken = [:]
        case .network(let state): try change(to: state)
        case .portal(let isOn): hasPortal = isOn
        case .power(let state):
            power = state
            watch.countChange()
            process?.power.set(state)
        case .forcedOffline(let isForced):
            isForcedOffline = isForced
            watch.countChange()
            isHeldBack = false
            process?.coordinator.isForcedOffline = isForced
        case .foreground:
            trigger(.launch)
            process?.outbox?.foreground()
        case .push(let filter): trigger(.push(filter))
        case .open(let group, let id): trigger(.opened(ResourceKey(group, id)))
        case .manual(let filter):
            guard let process, !isStopping else { return }
            if let filter, wanted.contains(where: { $0.filter == filter }) {
                return sync(filter, process)
            }
            process.coordinator.trigger(.manual(filter))
        case .signedIn: trigger(.signedIn)
        case .add(let filter, let priority): try add(filter, priority)
        case .remove(let filter): try remove(filter)
        case .kill(let perPage):
            self.perPage = perPage
            try kill(relaunchAfter: Int64(delays.below(3_000)))
        case .restart:
            guard let process, !isStopping else { return }
            // The host's service has begun when it is asked to end.
            while process === self.process, !process.coordinator.status.isRunning { try step() }
            guard process === self.process else { return }
            process.stop()
        case .setClock(let jump):
            wallOffset += jump
            updateWaits { $0.reset() }
        case .write(let seed): try write(seed)
        case .edit(let seed): edit(seed)
        case .rewrite(let seed): try rewrite(seed)
        case .evict(let group, let id): try evict(ResourceKey(group, id))
        case .keep(let group, let id): keep(ResourceKey(group, id))
        case .signIn(let account): signIn(as: account)
        case .signOut(let seals): signOut(seals ? .seal : .refuse)
        case .expire: writeEndpoint.areCredentialsStale = true
        case .retryWrites:
            guard let process, let outbox = process.outbox else { return }
            leftAlone[.outbox] = nil
            process.call { try? await outbox.retryAll() }
        case .outage(let seconds, let isAnnounced):
            writeEndpoint.outage = WriteEndpoint.Outage(end: now + seconds * 1000, isAnnounced: isAnnounced)
        case .strayTimer: process?.coordinator.post(.timer)
        }
    }

    func change(to state: NetworkState) throws {
        if link != state { watch.networkChanged() }
        watch.countChange()
        link = state
        linkNumber += 1
        isHeldBack = false
        process?.connectivity.set(state)
        process?.writerConnectivity.set(state)
        endPauses(throwing: TransportError.connectionLost(reason: "simulated")) {
            $0 == .exchange(.sync) || $0 == .exchange(.outbox)
        }
    }

    /// Somebody asks for a run and waits: the answer is what became of it.
    private func sync(_ filter: ResourceFilter, _ process: SimulatedProcess) {
        let text = filter.description
        // What the coordinator has not heard of yet may be why.
        let isFree = executor.isIdle && !process.store.hasWrites && canRun && link.level == .online && power == .normal
        let changes = watch.changes
        process.sync(filter) { [unowned self, unowned process] outcome in
            if process.life.isOver || isStopping { return }
            recordingViolation {
                switch outcome {
                case .success(let report) where watch.reports[text] != report:
                    throw Violation(.conditions, "who asks for \(text) gets the report of a run that did not end so")
                case .failure(.offline) where isFree && watch.changes == changes:
                    throw Violation(.conditions, "who asks for \(text) gets the report that there is no network")
                case .failure(.cancelled) where watch.changes == changes:
                    throw Violation(.conditions, "who asks for \(text) gets the report that it had no result")
                default: break
                }
            }
        }
    }

    func trigger(_ trigger: SyncTrigger) {
        guard let process, !isStopping else { return }
        watch.record(trigger, wanted: wanted.map(\.filter))
        process.coordinator.trigger(trigger)
    }

    private func add(_ filter: ResourceFilter, _ priority: SyncPriority) throws {
        if server.timeline > 0 || wanted.contains(where: { $0.filter == filter }) { return }
        wanted.append((filter, priority))
        guard let process else { return }
        // What is still to be removed goes first, as the host that removes and adds a filter waits for the one.
        if agenda.count(of: .removal) > 0 {
            agenda.remove { $0 == .removal }
            try removeUnwanted(but: filter.description)
        }
        add(filter, priority, process.coordinator)
    }

    private func removeUnwanted(but retained: String) throws {
        guard let store else { return }
        let known = try working { try store.read { view in try view.filters() } }.map(\.filter)
        for text in known where text == retained || !wanted.contains(where: { $0.filter.description == text }) {
            try removeFromStore(text)
        }
    }

    private func remove(_ filter: ResourceFilter) throws {
        let text = filter.description
        guard wanted.count > 1, server.timeline == 0, let index = wanted.firstIndex(where: { $0.filter == filter })
        else {
            return
        }
        wanted.remove(at: index)
        watch.removeFilter(text)
        guard let process else { return }
        process.coordinator.remove(filter)
        agenda.add(at: now + delay(), .removal, "remove \(text)") { [unowned self] in try removeFromStore(text) }
    }
}

// Simulator+Quiet: ends the faults and checks convergence.

internal import LarderFormat
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

extension Simulator {
    /// How long it may take until the client equals the server, in milliseconds: the longest waits are a day.
    private static let convergenceLimit: Int64 = 10 * 86_400_000

    /// Lets nothing go wrong any more, and waits until the client equals the server.
    func runUntilConverged() throws {
        log("* quiet")
        isQuiet = true
        isLastQuiet = !scenario.hasWriters
        network.isQuiet = true
        hasPortal = false
        power = .normal
        isForcedOffline = false
        // A process that is down or ending comes back by itself.
        let limit = now + Self.convergenceLimit
        while store == nil || isStopping { try runSteps(until: limit) }
        process?.power.set(.normal)
        process?.coordinator.isForcedOffline = false
        try change(to: .online)
        try completeWrites(until: limit)
        isLastQuiet = true
        try syncAllButBroken()
        touchHidden()
        try openEvicted(until: limit)
        try runUntilInSync(until: limit)
        // A run that went on where a dead one had ended began before the last writes were accepted: the next one did not.
        if try hasOverlays() {
            watch.reset()
            try runUntilInSync(until: limit)
        }
        try checkConvergence()
        try checkWritesAtEnd()
    }

    /// Lets time pass until everything has come in but what is broken.
    private func syncAllButBroken() throws {
        if server.broken.isEmpty { return }
        trigger(.push(nil))
        let limit = now + Self.convergenceLimit
        var missing: ModelServer.ResourceID?
        repeat {
            let end = now + 4 * 3_600_000
            while let next = nextTime, next <= end { try step() }
            now = max(now, end)
            missing = firstMissing()
            // After a failure before, such as a full disk, the next run may be a day away.
        } while missing != nil && now < limit
        if let missing { throw Violation(.convergence, "\(missing) does not come in while another resource is broken") }
        server.broken = [:]
    }

    /// Returns a resource that is not broken and differs from the server's.
    private func firstMissing() -> ModelServer.ResourceID? {
        let state = checker.state
        for (filter, _) in wanted {
            for (id, rows) in server.expectedRows(for: filter.description) where server.broken[id] == nil {
                let key = ResourceKey(id.group, id.id)
                if state.rows[key] == rows || hiddenByLag.contains(key) { continue }
                // It comes when it is opened.
                if state.resources[key]?.state == .evicted { continue }
                return id
            }
        }
        return nil
    }

    /// Changes the resources that a stale replica had no snapshot of: only a change proves them public.
    private func touchHidden() {
        for resource in hiddenByLag.sorted() { server.apply(.touch(ModelServer.ResourceID(resource))) }
    }

    private func runUntilInSync(until limit: Int64) throws {
        trigger(.push(nil))
        while !isInSync { try runSteps(until: limit) }
    }

    func runSteps(until limit: Int64) throws {
        guard let next = nextTime, next <= limit else {
            throw Violation(.convergence, "still not in step after \((limit - now) / 3_600_000) hours of quiet")
        }
        try step()
    }

    private var isInSync: Bool {
        wanted.allSatisfy { watch.isInStep.contains($0.filter.description) } && executor.isIdle
            && store?.hasWrites == false && agenda.count(of: .removal) == 0
            && process?.coordinator.isIdle(before: .milliseconds(now)) == true
    }

    private func checkConvergence() throws {
        var visible: Set<ResourceKey> = []
        let state = checker.state
        for (filter, _) in wanted {
            let text = filter.description
            let contents = server.expectedRows(for: text)
            let members = Set(state.filters[text]?.members ?? [])
            let expected = Set(contents.keys.map { ResourceKey($0.group, $0.id) })
            if members != expected {
                throw Violation(
                    .convergence, "\(text) holds \(members.sorted()), the server has \(expected.sorted())")
            }
            visible.formUnion(expected)
            for (id, rows) in contents where state.rows[ResourceKey(id.group, id.id)] != rows {
                throw Violation(
                    .convergence,
                    "\(id) at applied sequence \(state.resources[ResourceKey(id.group, id.id)]?.appliedSequence ?? -1) is not "
                        + "what the server has at \(server.sequence)")
            }
        }
        if Set(state.rows.keys) != visible {
            throw Violation(.convergence, "\(Set(state.rows.keys).symmetricDifference(visible).sorted()) differ")
        }
        if let staging = state.resources.values.first(where: { $0.stagingGeneration != nil }) {
            throw Violation(.staging, "\(staging.key) is still being written")
        }
    }
}

// Simulator+WriteChecks: checks that hold for writes at all times.

internal import LarderEngine
internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderTesting
internal import LarderTransport

// What holds of writes, whatever happens.
extension Simulator {
    /// Where nothing of the outbox is under way, no time is waited for and all is stored: nothing is left that could be sent.
    func checkIdleWriters(_ process: SimulatedProcess) throws {
        guard scenario.hasWriters, link.level != .offline, !process.isStopping, !process.hasCalls,
            !agenda.isAwaited(by: .outbox), agenda.count(of: .signIn) == 0, try signedInAccount() != nil
        else { return }
        var held: [OutboxEntry] = []
        for entry in writers.stored where entry.delivery.state != .rejected {
            if entry.isParked || held.contains(where: { $0.holds(entry) }) {
                held.append(entry)
            } else {
                throw Violation(.liveness, "\(name(entry.id)) is \(entry.delivery.state) and waits for nothing")
            }
        }
    }

    /// What is sent is stored as being sent, and nothing about the same thing goes before it.
    func checkSend(_ writes: [SimulatedWrite]) throws {
        guard let store else { return }
        let entries = try working { try store.read { view in try view.outboxEntries() } }
        try checkRequestedWait(.outbox, "\(writes.map(\.note))")
        for write in writes {
            if writers.underWay.contains(write.id) { throw Violation(.outbox, "\(write.note) is sent twice at a time") }
            guard let mine = entries.first(where: { $0.id == write.id }), mine.delivery.state == .sending else {
                throw Violation(.outbox, "\(write.note) is sent, and that is not stored")
            }
            for other in entries where other.sequence < mine.sequence && other.delivery.state != .rejected {
                if mine.draft.after.contains(other.id)
                    || (other.lane == mine.lane && other.draft.entity == mine.draft.entity)
                {
                    throw Violation(.laneOrder, "\(write.note) is sent before \(name(other.id))")
                }
            }
        }
    }

    /// A write that the server has just performed.
    func checkPerformed(_ write: SimulatedWrite) throws {
        guard writeEndpoint.performed[write.id] == 1 else {
            throw Violation(.appliedOnce, "\(write.note) is performed twice")
        }
        for id in write.after where !writeEndpoint.hasPerformed(last(of: id)) {
            throw Violation(.laneOrder, "\(write.note) is performed before \(name(id)), after which it comes")
        }
        for (id, other) in writers.writes
        where other.number > write.number && other.lane == write.lane && other.entity == write.entity {
            if writeEndpoint.performed[id] != nil {
                throw Violation(.laneOrder, "\(write.note) is performed after \(other.note)")
            }
        }
    }

    /// What a write became after conflicts.
    private func last(of id: UUIDBytes) -> UUIDBytes { writers.successors[id].map { last(of: $0) } ?? id }

    private func name(_ id: UUIDBytes) -> String { writers.writes[id]?.note ?? "\(id)" }

    /// After every commit: entries and their overlays are there, and readers see what they wrote.
    func checkWrites(in store: Store) throws {
        var shown: [RowKey: (overlays: [Overlay], payload: String?)] = [:]
        let rows = Set(writers.writes.values.map(\.key))
        var entries: [OutboxEntry] = []
        var outcomes: [OutboxOutcome] = []
        try working {
            try store.read { view in
                entries = try view.outboxEntries()
                outcomes = try view.outboxOutcomes()
                for row in rows {
                    var payload: String?
                    if let found = try view.row(at: row) {
                        payload = String(decoding: [UInt8](copying: found.payload), as: UTF8.self)
                    }
                    shown[row] = (try view.overlays(at: row), payload)
                }
            }
        }
        writers.stored = entries.sorted { $0.sequence < $1.sequence }
        for entry in entries where entry.draft.payload == writers.edits[entry.id]?.body {
            writers.writes[entry.id] = writers.edits.removeValue(forKey: entry.id)
        }
        try recordSuccessors(entries, outcomes)
        try record(entries, outcomes)
        try checkAccounts(of: entries)
        try checkEntries(entries, shown)
        for (row, found) in shown { try checkShown(row, found.overlays, found.payload) }
        writers.isSignedOut = try signedInAccount() == nil
        writers.timelines = checker.state.resources.mapValues(\.timeline)
    }

    /// Notes which conflicts have been resolved, and what is sent in the place of the write.
    private func recordSuccessors(_ entries: [OutboxEntry], _ outcomes: [OutboxOutcome]) throws {
        let stored = Set(entries.map(\.id))
        for outcome in outcomes where outcome.outcome == "resolved" && writers.ends[outcome.id] == nil {
            guard let write = writers.writes[outcome.id], write.fate == .conflict, !stored.contains(write.id) else {
                throw Violation(.outbox, "\(name(outcome.id)) is resolved, and was in no conflict")
            }
            try recordEnd(write, .resolved)
            log("  \(write.note) is resolved")
            guard let entry = entries.first(where: { writers.writes[$0.id] == nil && $0.draft.payload == write.body })
            else { continue }
            log("  it is sent again")
            writers.successors[write.id] = entry.id
            writers.writes[entry.id] = write.successor(entry.id)
            writers.order.append(entry.id)
        }
    }

    /// Notes how the delivery of each write goes, and how it ended.
    private func record(_ entries: [OutboxEntry], _ outcomes: [OutboxOutcome]) throws {
        for entry in entries {
            let old = writers.deliveries.updateValue(entry.delivery, forKey: entry.id)
            guard let write = writers.writes[entry.id], old != entry.delivery else { continue }
            log("  \(write.note) is \(entry.delivery.state)")
            if entry.delivery.tries > old?.tries ?? 0, writers.isSignedOut, try signedInAccount() == nil {
                throw Violation(.outbox, "\(write.note) is to be sent, and nobody is signed in")
            }
            if entry.delivery.state == .rejected { try recordEnd(write, .rejected) }
            if !isQuiet, writers.random.below(200) == 0 { writers.isDeathDue = true }
        }
        for outcome in outcomes {
            guard writers.outcomes[outcome.id, default: outcome] == outcome else {
                throw Violation(.outbox, "\(name(outcome.id)) has two outcomes")
            }
            writers.outcomes[outcome.id] = outcome
        }
        let stored = Set(entries.map(\.id))
        if let id = writers.order.first(where: { writers.ends[$0] == .accepted && stored.contains($0) }) {
            throw Violation(.outbox, "\(name(id)) is accepted, and is stored again")
        }
        for id in writers.order where writers.ends[id] == nil && !stored.contains(id) {
            guard let write = writers.writes[id], outcomes.last(where: { $0.id == id })?.outcome == "accepted" else {
                throw Violation(.outbox, "\(name(id)) is gone without an outcome")
            }
            log("  \(write.note) is accepted")
            guard writeEndpoint.hasPerformed(id) else {
                throw Violation(.appliedOnce, "\(write.note) is accepted, not performed")
            }
            try recordEnd(write, .accepted)
            if let sequence = writeEndpoint.sequences[id] {
                writers.seen[write.key] = max(sequence, writers.seen[write.key] ?? 0)
            }
        }
    }

    private func recordEnd(_ write: SimulatedWrite, _ end: WriteLog.End) throws {
        if writers.ends.updateValue(end, forKey: write.id) != nil {
            throw Violation(.outbox, "\(write.note) ends twice")
        }
    }

    private func checkEntries(
        _ entries: [OutboxEntry], _ shown: [RowKey: (overlays: [Overlay], payload: String?)]
    ) throws {
        let stored = Set(entries.lazy.filter { $0.delivery.state != .rejected }.map(\.id))
        if let unknown = entries.first(where: { writers.writes[$0.id] == nil }) {
            throw Violation(.outbox, "an entry is stored that was never reported: \(unknown.endpoint)")
        }
        for entry in entries where entry.delivery.state != .rejected {
            for row in entry.rows
            where shown[row]?.overlays.contains(where: { $0.entryID == entry.id && !$0.isConfirmed }) != true {
                throw Violation(.outbox, "\(name(entry.id)) has lost its overlay")
            }
        }
        for (row, found) in shown {
            for overlay in found.overlays where !overlay.isConfirmed {
                guard let id = overlay.entryID, stored.contains(id) else {
                    throw Violation(.outbox, "an overlay of \(row.type) \(row.key) is left of nothing")
                }
            }
        }
    }

    /// The highest overlay is shown; without one, nothing older than what was written here.
    private func checkShown(_ row: RowKey, _ overlays: [Overlay], _ payload: String?) throws {
        guard let resource = checker.state.resources[row.resource], resource.state == .ready else {
            // What the host has dropped comes back no older. A server that withdraws a resource shows it again as it is then.
            if checker.state.resources[row.resource]?.state == .evicted { return }
            writers.seen[row] = nil
            return
        }
        // Of a server that was taken for restored the word is the truth, even if it is an older one.
        if resource.timeline > writers.timelines[row.resource] ?? 0 { writers.seen[row] = nil }
        if let top = overlays.last, let write = top.entryID.flatMap({ writers.writes[$0] }) {
            let isShown =
                switch write.change {
                case .put(let own): payload == own
                case .setNote: payload?.contains("\"note\":\"\(write.note)\"") ?? true
                case .delete: payload == nil
                }
            if !isShown { throw Violation(.ownWrites, "\(write.note) lies over its row and is not shown") }
            return
        }
        guard let sequence = writers.seen[row], checker.state.isMember(row.resource) else { return }
        let id = ModelServer.ResourceID(row.resource)
        let name = ModelServer.RowID(row.type, row.key)
        guard server.payloads(of: name, in: id, since: sequence).contains(payload) else {
            throw Violation(
                .ownWrites,
                "\(row.resource) \(name) shows \(payload ?? "nothing") at applied sequence \(resource.appliedSequence), older than what was "
                    + "written here at \(sequence)")
        }
    }
}

// MARK: - The end

extension Simulator {
    /// Waits until all is delivered that can be.
    func completeWrites(until limit: Int64) throws {
        guard scenario.hasWriters else { return }
        while try !areWritesComplete() { try runSteps(until: limit) }
    }

    private func areWritesComplete() throws -> Bool {
        guard executor.isIdle, let process, let outbox = process.outbox else { return false }
        let entries = try working { try process.store.read { view in try view.outboxEntries() } }
        if !process.hasCalls, try signInOwner(of: entries) { return false }
        // What could not be read waits for somebody; what failed through the server's fault comes back by itself.
        for entry in entries where entry.isFailedForGood && !process.hasCalls {
            leftAlone[.outbox] = nil
            process.call { try? await outbox.retry(entry.id) }
        }
        return entries.allSatisfy { $0.delivery.state == .rejected } && !process.store.hasWrites
    }

    /// What became of every write is what the server says.
    func checkWritesAtEnd() throws {
        for id in writers.order {
            guard let write = writers.writes[id], let end = writers.ends[id] else {
                throw Violation(.outbox, "\(name(id)) has no outcome")
            }
            let isRefused = writeEndpoint.refused.contains(id)
            let isDiscardedWithPredecessor =
                write.after.contains { isGivenUp(last(of: $0)) } && !writeEndpoint.hasPerformed(id)
            switch end {
            case .accepted where !writeEndpoint.hasPerformed(id):
                throw Violation(.appliedOnce, "\(write.note) is accepted, and the server does not have it")
            case .rejected where !isRefused && !isDiscardedWithPredecessor:
                throw Violation(.deadLetters, "\(write.note) is a dead letter, and nobody refused it")
            case .rejected where writeEndpoint.hasPerformed(id):
                throw Violation(.deadLetters, "\(write.note) is a dead letter, and the server has it")
            default: break
            }
        }
        if try hasOverlays() { throw Violation(.ownWrites, "an overlay stays for good") }
    }

    /// Whether what comes after a write goes with it.
    private func isGivenUp(_ id: UUIDBytes) -> Bool { writers.ends[id] == .rejected || writers.ends[id] == .resolved }

    func hasOverlays() throws -> Bool {
        guard let store, scenario.hasWriters else { return false }
        return try working {
            try store.read { view in
                for resource in checker.state.resources.keys where try !view.overlays(of: resource).isEmpty {
                    return true
                }
                return false
            }
        }
    }
}

extension OutboxEntry {
    /// Whether only a hand or the host brings it on.
    fileprivate var isParked: Bool {
        isFailedForGood || delivery.state == .unresolved || delivery.state == .conflicted
    }

    /// Whether a later one waits for this one, which is held.
    fileprivate func holds(_ later: OutboxEntry) -> Bool {
        later.draft.after.contains(id) || (later.lane == lane && later.draft.entity == draft.entity)
    }

    /// Whether it has failed, and nothing but a hand revives it.
    fileprivate var isFailedForGood: Bool { delivery.state == .failed && delivery.dueAt == nil }
}

// StoreCheck: compares a store with what its children acknowledged and with the server's history.

import CrashWorld
import LarderFormat
import LarderServer
import LarderStore
import Testing

/// Compares a store with what its children were promised and with the server's history.
struct StoreCheck {
    let store: Store
    let model: WorldModel
    let seed: UInt64
    /// Versions of resources whose rows were found right before: their digest is verified, so they are right now.
    var known: Set<String> = []

    /// Invariants 1 and 3: every resource a reader sees is whole, and as the server had it at the
    /// applied sequence.
    mutating func checkResources(_ ledger: inout AcknowledgedState) throws {
        let resources = try store.read { try $0.allResources() }
        for resource in resources where resource.key != Entries.resource {
            let content = try #require(World.contents.first { $0.key == resource.key })
            let appliedSequence = ledger.appliedSequences[resource.key] ?? 0
            #expect(
                resource.appliedSequence >= appliedSequence,
                "\(resource.key): applied sequence \(resource.appliedSequence) after \(appliedSequence)")
            if let generation = resource.generation, let seen = ledger.generations[resource.key] {
                #expect(generation >= seen, "\(resource.key): generation \(generation) after \(seen)")
            }
            ledger.recordSeen(resource.key, generation: resource.generation, appliedSequence: resource.appliedSequence)
            if resource.state == .ready { try checkRows(resource, content) } else { try checkUnseen(resource) }
        }
        for key in ledger.appliedSequences.keys where key != Entries.resource {
            #expect(resources.contains { $0.key == key }, "\(key) has lost its record")
        }
    }

    private mutating func checkRows(_ resource: Resource, _ content: World.Content) throws {
        #expect(model.isPublic(resource.key, at: resource.appliedSequence), "\(resource.key) is shown while hidden")
        let rows = model.rows(of: content, at: resource.appliedSequence)
        #expect(resource.rowCount == rows.rowCount, "\(resource.key) at \(resource.appliedSequence)")
        let version = "\(resource.key) \(resource.generation ?? 0) \(resource.appliedSequence)"
        if known.contains(version) { return }
        var wrong: [String] = []
        let count = try store.read { view in
            try view.forEachRow(in: .all(of: resource.key)) { entry in
                let (type, key) = try entry.key()
                let number = Int(key) ?? 0
                let expected = rows.version(of: number).map { RowText.body(resource.key, number, version: $0) }
                if type != content.type || expected.map({ Array($0.utf8) }) != Array(copying: entry.row.payload) {
                    wrong.append("\(key): \(String(decoding: Array(copying: entry.row.payload), as: UTF8.self))")
                }
            }
        }
        #expect(wrong.isEmpty, "\(version): \(wrong.count) of \(count) rows, first \(wrong.first?.prefix(120) ?? "")")
        #expect(count == rows.rowCount, "\(version)")
        if wrong.isEmpty { known.insert(version) }
    }

    private func checkUnseen(_ resource: Resource) throws {
        let count = try store.read { try $0.forEachRow(in: .all(of: resource.key)) { _ in } }
        #expect(count == 0, "\(resource.key) is \(resource.state) and has rows")
    }

    /// Invariants 2 and 4: a token is there only with everything it stands for, and whatever is seen has a member.
    func checkFilters(_ ledger: AcknowledgedState) throws {
        let (states, resources) = try store.read { view in (try view.filters(), try view.allResources()) }
        for (number, filter) in World.filters.enumerated() {
            guard let state = states.first(where: { $0.filter == filter }) else {
                #expect(ledger.bounds[number] == nil, "\(filter) has lost its record")
                continue
            }
            guard let token = state.token else {
                #expect(state.isBootstrapping, "\(filter) has no token and no bootstrap")
                #expect(
                    ledger.bounds[number] == nil || ledger.rejected.contains(number), "\(filter) has lost its token")
                continue
            }
            let ticket = try #require(TicketSigner(secret: TokenSecret(seed, 1)).ticket(token))
            #expect(ticket.filter == filter && ticket.bound == state.lastUntilSequence && ticket.purpose == .token)
            #expect(ticket.bound >= ledger.bounds[number] ?? 0, "the token of \(filter) is older than acknowledged")
            checkCovered(filter, ticket.bound, resources)
        }
        for resource in resources where resource.state == .ready && resource.key != Entries.resource {
            #expect(states.contains { $0.members.contains(resource.key) }, "\(resource.key) is in no filter")
        }
    }

    private func checkCovered(_ filter: String, _ bound: Int64, _ resources: [Resource]) {
        for content in model.covered(by: filter, at: bound) {
            guard let resource = resources.first(where: { $0.key == content.key }) else {
                Issue.record("\(content.key) is missing at \(bound)")
                continue
            }
            if resource.state == .ready {
                let last = model.lastChange(of: content.key, upTo: bound)
                #expect(
                    resource.appliedSequence >= last,
                    "\(content.key): the token is of \(bound), the rows of \(resource.appliedSequence)")
            } else {
                let isHidden =
                    !model.isPublic(content.key, at: resource.appliedSequence)
                    || model.isHidden(content.key, after: resource.appliedSequence)
                #expect(
                    resource.appliedSequence > bound && isHidden,
                    "\(content.key) is \(resource.state) at \(bound), its applied sequence \(resource.appliedSequence)")
            }
        }
    }

    /// Invariants 5 and 6: every entry that was acknowledged is there once, with its row, or is recorded as gone.
    func checkOutbox(_ ledger: AcknowledgedState) throws {
        let (entries, outcomes, effects) = try store.read { view in
            (try view.outboxEntries(), try view.outboxOutcomes(), try view.rows(in: .all(of: Entries.resource)))
        }
        let waiting = Dictionary(grouping: entries) { Int($0.id.low) }
        let gone = Dictionary(grouping: outcomes) { Int($0.id.low) }
        #expect(ledger.isAscending, "sequences have to ascend")
        #expect(Set(entries.map(\.sequence) + outcomes.map(\.sequence)).count == entries.count + outcomes.count)
        #expect(Set(effects.compactMap { Int($0.key.key) }) == Set(waiting.keys).union(gone.keys))
        #expect(Set(waiting.keys).union(gone.keys).isSubset(of: ledger.entries.keys), "an entry that nobody made")
        for (number, state) in ledger.entries {
            let here = waiting[number, default: []]
            let left = gone[number, default: []]
            switch state {
            case .enqueueing: #expect(here.count <= 1 && left.isEmpty, "entry \(number)")
            case .enqueued: #expect(here.count == 1 && left.isEmpty, "entry \(number)")
            case .completing: #expect(here.count + left.count == 1, "entry \(number)")
            case .completed: #expect(here.isEmpty && left.count == 1, "entry \(number)")
            }
            for entry in here {
                let draft = Entries.draft(number, seed: seed)
                #expect(entry.lane == draft.lane && entry.payload == draft.payload && entry.id == draft.id)
            }
            if let sequence = state.sequence {
                #expect(here.allSatisfy { $0.sequence == sequence } && left.allSatisfy { $0.sequence == sequence })
            }
        }
    }

    /// Every checksum, count, digest, pointer and counter.
    func verify() throws {
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        #expect(findings.isEmpty, "\(findings.count) findings, first \(findings.first?.description ?? "")")
    }
}

internal import LarderFormat
internal import LarderStore
internal import Logging
internal import Synchronization

// What others have done to the table since the machine knew it.
extension Outbox {
    /// What others have done in some lanes: entries added since the last look, deliveries that are not as the machine knows them.
    func takeNew(in lanes: Set<String>, in group: inout DiscardingTaskGroup) async {
        let (seen, known) = state.withLock { state in
            guard let loop = state.loop else { return ([(String, Int64)](), [LaneEntry]()) }
            return (
                lanes.map { lane in (lane, loop.seen(lane)) }, loop.stored.filter { lanes.contains($0.lane) }
            )
        }
        await takeNew(in: &group) { view in
            let found = try seen.flatMap { lane, sequence in
                try view.readableOutboxHeads(lane: lane, after: sequence).map { LaneEntry($0) }
            }
            return (found, try known.contains { try view.outboxDelivery($0.id) != $0.delivery })
        }
    }

    /// As ``takeNew(in:in:)`` for all lanes, also in places that were looked at before: the successor of a rejected entry has the
    /// place of that one. Counts the dead letters anew.
    func takeAll(in group: inout DiscardingTaskGroup) async {
        guard let loop = state.withLock({ $0.loop }) else { return }
        let known = Set(loop.machine.entries.map(\.id))
        await takeNew(in: &group) { view in
            let entries = try view.readableOutboxHeads().entries.map { LaneEntry($0) }
            let live = entries.filter { $0.delivery.state != .rejected }
            state.withLock { $0.loop?.rejected = entries.count - live.count }
            let unknown = live.filter { !known.contains($0.id) }
            let found = unknown.filter { $0.sequence > loop.seen($0.lane) }
            if found.count < unknown.count { return ([], true) }
            let deliveries = Dictionary(uniqueKeysWithValues: live.map { ($0.id, $0.delivery) })
            return (found, loop.stored.contains { deliveries[$0.id] != $0.delivery })
        }
    }

    /// - Parameter look: what is new, and whether anything else is not as the machine knows it.
    private func takeNew(
        in group: inout DiscardingTaskGroup,
        _ look: (borrowing ReadView) throws -> (found: [LaneEntry], isOther: Bool)
    ) async {
        let found: [LaneEntry]
        let isOther: Bool
        do {
            (found, isOther) = try store.read(look)
        } catch {
            // Without a reload, what was enqueued would stay unsent until the next look.
            store.host.logger.error("the outbox could not be read", metadata: ["error": "\(error)"])
            return await reload(keepsFlights: true, in: &group)
        }
        // What this loop has stored itself it knows: steps and looks take turns.
        if isOther { return await reload(keepsFlights: true, in: &group) }
        guard !found.isEmpty else { return }
        state.withLock { state in
            for entry in found { state.loop?.seen[entry.lane] = entry.sequence }
        }
        await take(.enqueued(found), in: &group)
    }
}

extension OutboxState.Loop {
    /// The entries of the machine that the table should have; none while it recovers, as it is ahead of the table then, and is made
    /// anew in the end.
    fileprivate var stored: [LaneEntry] { machine.isUnrecovered ? [] : machine.entries }

    /// Up to which sequence the machine knows a lane.
    fileprivate func seen(_ lane: String) -> Int64 { seen[lane] ?? seenAtLoad }
}

internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

// The machine made anew from the table, when that is not as the machine thought.
extension Outbox {
    /// Makes the machine anew from the table.
    ///
    /// - Parameter keepsFlights: whether what is under way goes on; else it is given up, and sent again under its key.
    func reload(keepsFlights: Bool = false, in group: inout DiscardingTaskGroup) async {
        state.withLock { $0.loop?.needsReload = false }
        if !keepsFlights { cancelFlights(but: []) }
        do {
            try await load(in: &group)
        } catch {
            store.host.logger.error("the outbox could not be loaded", metadata: ["error": "\(error)"])
            state.withLock { $0.loop?.needsReload = true }
            for effect in step(.storageFailed)?.effects ?? [] { perform(effect, in: &group) }
        }
    }

    /// Reads the table and stores what the machine makes of it; looks again when somebody else has acted in between, but not without
    /// end.
    private func load(in group: inout DiscardingTaskGroup) async throws {
        var looks = 0
        while true {
            looks += 1
            let (found, damaged) = try store.read { view in try view.readableOutboxHeads() }
            if damaged > 0 {
                let metadata: Logger.Metadata = ["entries": "\(damaged)"]
                store.host.logger.error(
                    "damaged writes wait for somebody to look: verify the store", metadata: metadata)
            }
            let entries = found.map { LaneEntry($0) }
            state.withLock { state in
                state.loop?.seen = [:]
                state.loop?.seenAtLoad = entries.map(\.sequence).max() ?? 0
                state.loop?.rejected = entries.count { $0.delivery.state == .rejected }
            }
            let underWay = state.withLock { Set($0.loop?.flights.keys.map { $0 } ?? []) }
            let event = DeliveryEvent.loaded(entries, serverWait: try waitOfServer(), underWay: underWay)
            guard let step = step(event) else { return }
            state.withLock { $0.loop?.isLoaded = true }
            do {
                _ = try await commit(step, [:])
            } catch is OutOfStep where looks < 4 {
                continue
            }
            cancelFlights(but: state.withLock { $0.loop?.machine.flights ?? [] })
            tellSettled(but: entries, in: &group)
            for effect in step.effects { perform(effect, in: &group) }
            return
        }
    }

    /// Ends the requests that nothing waits for any more.
    func cancelFlights(but kept: Set<UUIDBytes>) {
        let cancelled = state.withLock { state in
            guard let flights = state.loop?.flights else { return [Task<Void, Never>]() }
            state.loop?.flights = flights.filter { kept.contains($0.key) }
            return flights.filter { !kept.contains($0.key) }.map(\.value.task)
        }
        for task in cancelled { task.cancel() }
    }
}

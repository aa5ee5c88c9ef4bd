internal import LarderFormat
internal import LarderStore
internal import Synchronization

extension Outbox {
    /// Makes a write in one call: gives up refreshes under way of what it changes, shows its effect, makes it durable, takes the
    /// effect back if the server refuses it, and refreshes when the server has had its say.
    ///
    /// Returns before the server is asked, as ``enqueue(_:)`` does. The refresh comes when the write is accepted, rejected or
    /// given up, as long as this process lives and the outbox runs; a failed write has no outcome yet. If it cannot be made
    /// durable, what was given up is refreshed at once.
    ///
    /// - Throws: as ``enqueue(_:)``.
    @discardableResult
    public func mutate<Control: RefreshControl>(
        _ write: OutboxWrite, refreshing key: Control.Key, with control: Control
    ) async throws -> Enqueued {
        await control.cancelRefreshes(of: key)
        let refresh: @Sendable () async -> Void = { await control.refreshValues(of: key) }
        let queued: Enqueued
        do {
            queued = try await enqueue(write)
        } catch {
            await refresh()
            throw error
        }
        self.state.withLock { $0.settlers[queued.id, default: []].append(refresh) }
        // Its outcome may have been there before anybody was to be told. A store that cannot be read leaves it at that.
        let state = try? store.read { view in try view.outboxDelivery(queued.id)?.state ?? .rejected }
        if state == .rejected { for settler in takeSettlers(of: queued.id) { await settler() } }
        return queued
    }

    /// Those who wait for the end of an entry; they are told once.
    func takeSettlers(of id: UUIDBytes) -> [@Sendable () async -> Void] {
        state.withLock { $0.settlers.removeValue(forKey: id) } ?? []
    }

    /// Tells those who wait for what has happened.
    func tellSettled(_ event: OutboxEvent, in group: inout DiscardingTaskGroup) {
        let id: UUIDBytes
        switch event {
        case .accepted(let entry), .rejected(let entry, _), .removed(let entry, _): id = entry
        default: return
        }
        for settler in takeSettlers(of: id) { addTask(to: &group, settler) }
    }

    /// Answers the waiters of entries that have left, in whatever process; the waiters of an entry with a successor wait for that.
    ///
    /// - Parameter awaited: what was waited for before the machine has seen the table.
    func tellSettled(among awaited: Set<UUIDBytes>, in group: inout DiscardingTaskGroup) {
        let entries = state.withLock { $0.loop?.machine.entries ?? [] }
        for id in awaited.subtracting(entries.lazy.map(\.id)) {
            let settlers = takeSettlers(of: id)
            if let successor = entries.first(where: { $0.predecessor == id }) {
                state.withLock { $0.settlers[successor.id, default: []] += settlers }
            } else {
                for settler in settlers { addTask(to: &group, settler) }
            }
        }
    }
}

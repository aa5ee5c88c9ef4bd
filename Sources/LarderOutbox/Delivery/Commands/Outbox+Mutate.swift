internal import LarderFormat
internal import LarderStore
internal import Synchronization

extension Outbox {
    /// Makes a write in one call. It cancels refreshes under way of what the write changes, shows its effect and stores
    /// it durably. It rolls the effect back if the server refuses the write, and refreshes when the outcome is known.
    ///
    /// Returns before the server is asked, as ``enqueue(_:)`` does. The refresh follows when the write is accepted,
    /// rejected or discarded, as long as this process lives and the outbox runs; a failed write has no outcome yet. If
    /// the write cannot be stored, the refresh follows at once.
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
        self.state.withLock { $0.completionHandlers[queued.id, default: []].append(refresh) }
        // The outcome may have been known before the refresh was registered. This is skipped if the store cannot be
        // read.
        let state = try? store.read { view in try view.outboxDelivery(queued.id)?.state ?? .rejected }
        if state == .rejected { for handler in removeCompletionHandlers(of: queued.id) { await handler() } }
        return queued
    }

    /// Removes and returns the closures that wait for the outcome of an entry; each is called once.
    func removeCompletionHandlers(of id: UUIDBytes) -> [@Sendable () async -> Void] {
        state.withLock { $0.completionHandlers.removeValue(forKey: id) } ?? []
    }

    /// Calls the closures that wait for the outcome that an event reports.
    func notifyCompletion(_ event: OutboxEvent, in group: inout DiscardingTaskGroup) {
        let id: UUIDBytes
        switch event {
        case .accepted(let entry), .rejected(let entry, _), .removed(let entry, _): id = entry
        default: return
        }
        for handler in removeCompletionHandlers(of: id) { addTask(to: &group, handler) }
    }

    /// Calls the closures that wait for entries that left, in any process; those of an entry with a successor wait for
    /// it.
    ///
    /// - Parameter awaited: the entries that were waited for before the machine read the table.
    func notifyCompletion(among awaited: Set<UUIDBytes>, in group: inout DiscardingTaskGroup) {
        let entries = state.withLock { $0.loop?.machine.entries ?? [] }
        for id in awaited.subtracting(entries.lazy.map(\.id)) {
            let handlers = removeCompletionHandlers(of: id)
            if let successor = entries.first(where: { $0.predecessor == id }) {
                state.withLock { $0.completionHandlers[successor.id, default: []] += handlers }
            } else {
                for handler in handlers { addTask(to: &group, handler) }
            }
        }
    }
}

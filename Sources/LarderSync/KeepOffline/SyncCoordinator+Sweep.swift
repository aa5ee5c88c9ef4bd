internal import LarderStore
internal import Logging
internal import Synchronization

extension SyncCoordinator {
    /// The time after a sweep of the store at which the next one is due.
    private static let sweepInterval = Duration.seconds(3600)

    /// Sweeps the store in the background, when the last sweep is at least an hour ago.
    ///
    /// It is called after every event, so that it needs no timer of its own: while nothing happens, nothing is swept.
    func sweepIfDue(in group: inout DiscardingTaskGroup) {
        let elapsed = store.host.elapsed()
        let isDue = state.withLock { state in
            if let last = state.sweptAt, elapsed - last < Self.sweepInterval { return false }
            state.sweptAt = elapsed
            return true
        }
        guard isDue else { return }
        group.addTask {
            do {
                try await self.store.sweep(now: self.store.host.now())
            } catch {
                self.store.host.logger.debug("could not sweep the store", metadata: ["error": "\(error)"])
            }
        }
    }
}

public import LarderFormat
internal import LarderStore
internal import Logging
internal import Synchronization

extension SyncCoordinator {
    /// Returns an estimate of the space that keeping a resource offline needs.
    ///
    /// - Throws: as ``ContentSync/keepEstimate(_:)``.
    public func keepEstimate(_ resource: ResourceKey) throws(KeepError) -> KeepEstimate {
        try content.keepEstimate(resource)
    }

    /// Keeps a resource offline; see ``ContentSync/keep(_:onStatus:)``. The request is manual: it is done at once,
    /// whatever the power is like.
    ///
    /// - Throws: as ``ContentSync/keep(_:onStatus:)``; ``KeepError/sync(_:)`` with ``SyncError/offline`` when the host
    ///   has forced the coordinator offline and the rows are not in the store. The resource stays pinned then.
    public func keep(
        _ resource: ResourceKey, onStatus: @escaping @Sendable (KeepStatus) -> Void = { _ in }
    ) async throws(KeepError) {
        if isForcedOffline, try content.keepEstimate(resource).basis != .stored {
            do {
                try await store.write { transaction in try transaction.pin(resource) }
            } catch {
                throw KeepError(error)
            }
            throw .sync(.offline)
        }
        try await content.keep(resource, onStatus: onStatus)
    }

    /// Keeps a resource as ``keep(_:onStatus:)``, and returns its statuses; see ``ContentSync/keeping(_:)``.
    public func keeping(_ resource: ResourceKey) -> AsyncStream<KeepStatus> {
        keepStatuses { (onStatus) async throws(KeepError) in try await self.keep(resource, onStatus: onStatus) }
    }

    /// Stops keeping a resource offline; see ``ContentSync/stopKeeping(_:)``.
    ///
    /// - Throws: as ``ContentSync/stopKeeping(_:)``.
    @discardableResult
    public func stopKeeping(_ resource: ResourceKey) async throws(KeepError) -> Bool {
        try await content.stopKeeping(resource)
    }

    /// Fetches an evicted resource when a reader opens it and conditions allow.
    func restoreOpened(_ resource: ResourceKey, in group: inout DiscardingTaskGroup) {
        let isAllowed = state.withLock { $0.loop.map { $0.machine.allowance >= .urgent } ?? false }
        guard isAllowed, isEvicted(resource) else { return }
        group.addTask {
            do throws(KeepError) {
                try await self.content.restore(resource)
            } catch {
                self.store.host.logger.debug("could not restore a resource", metadata: ["error": "\(error)"])
            }
        }
    }

    private func isEvicted(_ resource: ResourceKey) -> Bool {
        let known = try? store.read { view in try view.resource(resource) }
        return known?.state == .evicted && known?.snapshotPath != nil
    }
}

internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Returns the ownership of a resource's rows.
    ///
    /// - Parameter trigger: the reason for the check; a pass that ends with it does not count as under way.
    mutating func ownership(of resource: ResourceKey, on trigger: ReleaseTrigger = .change) throws -> ResourceOwnership
    {
        let record = try record(of: resource) ?? ResourceRecord()
        let filters = try filterNumbers()
        let memberFilters = try filters.filter { try isMember(resource, of: $0) }
        let wasDelivered = record.wasDeliveredByFilters
        let owner: ResourceOwnership.Owner
        if !memberFilters.isEmpty {
            owner = .filters(memberFilters)
        } else if wasDelivered {
            let isBootstrapping =
                try record.state == .empty
                && filters.contains { number in
                    try tables.filter(number, in: engine)?.isBootstrapping == true
                }
            owner = filters.isEmpty ? .removedFilters : isBootstrapping ? .bootstrappingFilter : .formerFilters
        } else {
            let mayBeInPass =
                trigger == .openWithOtherProcesses
                || shared.passes.isUnderWay(over: resource, besides: trigger.endedPasses)
            owner = mayBeInPass ? .listPass : .unowned
        }
        return ResourceOwnership(owner: owner, state: record.state, applied: record.applied)
    }

    /// Returns whether only this device makes rows of a resource, so that the response to a write may become its row.
    ///
    /// The result is false while a filter has the resource as a member, and after filters have dropped it: one row is
    /// not the resource.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a resource beyond the format's limits; ``EngineError``.
    package mutating func isLocalOnly(_ resource: ResourceKey) throws -> Bool {
        try !isMember(resource) && record(of: resource)?.wasDeliveredByFilters != true
    }
}

extension ResourceRecord {
    /// Whether a filter has delivered this withdrawn resource: the server has hidden it, or reported its snapshot or
    /// changes.
    ///
    /// A resource that was only listed, and of which nothing was received, counts as unknown.
    fileprivate var wasDeliveredByFilters: Bool {
        switch state {
        case .hidden: true
        case .empty: snapshotPath != nil || applied > .zero
        case .ready, .evicted: false
        }
    }
}

internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Returns the ownership of a resource's rows.
    ///
    /// - Parameter occasion: the reason for the check; a pass that ends with it does not count as under way.
    mutating func tenure(of resource: ResourceKey, on occasion: ReleaseOccasion = .change) throws -> Tenure {
        let record = try record(of: resource) ?? ResourceRecord()
        let filters = try filterNumbers()
        let holders = try filters.filter { try holds(resource, $0) }
        let isOfFilters = record.isOfFilters
        let keeper: Tenure.Keeper
        if !holders.isEmpty {
            keeper = .filters(holders)
        } else if isOfFilters {
            let isAwaited =
                try record.state == .empty
                && filters.contains { number in
                    try tables.filter(number, in: engine)?.isBootstrapping == true
                }
            keeper = filters.isEmpty ? .removedFilters : isAwaited ? .awaited : .formerFilters
        } else {
            let mayBeWalked =
                occasion == .openBesideOthers || shared.passes.isUnderWay(over: resource, besides: occasion.endedPasses)
            keeper = mayBeWalked ? .walk : .nobody
        }
        return Tenure(keeper: keeper, state: record.state, applied: record.applied)
    }

    /// Returns whether only this device makes rows of a resource, so that the response to a write may become its row.
    ///
    /// The result is false while a filter has the resource as a member, and after filters have dropped it: one row is
    /// not the resource.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a resource beyond the format's limits; ``EngineError``.
    package mutating func isOwn(_ resource: ResourceKey) throws -> Bool {
        try !isMember(resource) && record(of: resource)?.isOfFilters != true
    }
}

extension ResourceRecord {
    /// Whether a filter has delivered this withdrawn resource: the server has hidden it, or reported its snapshot or
    /// changes.
    ///
    /// A resource that was only listed, and of which nothing was received, counts as unknown.
    fileprivate var isOfFilters: Bool {
        switch state {
        case .hidden: true
        case .empty: snapshotPath != nil || applied > .zero
        case .ready, .evicted: false
        }
    }
}

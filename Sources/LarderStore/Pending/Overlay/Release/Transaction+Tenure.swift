internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// How a resource comes by its rows.
    ///
    /// - Parameter occasion: a pass that has ended walks no more.
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

    /// Whether nobody but this device makes rows of a resource: what the server answers to a write may become its row.
    ///
    /// So it is not while a filter has it as member, and not after filters have let it go: one row is not the resource.
    package mutating func isOwn(_ resource: ResourceKey) throws -> Bool {
        try !isMember(resource) && record(of: resource)?.isOfFilters != true
    }
}

extension ResourceRecord {
    /// Whether a filter has brought the resource, of one that is withdrawn: the server has hidden it, or said where its copy
    /// is or which changes it has. One that was listed and of which nothing came is as one that nobody knows.
    fileprivate var isOfFilters: Bool {
        switch state {
        case .hidden: true
        case .empty: snapshotPath != nil || applied > .zero
        case .ready, .evicted: false
        }
    }
}

internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// How a resource comes by its rows.
    ///
    /// - Parameter occasion: a pass that has ended walks no more.
    mutating func tenure(of resource: ResourceKey, on occasion: ReleaseOccasion = .change) throws -> Tenure {
        let record = try record(of: resource) ?? ResourceRecord()
        let filters = try filters()
        // Of a damaged one it is not known whether the server may count anew.
        let damaged = try filterNumbers().filter { number in !filters.contains { $0.number == number } }
        var holders: [Int64] = []
        // A filter whose run has brought the resource since the rejection vouches for its floor, whatever others are at.
        var (isDoubted, isVouched) = (false, false)
        for (number, filter) in filters {
            let member = try member(ofFilter: number, resource)
            if member != nil { holders.append(number) }
            guard filter.isRejected else { continue }
            if let member, member.finishedInRun == filter.run {
                isVouched = true
            } else if member != nil {
                isDoubted = true
            }
        }
        for number in damaged where try holds(resource, number) {
            holders.append(number)
            isDoubted = true
        }
        let isOfFilters = record.isOfFilters
        let keeper: Tenure.Keeper
        if !holders.isEmpty {
            keeper = .filters(holders)
        } else if isOfFilters {
            keeper = filters.isEmpty && damaged.isEmpty ? .removedFilters : .formerFilters
            isDoubted = !damaged.isEmpty || filters.contains { $0.record.isRejected }
        } else {
            let mayBeWalked =
                occasion == .openBesideOthers || shared.passes.isUnderWay(over: resource, besides: occasion.endedPasses)
            keeper = mayBeWalked ? .walk : .nobody
        }
        return Tenure(
            keeper: keeper, state: record.state, floor: record.floor, isFloorDoubted: isDoubted && !isVouched)
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
        case .empty: snapshotPath != nil || floor > 0
        case .ready, .evicted: false
        }
    }
}

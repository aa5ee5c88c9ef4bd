internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// Every filter with its token and members, in the order they were first synced.
    public borrowing func filters() throws -> [FilterState] {
        try withMembers(try tables.filters(in: transaction))
    }

    /// Those filters that can be read.
    package borrowing func readableFilters() throws -> [FilterState] {
        try withMembers(try tables.readableFilters(in: transaction))
    }

    private borrowing func withMembers(_ filters: [(number: Int64, record: FilterState)]) throws -> [FilterState] {
        try filters.map { number, record in
            var filter = record
            filter.members = try tables.members(of: number, in: transaction).map(\.resource)
            return filter
        }
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The membership of a resource in a filter, by the filter's number.
    package borrowing func member(ofFilter number: Int64, _ resource: ResourceKey) throws -> MemberRecord? {
        try tables.record(.members, in: engine, as: MemberRecord.self) {
            try MemberRecord.appendKey(filter: number, resource: resource, to: &$0)
        }
    }
    /// The numbers of all filters, of damaged ones too: they hold their members until they are restored.
    borrowing func filterNumbers() throws -> [Int64] { try tables.filterNumbers(in: engine) }

    /// Whether any filter holds the resource.
    package borrowing func isMember(_ resource: ResourceKey) throws -> Bool {
        try isMember(resource, ofAny: filterNumbers())
    }

    borrowing func isMember(_ resource: ResourceKey, ofAny filters: [Int64]) throws -> Bool {
        for number in filters where try holds(resource, number) { return true }
        return false
    }

    /// Whether a filter has a resource as member, be the record of that readable or not.
    borrowing func holds(_ resource: ResourceKey, _ filter: Int64) throws -> Bool {
        let key = try Transaction.key { try MemberRecord.appendKey(filter: filter, resource: resource, to: &$0) }
        return try engine.value(forKey: key.rawSpan, in: tables.members) != nil
    }
}

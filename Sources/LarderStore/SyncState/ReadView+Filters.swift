internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// Every filter with its token and members, in the order they were first synced.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a damaged filter or member; `EngineError`.
    public borrowing func filters() throws -> [FilterState] {
        try withMembers(try tables.filters(in: transaction))
    }

    /// The filters with readable records, otherwise as ``filters()``.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a damaged member; ``EngineError``.
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
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a group beyond the format's
    ///   limits.
    package borrowing func member(ofFilter number: Int64, _ resource: ResourceKey) throws -> MemberRecord? {
        try tables.record(.members, in: engine, as: MemberRecord.self) {
            try MemberRecord.appendKey(filter: number, resource: resource, to: &$0)
        }
    }
    /// The numbers of all filters, damaged ones included: they hold their members until they are restored.
    borrowing func filterNumbers() throws -> [Int64] { try tables.filterNumbers(in: engine) }

    /// Whether any filter holds the resource.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a group beyond the format's limits; ``EngineError``.
    package borrowing func isMember(_ resource: ResourceKey) throws -> Bool {
        try isMember(resource, ofAny: filterNumbers())
    }

    borrowing func isMember(_ resource: ResourceKey, ofAny filters: [Int64]) throws -> Bool {
        for number in filters where try isMember(resource, of: number) { return true }
        return false
    }

    /// Whether a filter has a resource as member, even if the record of that is damaged.
    borrowing func isMember(_ resource: ResourceKey, of filter: Int64) throws -> Bool {
        let key = try Transaction.key { try MemberRecord.appendKey(filter: filter, resource: resource, to: &$0) }
        return try engine.value(forKey: key.rawSpan, in: tables.members) != nil
    }
}

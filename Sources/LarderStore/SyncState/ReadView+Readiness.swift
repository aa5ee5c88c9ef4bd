public import LarderFormat

extension ReadView {
    /// How ready a resource is; nil when it is not known.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    /// - Complexity: one lookup, O(log *n*) page visits; no row is read.
    public borrowing func readiness(of resource: ResourceKey) throws -> ResourceReadiness? {
        try tables.resource(resource, in: transaction).map { ResourceReadiness(resource, $0) }
    }

    /// How ready the content of a filter is, by its canonical text; nil when there is no such filter.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    /// - Complexity: reads every filter's record, and of this one every member with a lookup each; no row is read.
    public borrowing func readiness(of filter: String) throws -> FilterReadiness? {
        let found = try tables.readableFilters(in: transaction).first {
            $0.record.filter.utf8.elementsEqual(filter.utf8)
        }
        if let (number, record) = found { return try readiness(number, record) }
        // Nothing is known of it unless another one, which cannot be read, was it.
        _ = try tables.filters(in: transaction)
        return nil
    }

    /// How ready the content of every filter is, in the order they were first synced.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    /// - Complexity: a lookup for each member of each filter; no row is read.
    public borrowing func readiness() throws -> [FilterReadiness] {
        try tables.filters(in: transaction).map { number, record in try readiness(number, record) }
    }

    /// How ready a list is that is kept in step page by page, and has no filter; nil when it is not known.
    ///
    /// It has one member, is as of no sequence, and is complete once a pass over it has finished.
    ///
    /// - Parameter name: what the list goes by.
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    /// - Complexity: one lookup.
    public borrowing func readiness(ofList resource: ResourceKey, named name: String) throws -> FilterReadiness? {
        try readiness(of: resource).map { FilterReadiness(list: $0, named: name) }
    }

    private borrowing func readiness(_ number: Int64, _ record: FilterState) throws -> FilterReadiness {
        let members = try tables.members(of: number, in: transaction).map { key, member in
            // A member without a record is damage that `verify` reports; nothing of it is here.
            let resource = try tables.resource(key, in: transaction) ?? ResourceRecord()
            return FilterReadiness.Member(key, member, resource, in: record)
        }
        return FilterReadiness(record, members)
    }
}

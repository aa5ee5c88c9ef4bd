internal import LarderEngine
public import LarderFormat

extension ReadView {
    /// The readiness of a resource; nil when it is not known.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    /// - Complexity: one lookup, O(log *n*) page visits; no row is read.
    public borrowing func readiness(of resource: ResourceKey) throws -> ResourceReadiness? {
        try tables.resource(resource, in: transaction).map { ResourceReadiness(resource, $0) }
    }

    /// The readiness of the content of a filter, by its canonical text; nil when there is no such filter.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    /// - Complexity: reads every filter's record, and of this one every member with a lookup each; no row is read.
    public borrowing func readiness(of filter: String) throws -> FilterReadiness? {
        let found = try tables.readableFilters(in: transaction).first {
            $0.record.filter.utf8.elementsEqual(filter.utf8)
        }
        if let (number, record) = found { return try readiness(number, record) }
        // A damaged record, which makes this throw, may be that of the filter.
        _ = try tables.filters(in: transaction)
        return nil
    }

    /// The readiness of the content of every filter, in the order they were first synced.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``.
    /// - Complexity: a lookup for each member of each filter; no row is read.
    public borrowing func readiness() throws -> [FilterReadiness] {
        try tables.filters(in: transaction).map { number, record in try readiness(number, record) }
    }

    /// Every filter whose records can be read, with its members and readiness, in the order they were first synced; and
    /// the others, of which one record is damaged: its own, or that of a member.
    ///
    /// A member whose resource has a damaged record is not readable, and has no rows.
    ///
    /// - Throws: ``EngineError``.
    package borrowing func readableFilterStates() throws -> (
        filters: [(state: FilterState, readiness: FilterReadiness)], damaged: [DamagedFilter]
    ) {
        var filters: [(state: FilterState, readiness: FilterReadiness)] = []
        var damaged: [DamagedFilter] = []
        var numbers: [Int64?] = []
        try tables.forEachRaw(.filters, prefix: [], in: transaction) { entry in
            numbers.append(try? FilterState.decodeKey(entry.key))
            return true
        }
        for number in numbers {
            var text: String?
            do {
                guard let number else {
                    damaged.append(DamagedFilter(number: nil, text: nil))
                    continue
                }
                guard var state = try tables.filter(number, in: transaction) else { continue }
                text = state.filter
                let readiness = try readiness(number, state, isLenient: true)
                state.members = readiness.members.map(\.key)
                filters.append((state, readiness))
            } catch StoreError.damaged {
                damaged.append(DamagedFilter(number: number, text: text))
            }
        }
        return (filters, damaged)
    }

    /// The readiness of a list that is synced page by page, and has no filter; nil when it is not known.
    ///
    /// It has one member and no sequence, and is complete once a pass over it has finished.
    ///
    /// - Parameters:
    ///   - resource: the resource of the list's rows.
    ///   - name: the name of the list.
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/invalid(_:)``.
    /// - Complexity: one lookup.
    public borrowing func readiness(ofList resource: ResourceKey, named name: String) throws -> FilterReadiness? {
        try readiness(of: resource).map { FilterReadiness(list: $0, named: name) }
    }

    private borrowing func readiness(
        _ number: Int64, _ record: FilterState, isLenient: Bool = false
    ) throws -> FilterReadiness {
        let members = try tables.members(of: number, in: transaction).map { key, member in
            // A member without a record is damage that `verify` reports; it has no rows here.
            var resource = ResourceRecord()
            do {
                resource = try tables.resource(key, in: transaction) ?? resource
            } catch StoreError.damaged where isLenient {}
            return FilterReadiness.Member(key, member, resource, in: record)
        }
        return FilterReadiness(record, members)
    }
}

/// A filter of which a record cannot be read.
package struct DamagedFilter: Hashable, Sendable {
    /// The number of the filter in the store; nil where its key is damaged.
    package let number: Int64?
    /// Its canonical text; nil where that is in the damaged record.
    package let text: String?
}

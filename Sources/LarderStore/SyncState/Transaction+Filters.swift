internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// The filter with a canonical text, and its number.
    ///
    /// - Throws: ``EngineError``.
    package func filter(_ canonicalText: String) throws -> (number: Int64, record: FilterState)? {
        try filters().first { $0.record.filter.utf8.elementsEqual(canonicalText.utf8) }
    }

    /// Every readable filter and its number, in the order they were first synced: a damaged one must not stop the
    /// others.
    ///
    /// - Throws: ``EngineError``.
    package func filters() throws -> [(number: Int64, record: FilterState)] {
        try tables.readableFilters(in: engine)
    }

    /// Changes the record of a filter, made when there is none.
    ///
    /// A last error is made one line of at most ``Limits/errorText`` bytes, cut between code points.
    ///
    /// - Returns: its number.
    /// - Throws: ``StoreError/invalid(_:)`` for a text or token beyond the limits.
    @discardableResult
    package mutating func updateFilter(
        _ canonicalText: String, _ edit: (inout FilterState) -> Void
    ) throws -> Int64 {
        let found = try filter(canonicalText)
        var record = found?.record ?? FilterState(filter: canonicalText)
        edit(&record)
        record.lastError = record.lastError.flatMap(ErrorLine.init)?.text
        try encoding {
            try Limits.check(filter: record.filter)
            if let token = record.token { try Limits.check(token: token) }
        }
        let number = try found?.number ?? next(\.nextFilter)
        try put(body: record.encode(), in: .filters) { try FilterState.appendKey(number, to: &$0) }
        effects.changes.addFilter(canonicalText)
        return number
    }

    /// The resources that a filter holds.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for a damaged member; ``EngineError``.
    package func members(ofFilter number: Int64) throws -> [(resource: ResourceKey, record: MemberRecord)] {
        try tables.members(of: number, in: engine)
    }

    /// Makes or changes a membership.
    ///
    /// - Throws: as ``StoreReader/member(ofFilter:_:)``.
    package mutating func putMember(ofFilter number: Int64, _ resource: ResourceKey, _ record: MemberRecord) throws {
        if try member(ofFilter: number, resource) == record { return }
        try put(body: record.encode(), in: .members) {
            try MemberRecord.appendKey(filter: number, resource: resource, to: &$0)
        }
    }

    /// Ends a membership.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a group beyond the format's limits; ``EngineError``.
    package mutating func removeMember(ofFilter number: Int64, _ resource: ResourceKey) throws {
        try remove(
            key: Self.key { try MemberRecord.appendKey(filter: number, resource: resource, to: &$0) }, in: .members)
    }

    /// Removes a filter with its token and memberships, and withdraws the resources no other filter holds.
    ///
    /// - Throws: as ``members(ofFilter:)``.
    package mutating func removeFilter(_ canonicalText: String) throws {
        guard let (number, _) = try filter(canonicalText) else { return }
        let members = try members(ofFilter: number)
        for (resource, _) in members { try removeMember(ofFilter: number, resource) }
        try remove(key: Self.key { try FilterState.appendKey(number, to: &$0) }, in: .filters)
        let others = try filterNumbers()
        for (resource, _) in members where try !isMember(resource, ofAny: others) {
            try withdrawUnfiltered(resource)
            if try record(of: resource)?.overlays ?? 0 > 0 { state(RemovedFilters.self).overlaid.insert(resource) }
        }
        state(RemovedFilters.self).count += 1
        effects.changes.addFilter(canonicalText)
    }

    /// Withdraws a resource that no filter holds any more.
    ///
    /// - Throws: as ``withdraw(_:at:as:)``.
    package mutating func withdrawUnfiltered(_ resource: ResourceKey) throws {
        // A resource that the server has hidden stays so; others only have no rows, and a filter may request them
        // again.
        guard let record = try record(of: resource), record.state != .hidden else { return }
        try withdraw(resource, as: .empty)
    }
}

extension Tables {
    /// Every filter by number. There are few: a program has as many as it has kinds of content.
    func filters(in source: ReadTransaction) throws -> [(number: Int64, record: FilterState)] {
        var found: [(number: Int64, record: FilterState)] = []
        try forEach(.filters, prefix: [], in: source) { key, body in
            found.append(
                try decoding(.filters) { () throws(FormatError) in
                    (try FilterState.decodeKey(key), try FilterState(decoding: body))
                })
            return true
        }
        return found
    }

    /// Every readable filter by number.
    func readableFilters(in source: ReadTransaction) throws -> [(number: Int64, record: FilterState)] {
        var found: [(number: Int64, record: FilterState)] = []
        try forEachReadable(.filters, in: source) { key, body throws(FormatError) in
            (try FilterState.decodeKey(key), try FilterState(decoding: body))
        } _: { (filter: (number: Int64, record: FilterState)) in
            found.append(filter)
        }
        return found
    }

    /// The number of every filter.
    func filterNumbers(in source: ReadTransaction) throws -> [Int64] {
        var found: [Int64] = []
        try forEachRaw(.filters, prefix: [], in: source) { entry in
            if let number = try? FilterState.decodeKey(entry.key) { found.append(number) }
            return true
        }
        return found
    }

    /// The members of one filter, in the order of their keys.
    func members(
        of filter: Int64, in source: ReadTransaction
    ) throws -> [(resource: ResourceKey, record: MemberRecord)] {
        var found: [(resource: ResourceKey, record: MemberRecord)] = []
        try forEach(.members, prefix: MemberRecord.prefix(filter: filter), in: source) { key, body in
            found.append(
                try decoding(.members) { () throws(FormatError) in
                    (try MemberRecord.decodeKey(key).resource, try MemberRecord(decoding: body))
                })
            return true
        }
        return found
    }
}

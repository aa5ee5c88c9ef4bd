import Synchronization

extension Origin {
    /// Creates a resource and publishes it: `RESOURCE_CREATE`.
    ///
    /// - Parameters:
    ///   - resource: The name of the resource.
    ///   - rows: Its first rows; of two with one name the later is stored.
    /// - Returns: The change's number.
    /// - Throws: ``OriginError/invalidGroup`` or ``OriginError/invalidResourceID(_:)`` for the name;
    ///   ``OriginError/resourceExists(_:)``; for a refused row the errors of ``putRow(_:in:)``.
    @discardableResult
    public func createResource(_ resource: ResourceID, rows: [Row] = []) throws(OriginError) -> Int64 {
        try resource.validate()
        let table = try table(of: rows, rules: rules(of: resource.group))
        return try command { (state, now) throws(OriginError) in
            guard state.resources[resource] == nil else { throw OriginError.resourceExists(resource) }
            return state.publish(resource, rows: table, at: now)
        }
    }

    /// Replaces all rows of a resource at once: `RESOURCE_INVALIDATE`.
    ///
    /// - Returns: The change's number, or `nil` when the resource is hidden: then nothing is logged.
    /// - Throws: ``OriginError/unknownResource(_:)``; for a refused row the errors of ``putRow(_:in:)``.
    @discardableResult
    public func replaceRows(of resource: ResourceID, with rows: [Row]) throws(OriginError) -> Int64? {
        let table = try table(of: rows, rules: rules(of: resource.group))
        return try change(resource) { entry in
            entry.rows = table
            return .resourceInvalidate
        }
    }

    /// Stores a row: `ROW_CREATE`, or `ROW_UPDATE` where there is one of that name.
    ///
    /// - Returns: The change's number, or `nil` when the resource is hidden: then nothing is logged.
    /// - Throws: ``OriginError/unknownResource(_:)``; ``OriginError/invalidName``, ``OriginError/invalidBody(_:)``,
    ///   ``OriginError/bodyContradictsName(_:)``, ``OriginError/typeNotDerivable(_:)`` or
    ///   ``OriginError/keyNotDerivable(_:)`` for a refused row.
    @discardableResult
    public func putRow(_ row: Row, in resource: ResourceID) throws(OriginError) -> Int64? {
        let body = try rules(of: resource.group).wireBody(of: row)
        return try change(resource) { entry in
            let existed = entry.rows.put(RowTable.Entry(key: row.key, body: body))
            return existed ? .rowUpdate(row.key, body: body) : .rowCreate(row.key, body: body)
        }
    }

    /// Deletes a row: `ROW_DELETE`.
    ///
    /// - Returns: The change's number, or `nil` when there was no such row or the resource is hidden: then nothing is
    ///   logged.
    /// - Throws: ``OriginError/unknownResource(_:)``.
    @discardableResult
    public func deleteRow(_ key: RowKey, in resource: ResourceID) throws(OriginError) -> Int64? {
        try change(resource) { entry in entry.rows.delete(key) ? .rowDelete(key) : nil }
    }

    /// Hides a public resource: `RESOURCE_DELETE`. The origin keeps its rows, and later changes of them are not logged.
    ///
    /// - Parameters:
    ///   - resource: The name of the resource.
    ///   - reason: The value of `unavailable_reason`.
    /// - Returns: The change's number.
    /// - Throws: ``OriginError/unknownResource(_:)``; ``OriginError/hidden(_:)`` when it is hidden already.
    @discardableResult
    public func hideResource(_ resource: ResourceID, reason: String? = nil) throws(OriginError) -> Int64 {
        try command { (state, now) throws(OriginError) in
            guard let entry = state.resources[resource] else { throw OriginError.unknownResource(resource) }
            guard entry.published != nil else { throw OriginError.hidden(resource) }
            state.hide(resource)
            return state.record(.resourceDelete(reason: reason), of: resource, at: now)
        }
    }

    /// Makes a hidden resource public again, with the rows it has now: `RESOURCE_CREATE`.
    ///
    /// - Returns: The change's number.
    /// - Throws: ``OriginError/unknownResource(_:)``; ``OriginError/alreadyPublic(_:)``.
    @discardableResult
    public func publishResource(_ resource: ResourceID) throws(OriginError) -> Int64 {
        try command { (state, now) throws(OriginError) in
            guard let entry = state.resources[resource] else { throw OriginError.unknownResource(resource) }
            guard entry.published == nil else { throw OriginError.alreadyPublic(resource) }
            return state.publish(resource, rows: entry.rows, at: now)
        }
    }

    /// Logs a confirmation of a public resource without a change of its rows: `RESOURCE_UPDATE`.
    ///
    /// - Returns: The change's number.
    /// - Throws: ``OriginError/unknownResource(_:)``; ``OriginError/hidden(_:)``.
    @discardableResult
    public func touchResource(_ resource: ResourceID) throws(OriginError) -> Int64 {
        try command { (state, now) throws(OriginError) in
            guard let entry = state.resources[resource] else { throw OriginError.unknownResource(resource) }
            guard entry.published != nil else { throw OriginError.hidden(resource) }
            return state.record(.resourceUpdate, of: resource, at: now)
        }
    }

    /// Removes the changes below `sequence` from the log; runs that need one of them must bootstrap again (410).
    public func removeChanges(before sequence: Int64) {
        state.withLock { $0.removeChanges(before: sequence) }
    }

    /// Makes every token and cursor issued so far invalid (410).
    public func invalidateTokens() {
        state.withLock { $0.epoch += 1 }
    }
}

extension Origin {
    /// Applies one change to one resource's rows and logs it if the resource is public.
    private func change(
        _ resource: ResourceID, _ apply: (inout OriginState.Resource) -> Change.Kind?
    ) throws(OriginError) -> Int64? {
        try command { (state, now) throws(OriginError) in
            // Removed from the dictionary so that the rows have a single owner and change in place.
            guard var entry = state.resources.removeValue(forKey: resource) else {
                throw OriginError.unknownResource(resource)
            }
            let kind = apply(&entry)
            let isPublic = entry.published != nil
            state.resources[resource] = entry
            guard isPublic, let kind else { return nil }
            return state.record(kind, of: resource, at: now)
        }
    }

    private func command<Result: Sendable>(
        _ body: (inout OriginState, Int64) throws(OriginError) -> Result
    ) throws(OriginError) -> Result {
        let now = ChangeTime(milliseconds: self.now()).milliseconds
        return try state.withLock { (state) throws(OriginError) in try body(&state, now) }
    }

    private func table(of rows: [Row], rules: GroupRules) throws(OriginError) -> RowTable {
        var table = RowTable()
        for row in rows { table.put(RowTable.Entry(key: row.key, body: try rules.wireBody(of: row))) }
        return table
    }
}

#if Postgres
public import LarderServer

// The commands of `Origin`, each in a transaction of its own. A program that changes more at once writes the tables itself.
extension PostgresOrigin {
    /// The number of the latest change; 0 before the first.
    public var sequence: Int64 {
        get async throws { try await change { transaction in try ContentTable.head(&transaction).sequence } }
    }

    /// Returns the rules of `group`: those of the database, or `GroupTable.openRules`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    public func rules(of group: String) async throws -> GroupRules {
        try await change { transaction in try ContentTable.rules(of: group, &transaction) }
    }

    /// The names of the public resources, by group (UTF-8) and id.
    public var publicResources: [Origin.ResourceID] {
        get async throws { try await change { transaction in try ContentTable.publicResources(&transaction) } }
    }

    /// The changes in the log, ascending: all of them, in memory.
    public var changes: [Origin.Change] {
        get async throws { try await change { transaction in try ContentTable.changes(&transaction) } }
    }

    /// Returns the rows of a resource, public or hidden, as sent over the wire; `nil` when it was never created.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    public func rows(of resource: Origin.ResourceID) async throws -> [Origin.Row]? {
        try await change { transaction in
            guard try ContentTable.isPublic(resource, &transaction) != nil else { return nil }
            return try ContentTable.rows(of: resource, &transaction)
        }
    }

    /// Creates a resource and publishes it, as `Origin.createResource(_:rows:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func createResource(_ resource: Origin.ResourceID, rows: [Origin.Row]) async throws -> Int64 {
        try resource.validate()
        return try await change { transaction in
            let rules = try ContentTable.rules(of: resource.group, &transaction)
            let rows = try ContentTable.wireRows(rows, rules)
            guard try ContentTable.create(resource, &transaction) else { throw OriginError.resourceExists(resource) }
            try ContentTable.insert(rows, into: resource, &transaction)
            return try transaction.numberChanges()
        }
    }

    /// Replaces all rows of a resource at once, as `Origin.replaceRows(of:with:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func replaceRows(of resource: Origin.ResourceID, with rows: [Origin.Row]) async throws -> Int64? {
        try await change { transaction in
            let rules = try ContentTable.rules(of: resource.group, &transaction)
            let rows = try ContentTable.wireRows(rows, rules)
            guard let isPublic = try ContentTable.isPublic(resource, &transaction, lock: "FOR NO KEY UPDATE") else {
                throw OriginError.unknownResource(resource)
            }
            try ContentTable.removeRows(of: resource, &transaction)
            try ContentTable.insert(rows, into: resource, &transaction)
            return isPublic ? try transaction.numberChanges() : nil
        }
    }

    /// Stores a row, as `Origin.putRow(_:in:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func putRow(_ row: Origin.Row, in resource: Origin.ResourceID) async throws -> Int64? {
        try await change { transaction in
            let rules = try ContentTable.rules(of: resource.group, &transaction)
            let rows = try ContentTable.wireRows([row], rules)
            guard let isPublic = try ContentTable.isPublic(resource, &transaction, lock: "FOR SHARE") else {
                throw OriginError.unknownResource(resource)
            }
            try ContentTable.insert(rows, into: resource, &transaction)
            return isPublic ? try transaction.numberChanges() : nil
        }
    }

    /// Deletes a row, as `Origin.deleteRow(_:in:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func deleteRow(_ key: Origin.RowKey, in resource: Origin.ResourceID) async throws -> Int64? {
        try await change { transaction in
            guard let isPublic = try ContentTable.isPublic(resource, &transaction, lock: "FOR SHARE") else {
                throw OriginError.unknownResource(resource)
            }
            let isDeleted = try ContentTable.delete(key, of: resource, &transaction)
            return isPublic && isDeleted ? try transaction.numberChanges() : nil
        }
    }

    /// Hides a public resource, as `Origin.hideResource(_:reason:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func hideResource(_ resource: Origin.ResourceID, reason: String?) async throws -> Int64 {
        try await change { transaction in
            let isPublic = try ContentTable.isPublic(resource, &transaction, lock: "FOR NO KEY UPDATE")
            guard let isPublic else { throw OriginError.unknownResource(resource) }
            guard isPublic else { throw OriginError.hidden(resource) }
            try ContentTable.setPublic(false, resource, reason: reason, &transaction)
            return try transaction.numberChanges()
        }
    }

    /// Makes a hidden resource public again, as `Origin.publishResource(_:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func publishResource(_ resource: Origin.ResourceID) async throws -> Int64 {
        try await change { transaction in
            let isPublic = try ContentTable.isPublic(resource, &transaction, lock: "FOR NO KEY UPDATE")
            guard let isPublic else { throw OriginError.unknownResource(resource) }
            guard !isPublic else { throw OriginError.alreadyPublic(resource) }
            try ContentTable.setPublic(true, resource, reason: nil, &transaction)
            return try transaction.numberChanges()
        }
    }

    /// Logs a confirmation of a public resource, as `Origin.touchResource(_:)`.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    @discardableResult
    public func touchResource(_ resource: Origin.ResourceID) async throws -> Int64 {
        try await change { transaction in
            let isPublic = try ContentTable.isPublic(resource, &transaction, lock: "FOR SHARE")
            guard let isPublic else { throw OriginError.unknownResource(resource) }
            guard isPublic else { throw OriginError.hidden(resource) }
            try ContentTable.touch(resource, &transaction)
            return try transaction.numberChanges()
        }
    }

    /// Removes the changes below `sequence` from the log; runs that need one of them must bootstrap again (410).
    ///
    /// Tokens are refused at once; the rows of the log are deleted in transactions of at most 10,000.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    public func removeChanges(before sequence: Int64) async throws {
        try await change { transaction in try ContentTable.forget(before: sequence, &transaction) }
        while try await change({ transaction in try ContentTable.removeForgotten(&transaction) }) {}
    }

    /// Makes every token and cursor issued so far invalid (410).
    ///
    /// Other servers go on for ``open(_:replica:groups:bootstrapAge:now:)``'s `bootstrapAge` to give first syncs tokens that
    /// are refused then. To be called also where numbers may be given a second time: after the restore of an older database, and after a
    /// failover that lost commits.
    ///
    /// - Throws: `OriginError`, as the command of `Origin`; `OriginProblem`, with status 503 while the database cannot be used.
    public func invalidateTokens() async throws {
        try await change { transaction in try ContentTable.invalidateTokens(&transaction) }
        bootstraps.clear()
    }

    /// Runs a transaction, and again where its connection was lost before the commit.
    ///
    /// - Throws: `OriginError`, `OriginProblem`.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout PostgresTransaction) throws -> Value
    ) async throws -> Value {
        do {
            do {
                return try await pool.transaction(.readCommitted, body)
            } catch let error as PostgresError where error.isOfConnection {
                return try await pool.transaction(.readCommitted, body)
            }
        } catch let error as OriginError {
            throw error
        } catch {
            throw OriginProblem(of: error)
        }
    }
}

extension PostgresTransaction {
    /// Numbers the changes of content that this transaction has made, and returns the number of the latest change.
    ///
    /// A handler puts it into `X-Sync-Sequence`: the client then shows its own write until a run has brought it back.
    /// Other transactions that change content wait from here on, so that this is a handler's last step.
    ///
    /// ```swift
    /// try transaction.execute("UPDATE larder.rows SET body = $1 WHERE …", [.text(body)])
    /// response.fields[.syncSequence] = String(try transaction.numberChanges())
    /// ```
    ///
    /// - Throws: As ``query(_:_:)``; the tables of a ``PostgresOrigin`` must be there.
    public mutating func numberChanges() throws(PostgresError) -> Int64 {
        try query("SELECT larder.number_changes()").first?.integer(0) ?? 0
    }
}
#endif

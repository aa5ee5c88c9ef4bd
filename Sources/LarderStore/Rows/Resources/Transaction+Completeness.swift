package import LarderFormat

extension Transaction {
    /// Makes a resource ready, even without rows, and records when it was last known to be complete.
    ///
    /// Rows that were visible stay; a hidden, evicted or empty resource begins without any.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/invalid(_:)`` for a group beyond the format's limits; ``EngineError``.
    package mutating func markComplete(_ resource: ResourceKey, now: Int64) throws {
        _ = try ensureVisibleRows(of: resource)
        try update(resource) { $0.syncedAt = now }
    }

    /// Records that a resource without visible rows is about to get some, one by one, and so is not complete.
    ///
    /// Does nothing to a resource that is ready.
    ///
    /// - Throws: as ``markComplete(_:now:)``.
    package mutating func markIncomplete(_ resource: ResourceKey) throws {
        guard let record = try record(of: resource), record.syncedAt != nil,
            try rowSource(of: resource) == nil
        else { return }
        try update(resource) { $0.syncedAt = nil }
    }
}

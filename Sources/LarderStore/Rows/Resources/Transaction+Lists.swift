package import LarderFormat

extension Transaction {
    /// Makes a resource ready, be it without rows, and notes when it was last known to be whole.
    ///
    /// Rows that were visible stay; one that was hidden, evicted or empty begins without any.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    package mutating func noteWhole(_ resource: ResourceKey, now: Int64) throws {
        _ = try visibleRows(of: resource)
        try update(resource) { $0.syncedAt = now }
    }

    /// Notes that a resource without visible rows is about to get some, one by one, and so is not whole.
    ///
    /// Does nothing to a resource that is ready.
    package mutating func noteUnfinished(_ resource: ResourceKey) throws {
        guard let record = try record(of: resource), record.syncedAt != nil,
            try rowSource(of: resource) == nil
        else { return }
        try update(resource) { $0.syncedAt = nil }
    }
}

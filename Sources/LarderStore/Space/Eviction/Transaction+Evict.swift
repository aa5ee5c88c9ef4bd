internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// Keeps a resource from being evicted, or lets it be evicted again.
    ///
    /// Pinning fetches nothing. A resource that is not known yet can be pinned in advance.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a group beyond the format's limits;
    ///   ``StoreError/damaged(table:reason:)``.
    public mutating func pin(_ resource: ResourceKey, _ isPinned: Bool = true) throws {
        if try !isPinned && record(of: resource) == nil { return }
        try update(resource) { $0.isPinned = isPinned }
    }

    /// Drops the rows of a resource; its record and applied sequence stay, and it can be fetched again.
    ///
    /// A pinned resource is evicted, too, and stays pinned. A resource without visible rows, with a snapshot being
    /// written, or with overlays, is left as it is.
    ///
    /// - Returns: whether rows were dropped.
    /// - Throws: ``StoreError/damaged(table:reason:)``; `EngineError`.
    @discardableResult
    public mutating func evict(_ resource: ResourceKey) throws -> Bool {
        guard var record = try record(of: resource) else { return false }
        record.isPinned = false
        guard record.isEvictable else { return false }
        try evict(resource, reason: .host)
        return true
    }

    /// Drops the rows of a ready resource and journals the eviction.
    ///
    /// - Returns: the generation they were in; nil when there was none.
    @discardableResult
    mutating func evict(_ resource: ResourceKey, reason: Eviction.Reason) throws -> Int64? {
        guard let record = try record(of: resource), let generation = record.liveGeneration else { return nil }
        try update(resource) {
            $0.state = .evicted
            $0.liveGeneration = nil
            $0.rowCount = 0
            $0.byteCount = 0
            $0.evictedBytes = record.byteCount
        }
        try discardGeneration(generation)
        effects.changes.addReplaced(resource)
        try journalEviction(Eviction(.resource(resource), bytes: record.byteCount, reason: reason, time: budget.now()))
        return generation
    }

    /// Journals an eviction, and has observers notified.
    mutating func journalEviction(_ eviction: Eviction) throws {
        try appendJournalRecord(JournalRecord(time: eviction.time, event: .evicted(eviction)))
        state(EvictedBytes.self).count.addClamped(eviction.bytes)
        effects.changes.addEviction(eviction)
    }
}

/// The bytes that a transaction has evicted.
final class EvictedBytes: CommitState {
    var count: Int64 = 0

    init(_ shared: SharedState) {}
}

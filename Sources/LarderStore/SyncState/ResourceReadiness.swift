public import LarderFormat

/// The readiness of one resource for offline use, in one view of the store.
public struct ResourceReadiness: Hashable, Sendable {
    /// Group and number.
    public let key: ResourceKey
    /// The state of the resource for readers.
    public let state: ResourceState
    /// The server sequence of its rows: they contain every change of the resource up to it.
    public var appliedSequence: Int64 { applied.sequence }
    /// The position up to which its rows contain the server's changes.
    package let applied: ServerPosition
    /// The generation that readers see, or nil while there is none; never used twice.
    public let generation: Int64?
    /// When all of its rows were last replaced or compared, by a snapshot or by a pass over a list, in milliseconds since
    /// 1970-01-01 UTC; changes of single rows leave it.
    ///
    /// Nil while the first pass over a list is under way: the pages received so far are shown by then.
    public let syncedAt: Int64?
    /// The server's time of its last change, in milliseconds since 1970-01-01 UTC.
    public let changedAt: Int64?
    /// Rows that readers see.
    public let rowCount: Int
    /// Bytes of their keys and values.
    public let byteCount: Int
    /// The server's version of its rows' shape.
    public let schemaVersion: Int64?
    /// The reason its snapshot could not be brought in at the last attempt; nil when nothing failed since one was.
    public let failure: ResourceFailure?
    /// Whether the filter's bootstrap under way has brought it in; nil when there is none, and when no filter is
    /// concerned.
    public let isFinishedInRun: Bool?

    /// Whether all of it can be read without the server.
    ///
    /// False for a resource that was not brought in yet, was evicted, or was hidden by the server. It stays true
    /// while a newer snapshot is fetched: readers keep the old one until the new one is complete.
    public var isComplete: Bool { state == .ready && generation != nil }

    /// Whether nothing under way will complete it: its rows were evicted, they cannot be named here, the server refuses
    /// its snapshot, or that failed three times in a row.
    ///
    /// An evicted resource is fetched again when it is opened or kept; a failed one is tried again from time to time.
    public var isStuck: Bool {
        if isComplete || state == .hidden { return false }
        if state == .evicted, isFinishedInRun != false { return true }
        return hasPersistentFailure
    }

    /// Whether the server refuses its snapshot, its rows cannot be named here, or it failed three times in a row.
    package var hasPersistentFailure: Bool { failure.map { $0.isFinal || $0.attempts >= 3 } ?? false }

    init(_ key: ResourceKey, _ record: ResourceRecord, isFinishedInRun: Bool? = nil) {
        let resource = Resource(key, record)
        self.key = key
        state = resource.state
        applied = resource.applied
        generation = resource.generation
        syncedAt = resource.syncedAt
        changedAt = resource.changedAt
        rowCount = resource.rowCount
        byteCount = resource.byteCount
        schemaVersion = resource.schemaVersion
        failure = record.failure.map { ResourceFailure(key, $0) }
        self.isFinishedInRun = isFinishedInRun
    }
}

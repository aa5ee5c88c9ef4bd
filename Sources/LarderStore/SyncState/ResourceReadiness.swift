public import LarderFormat

/// How ready one resource is for going offline, as one snapshot of the store says it.
public struct ResourceReadiness: Hashable, Sendable {
    /// Group and number.
    public let key: ResourceKey
    /// What a reader may see of it.
    public let state: ResourceState
    /// The server sequence that its rows are as of: every change of it up to there is in them.
    public var floor: Int64 { applied.sequence }
    /// Up to where its rows contain the server's changes.
    package let applied: ServerPosition
    /// The generation that readers see, or nil while there is none; never used twice.
    public let generation: Int64?
    /// When its full copy was last swapped in, or a pass over a list last finished, in milliseconds since 1970-01-01 UTC.
    ///
    /// Nil while the first pass over a list is under way: the pages that came are shown by then.
    public let syncedAt: Int64?
    /// The server's time of its last change, in milliseconds since 1970-01-01 UTC.
    public let changedAt: Int64?
    /// Rows that readers see.
    public let rowCount: Int
    /// Bytes of their keys and values.
    public let byteCount: Int
    /// The server's version of its rows' shape.
    public let schemaVersion: Int64?
    /// Why its snapshot could not be brought in when that was last tried; nil when nothing failed since one came in.
    public let failure: ResourceFailure?
    /// Whether the filter's bootstrap under way has brought it in; nil when none is, and when no filter was asked about.
    public let isFinishedInRun: Bool?

    /// Whether all of it can be read without the server.
    ///
    /// False for what has not come yet, was evicted, or was withdrawn by the server. It stays true while a newer copy
    /// is fetched: readers keep the old one until the new one is whole.
    public var isComplete: Bool { state == .ready && generation != nil }

    /// Whether nothing that is under way will bring it: its rows were evicted, they cannot be named here, the server
    /// refuses its snapshot, or that failed three times in a row.
    ///
    /// What was evicted comes back when it is opened or kept; what failed is tried again from time to time.
    public var isStuck: Bool {
        if isComplete || state == .hidden { return false }
        if state == .evicted, isFinishedInRun != false { return true }
        return hasLastingFailure
    }

    /// Whether the server refuses its snapshot, its rows cannot be named here, or it failed three times in a row.
    package var hasLastingFailure: Bool { failure.map { $0.isFinal || $0.attempts >= 3 } ?? false }

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

public import LarderFormat

/// The sync state of one filter.
public struct FilterState: Hashable, Sendable {
    /// The canonical text of the filter.
    public let filter: String
    /// The server's checkpoint, or nil while there is none.
    public let token: String?
    /// When the last token was stored, in milliseconds since 1970-01-01 UTC; stays when that token is rejected.
    public let tokenUpdatedAt: Int64?
    /// The bound of the last finished run; stays when its token is rejected.
    public let lastUntilSequence: Int64?
    /// Grows with every bootstrap begun, and when another filter has taken back rows of a member.
    public let run: Int64
    /// The pages of the bootstrap under way that are in.
    public let pagesDone: Int64
    /// Whether a bootstrap has begun and not finished.
    public let isBootstrapping: Bool
    /// Whether the server rejected the last token.
    public let isRejected: Bool
    /// When the last run began, in milliseconds since 1970-01-01 UTC.
    public let attemptedAt: Int64?
    /// When the next run is meant to begin by itself, in milliseconds since 1970-01-01 UTC.
    public let nextAttemptAt: Int64?
    /// The runs that failed since the last one that finished.
    public let failures: Int64
    /// Why the last run failed, one line without content; nil once a run has finished.
    public let lastError: String?
    /// The tokens that were rejected since the last incremental run that finished.
    public let resyncs: Int64
    /// When a token was last rejected, in milliseconds since 1970-01-01 UTC.
    public let resyncedAt: Int64?
    /// The resources it holds.
    public let members: [ResourceKey]

    init(_ record: FilterRecord, members: [ResourceKey]) {
        filter = record.canonicalText
        token = record.token
        tokenUpdatedAt = record.tokenUpdatedAt
        lastUntilSequence = record.lastUntilSequence
        isBootstrapping = record.isBootstrapping
        isRejected = record.isRejected
        run = record.run
        pagesDone = record.pagesDone
        attemptedAt = record.attemptedAt
        nextAttemptAt = record.nextAttemptAt
        failures = record.failures
        lastError = record.lastError
        resyncs = record.resyncs
        resyncedAt = record.resyncedAt
        self.members = members
    }
}

extension ReadView {
    /// Every filter with its token and members, in the order they were first synced.
    public borrowing func filters() throws -> [FilterState] {
        try tables.filters(in: transaction).map { number, record in
            FilterState(record, members: try tables.members(of: number, in: transaction).map(\.resource))
        }
    }

    /// Those filters that can be read.
    package borrowing func readableFilters() throws -> [FilterState] {
        try tables.readableFilters(in: transaction).map { number, record in
            FilterState(record, members: try tables.members(of: number, in: transaction).map(\.resource))
        }
    }

    /// The membership of a resource in a filter, by the filter's number.
    package borrowing func member(ofFilter number: Int64, _ resource: ResourceKey) throws -> MemberRecord? {
        try tables.member(filter: number, resource, in: transaction)
    }
}

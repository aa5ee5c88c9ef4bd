public import LarderFormat

/// The sync state of one filter.
public struct FilterState: Hashable, Sendable {
    /// The canonical text of the filter.
    public let filter: String
    /// The server's checkpoint, or nil while there is none.
    public let token: String?
    /// When the token was stored, in milliseconds since 1970-01-01 UTC.
    public let tokenUpdatedAt: Int64?
    /// The bound of the last finished run.
    public let lastUntilSequence: Int64?
    /// Whether a bootstrap has begun and not finished.
    public let isBootstrapping: Bool
    /// Whether the server rejected the last token.
    public let isRejected: Bool
    /// The resources it holds.
    public let members: [ResourceKey]

    init(_ record: FilterRecord, members: [ResourceKey]) {
        filter = record.canonicalText
        token = record.token
        tokenUpdatedAt = record.tokenUpdatedAt
        lastUntilSequence = record.lastUntilSequence
        isBootstrapping = record.isBootstrapping
        isRejected = record.isRejected
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

    /// The membership of a resource in a filter, by the filter's number.
    package borrowing func member(ofFilter number: Int64, _ resource: ResourceKey) throws -> MemberRecord? {
        try tables.member(filter: number, resource, in: transaction)
    }
}

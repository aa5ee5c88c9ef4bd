public import LarderFormat
public import LarderStore

/// A write that the server did not take because it holds something else than the write was made from.
public struct Conflict: Hashable, Sendable {
    /// One of the states of what the write is about.
    public struct Side: Hashable, Sendable {
        /// The payload; nil where there is none: removed.
        public var payload: [UInt8]?
        /// When it came to be, in milliseconds since 1970-01-01 UTC, by the clock of whoever made it.
        public var updatedAt: Int64?
        /// The server's revision of it.
        public var revision: Int64?
        /// The server's entity tag of it.
        public var entityTag: String?

        /// A state of these parts.
        public init(
            payload: [UInt8]?, updatedAt: Int64? = nil, revision: Int64? = nil, entityTag: String? = nil
        ) {
            self.payload = payload
            self.updatedAt = updatedAt
            self.revision = revision
            self.entityTag = entityTag
        }
    }

    /// The write.
    public var entry: OutboxEntry
    /// The row of its first effect.
    public var row: RowKey?
    /// The status code of the server's answer.
    public var status: Int
    /// What the write was made from, where that is kept.
    public var base: Side?
    /// What the write makes of it.
    public var local: Side
    /// What the server holds; nil where it is not asked.
    public var remote: Side?

    /// A conflict of these parts.
    public init(entry: OutboxEntry, row: RowKey?, status: Int, base: Side?, local: Side, remote: Side?) {
        self.entry = entry
        self.row = row
        self.status = status
        self.base = base
        self.local = local
        self.remote = remote
    }

    /// The entry in conflict.
    public var entryID: UUIDBytes { entry.id }
}

/// Whose word counts.
public enum ConflictResolution: Hashable, Sendable {
    /// The server's: the write is given up and rolled back, and what comes after it goes with it.
    case keepRemote
    /// The write's: it is sent again as it is, under a key of its own, on the condition that the server still holds what it
    /// held.
    case keepLocal
    /// Something of both: `body` is sent in its place, on the same condition, and readers see `shown`, or `body` where that
    /// is nil.
    case send(_ body: [UInt8], shown: [UInt8]? = nil)
    /// Nobody's yet: the entry stays in conflict, and holds what is behind it about the same entity, until the host decides
    /// with ``Outbox/resolve(_:with:)``. It is asked about again at the next start.
    case leave
}

public import LarderFormat
public import LarderStore

/// A write that the server refused because it holds another version than the write was made from.
public struct Conflict: Hashable, Sendable {
    /// One version of the content that the write is about.
    public struct Side: Hashable, Sendable {
        /// The payload; nil where it was removed.
        public var payload: [UInt8]?
        /// When it was made, in milliseconds since 1970-01-01 UTC, by the clock of the device or server that made it.
        public var updatedAt: Int64?
        /// The server's revision of it.
        public var revision: Int64?
        /// The server's entity tag of it.
        public var entityTag: String?

        /// A version of these parts.
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
    /// The status code of the server's response.
    public var status: Int
    /// The version that the write was made from, where it is kept.
    public var base: Side?
    /// The version that the write makes of it.
    public var local: Side
    /// The server's version; nil where the server is not asked.
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

/// The decision on a conflict.
public enum ConflictResolution: Hashable, Sendable {
    /// The server's version is kept: the write is discarded and rolled back, and entries that come after it are
    /// rejected.
    case keepRemote
    /// The write is kept: it is sent again as it is, under a key of its own. The condition is that the server's version
    /// has not changed (`If-Match`, where the server gave a strong entity tag).
    case keepLocal
    /// A merge is sent: `body` in place of the write, on the same condition. Readers see `shown`, or else `body`.
    case send(_ body: [UInt8], shown: [UInt8]? = nil)
    /// There is no decision yet: the entry stays in conflict, and holds the entries behind it about the same entity,
    /// until the host decides with ``Outbox/resolve(_:with:)``. The policy decides again at the next start.
    case deferToHost
}

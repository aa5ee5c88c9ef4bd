/// A breakdown of the stored bytes: keys and values of every table but `meta`.
public struct SpaceUse: Hashable, Sendable {
    /// All stored bytes.
    public internal(set) var stored: Int64 = 0
    /// The most bytes that may be stored; nil for any number.
    public internal(set) var cap: Int64?
    /// Rows, responses and collections that may be evicted.
    public internal(set) var evictable: Int64 = 0
    /// Rows of pinned resources, and pinned responses.
    public internal(set) var pinned: Int64 = 0
    /// Rows of resources with overlays.
    public internal(set) var overlaid: Int64 = 0
    /// Rows of resources whose new snapshot is being written, and content that the failed write itself changes or
    /// keeps.
    public internal(set) var inUse: Int64 = 0
    /// Rows of snapshots being written.
    public internal(set) var staging: Int64 = 0
    /// Discarded data that is not removed yet.
    public internal(set) var garbage: Int64 = 0
    /// Writes that wait to be sent.
    public internal(set) var outbox: Int64 = 0

    /// Everything else: metadata of resources and filters, tokens, local changes, the journal.
    public var other: Int64 {
        let known = [evictable, pinned, overlaid, inUse, staging, garbage, outbox].reduce(Int64(0)) {
            $0.clampedSum($1)
        }
        return max(0, stored - known)
    }

    /// The bytes that could still be added if everything evictable were removed; nil without a cap.
    public var available: Int64? { cap.map { max(0, ($0 - stored).clampedSum(evictable.clampedSum(garbage))) } }
}

/// The reason a write does not fit: not enough space could be freed for it.
public struct SpaceShortage: Hashable, Sendable {
    /// The most that may be stored, in bytes.
    public let cap: Int64
    /// The bytes that the write adds.
    public let needed: Int64
    /// The bytes still missing after everything evictable was removed.
    public let missing: Int64
    /// The bytes that were evicted, and restored by the write's failure.
    public let evictable: Int64
    /// The use of the rest, the write itself included.
    public let use: SpaceUse
}

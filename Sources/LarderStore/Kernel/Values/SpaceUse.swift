/// What the stored bytes are spent on: keys and values of every table but `meta`.
public struct SpaceUse: Hashable, Sendable {
    /// All of them.
    public internal(set) var stored: Int64 = 0
    /// The most that may be stored; nil for any number.
    public internal(set) var cap: Int64?
    /// Rows, responses and collections that may be evicted.
    public internal(set) var evictable: Int64 = 0
    /// Rows of pinned resources, and pinned responses.
    public internal(set) var pinned: Int64 = 0
    /// Rows of resources with local changes that are not confirmed yet.
    public internal(set) var overlaid: Int64 = 0
    /// Rows of resources whose new full copy is being written, and what the write in question itself changes or keeps.
    public internal(set) var inUse: Int64 = 0
    /// Rows of full copies being written.
    public internal(set) var staging: Int64 = 0
    /// What was replaced and is not removed yet.
    public internal(set) var garbage: Int64 = 0
    /// Writes that wait to be sent.
    public internal(set) var outbox: Int64 = 0

    /// Everything else: what is known of resources and filters, tokens, local changes, the journal.
    public var other: Int64 {
        let known = [evictable, pinned, overlaid, inUse, staging, garbage, outbox].reduce(Int64(0)) {
            $0.clampedSum($1)
        }
        return max(0, stored - known)
    }

    /// The most that could be stored if everything went that may; nil without a cap.
    public var available: Int64? { cap.map { max(0, ($0 - stored).clampedSum(evictable.clampedSum(garbage))) } }
}

/// Why a write does not fit: room could not be made for it.
public struct SpaceShortage: Hashable, Sendable {
    /// The most that may be stored, in bytes.
    public let cap: Int64
    /// The bytes that the write adds.
    public let needed: Int64
    /// The bytes still missing when everything that may go had gone.
    public let missing: Int64
    /// The bytes that had gone, and came back with the write's failure.
    public let evictable: Int64
    /// What holds the rest, the write itself included.
    public let use: SpaceUse
}

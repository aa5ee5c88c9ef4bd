public import LarderFormat
public import LarderStore

/// What keeping a resource offline would take.
public struct KeepEstimate: Hashable, Sendable {
    /// What the number of bytes goes by.
    public enum Basis: String, Hashable, Sendable {
        /// The rows are here: it is exact.
        case here
        /// The rows that were here before they were evicted.
        case lastCopy
        /// Nothing: how large it is will be known when it comes.
        case unknown
    }

    /// The resource.
    public let resource: ResourceKey
    /// The bytes of its rows; nil when not known.
    public let bytes: Int64?
    /// What the bytes go by.
    public let basis: Basis
    /// What is in the way, as far as can be told beforehand; nil when there is room, or the size is not known.
    public let shortage: KeepShortage?
}

/// That there is no room to keep a resource offline.
public struct KeepShortage: Hashable, Sendable {
    /// The bytes missing when everything that may go had gone.
    public let missing: Int64
    /// What is pinned, the largest first, with the bytes of its rows.
    public let pinned: [PinnedResource]
    /// What the stored bytes are spent on.
    public let use: SpaceUse
}

/// A resource that eviction leaves alone, and what it takes.
public struct PinnedResource: Hashable, Sendable {
    /// The resource.
    public let resource: ResourceKey
    /// The bytes of keys and values of its rows.
    public let bytes: Int64
}

extension KeepEstimate {
    /// The estimate for a resource that is known.
    init(_ known: Resource, in view: borrowing ReadView, use: SpaceUse) throws {
        resource = known.key
        if known.generation != nil, known.state == .ready {
            (bytes, basis) = (Int64(known.byteCount), .here)
        } else if let before = known.evictedByteCount {
            (bytes, basis) = (Int64(before), .lastCopy)
        } else {
            (bytes, basis) = (nil, .unknown)
        }
        var shortage: KeepShortage?
        if basis == .lastCopy, let bytes, let available = use.available, bytes > available {
            shortage = KeepShortage(missing: bytes - available, pinned: try view.pinned(), use: use)
        }
        self.shortage = shortage
    }
}

extension ReadView {
    /// What is pinned, the largest first.
    borrowing func pinned() throws -> [PinnedResource] {
        try resources().filter(\.isPinned).map { PinnedResource(resource: $0.key, bytes: Int64($0.byteCount)) }
            .sorted { ($1.bytes, $0.resource) < ($0.bytes, $1.resource) }
    }
}

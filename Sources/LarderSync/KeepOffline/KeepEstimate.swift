public import LarderFormat
public import LarderStore

/// An estimate of the space that keeping a resource offline needs.
///
/// ```swift
/// let estimate = try coordinator.keepEstimate(ResourceKey("translations", 19))
/// if let shortage = estimate.shortage { print(shortage.missing, "bytes are missing") }
/// try await coordinator.keep(estimate.resource)  // until `stopKeeping`
/// ```
public struct KeepEstimate: Hashable, Sendable {
    /// The basis of the number of bytes.
    public enum Basis: String, Hashable, Sendable {
        /// The rows in the store: the number is exact.
        case stored
        /// The rows that were in the store before they were evicted.
        case previousSnapshot
        /// None: the size is unknown until the snapshot arrives.
        case unknown
    }

    /// The resource.
    public let resource: ResourceKey
    /// The bytes of its rows; nil when unknown.
    public let bytes: Int64?
    /// The basis of ``bytes``.
    public let basis: Basis
    /// The missing space, as far as it is known beforehand; nil when there is enough, or the size is unknown.
    public let shortage: KeepShortage?
}

/// A lack of space to keep a resource offline.
public struct KeepShortage: Hashable, Sendable {
    /// The bytes that are missing even after everything evictable is evicted.
    public let missing: Int64
    /// The pinned resources, the largest first.
    public let pinned: [PinnedResource]
    /// The use of the stored bytes.
    public let use: SpaceUse
}

/// A resource that is never evicted, and its size.
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
            (bytes, basis) = (Int64(known.byteCount), .stored)
        } else if let before = known.evictedByteCount {
            (bytes, basis) = (Int64(before), .previousSnapshot)
        } else {
            (bytes, basis) = (nil, .unknown)
        }
        var shortage: KeepShortage?
        if basis == .previousSnapshot, let bytes, let available = use.available, bytes > available {
            shortage = KeepShortage(missing: bytes - available, pinned: try view.pinned(), use: use)
        }
        self.shortage = shortage
    }
}

extension ReadView {
    /// Returns the pinned resources, the largest first.
    borrowing func pinned() throws -> [PinnedResource] {
        try resources().filter(\.isPinned).map { PinnedResource(resource: $0.key, bytes: Int64($0.byteCount)) }
            .sorted { ($1.bytes, $0.resource) < ($0.bytes, $1.resource) }
    }
}

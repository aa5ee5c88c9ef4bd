/// The most that may wait to be sent. Dead letters are outside of it.
public struct OutboxBounds: Hashable, Sendable {
    /// What happens to a write that does not fit.
    public enum WhenFull: Hashable, Sendable {
        /// It is refused with ``OutboxError/full(_:)``: the default, because nothing is lost so.
        case refuse
        /// The oldest entry that is not being sent becomes a dead letter, as *failed*, until it fits. Its overlay stays, and so
        /// does everything else about it; but it is sent only when somebody revives it.
        case retireOldest
    }

    /// The most entries; 1 or more.
    public var entries: Int
    /// The most bytes of their records and bodies.
    public var byteCount: Int64
    /// What happens to a write that does not fit.
    public var whenFull: WhenFull

    /// 500 entries and 64 MiB unless told otherwise.
    public init(entries: Int = 500, byteCount: Int64 = 64 << 20, whenFull: WhenFull = .refuse) {
        self.entries = entries
        self.byteCount = byteCount
        self.whenFull = whenFull
    }

    var isSound: Bool { entries > 0 && byteCount > 0 }
}

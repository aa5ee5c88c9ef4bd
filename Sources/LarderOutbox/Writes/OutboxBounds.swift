/// The limits of what may wait to be sent. Dead letters do not count.
public struct OutboxBounds: Hashable, Sendable {
    /// The treatment of a write that does not fit.
    public enum WhenFull: Hashable, Sendable {
        /// It is refused with ``OutboxError/full(_:)``: the default, because nothing is lost.
        case refuse
        /// The oldest entries that are not being sent become dead letters, as *failed*, until it fits. Their overlays
        /// and all else stay, but they are sent only when the app revives them or the network returns.
        case retireOldest
    }

    /// The most entries; 1 or more.
    public var entries: Int
    /// The most bytes of their records and bodies.
    public var byteCount: Int64
    /// The treatment of a write that does not fit.
    public var whenFull: WhenFull

    /// 500 entries and 64 MiB by default.
    public init(entries: Int = 500, byteCount: Int64 = 64 << 20, whenFull: WhenFull = .refuse) {
        self.entries = entries
        self.byteCount = byteCount
        self.whenFull = whenFull
    }

    var isValid: Bool { entries > 0 && byteCount > 0 }
}

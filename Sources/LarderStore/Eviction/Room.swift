internal import LarderFormat
internal import Synchronization

/// The room that the content of one file may take, and where the search for something to evict stands.
///
/// Shared by all opens of the file in this process, and in memory only: after a restart the hand begins anew, and what
/// was used lately is known to the hour.
final class Room: Sendable {
    /// The most bytes that may be stored after a commit; nil for any number.
    let cap: Int64?
    /// Milliseconds since 1970-01-01 UTC.
    let now: @Sendable () -> Int64
    /// Which generations were read lately.
    let uses = UseBits()
    private let hand = Mutex<[UInt8]>([])

    init(cap: Int64?, now: @escaping @Sendable () -> Int64) {
        self.cap = cap
        self.now = now
    }

    /// The key in `resources` that was looked at last.
    var lastResource: [UInt8] {
        get { hand.withLock { $0 } }
        set { hand.withLock { $0 = newValue } }
    }

    /// How far below the cap the content is brought when room has to be made, so that not every commit has to: a
    /// sixteenth, at most what one batch of bulk work writes.
    static func slack(_ cap: Int64) -> Int64 { min(cap / 16, Int64(BulkLimits.bytes)) }
}
